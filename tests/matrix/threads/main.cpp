// Runs a PHP script in several threads of one process, each thread a PHP of its own.
//
// usage: php-threads SETTINGS SCRIPT WAVES THREADS REQUESTS
//
// SETTINGS are lines of php.ini. The threads of a wave run side by side, each the given number of
// requests, and end before the next wave begins, which waits for a byte on standard input. The
// script finds the numbers of its wave, thread and request in $argv, and counts with inside() who
// is in a room with it.
#include <main/php.h>
#include <main/php_main.h>
#include <sapi/embed/php_embed.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace {

std::array<std::atomic<int>, 2> inside_counts{};
std::atomic<int> failed_count{0};

// inside(int $room, int $change): int, for all threads of the process.
PHP_FUNCTION(inside) {
  zend_long room = 0;
  zend_long change = 0;
  ZEND_PARSE_PARAMETERS_START(2, 2)
  Z_PARAM_LONG(room)
  Z_PARAM_LONG(change)
  ZEND_PARSE_PARAMETERS_END();
  const int delta = static_cast<int>(change);
  RETURN_LONG(inside_counts.at(static_cast<std::size_t>(room & 1)).fetch_add(delta) + delta);
}

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_inside, 0, 2, IS_LONG, 0)
ZEND_ARG_TYPE_INFO(0, room, IS_LONG, 0)
ZEND_ARG_TYPE_INFO(0, change, IS_LONG, 0)
ZEND_END_ARG_INFO()

const zend_function_entry kFunctions[] = {PHP_FE(inside, arginfo_inside) PHP_FE_END};

// Zend may leave the script by a jump: nothing here has a destructor.
bool run_request(const char* script, char** arguments, int argument_count) {
  SG(options) |= SAPI_OPTION_NO_CHDIR;
  SG(request_info).argc = argument_count;
  SG(request_info).argv = arguments;
  if (php_request_startup() == FAILURE) return false;
  SG(headers_sent) = 1;
  SG(request_info).no_headers = 1;
  volatile bool ran = false;
  zend_first_try {
    zend_file_handle file;
    zend_stream_init_filename(&file, script);
    ran = php_execute_script(&file);
    zend_destroy_file_handle(&file);
  }
  zend_end_try();
  const bool good = ran && EG(exit_status) == 0;
  php_request_shutdown(nullptr);
  return good;
}

void run_thread(const char* script, int wave, int thread, int request_count) {
  ts_resource(0);
  for (int request = 0; request < request_count; ++request) {
    std::string numbers[] = {script, std::to_string(wave), std::to_string(thread),
                             std::to_string(request)};
    char* arguments[4];
    for (int i = 0; i < 4; ++i) arguments[i] = numbers[i].data();
    if (!run_request(script, arguments, 4)) ++failed_count;
  }
  ts_free_thread();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  const int wave_count = std::atoi(argv[3]);
  const int thread_count = std::atoi(argv[4]);
  const int request_count = std::atoi(argv[5]);

  php_tsrm_startup();
  zend_signal_startup();
  sapi_startup(&php_embed_module);
  php_embed_module.ini_entries = argv[1];
  php_embed_module.additional_functions = kFunctions;
  if (php_embed_module.startup(&php_embed_module) == FAILURE) return 2;

  for (int wave = 0; wave < wave_count; ++wave) {
    std::vector<std::thread> threads;
    for (int thread = 0; thread < thread_count; ++thread) {
      threads.emplace_back(run_thread, argv[2], wave, thread, request_count);
    }
    for (std::thread& thread : threads) thread.join();
    std::printf("wave %d over\n", wave);
    std::fflush(stdout);
    // The checks look at the servers meanwhile.
    if (std::getchar() == EOF) break;
  }

  php_module_shutdown();
  sapi_shutdown();
  tsrm_shutdown();
  return failed_count == 0 ? 0 : 1;
}
