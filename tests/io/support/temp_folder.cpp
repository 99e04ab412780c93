// mkdtemp(3) and a janitor that waits for our end.
#include "io/support/temp_folder.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace redlock::test {

namespace {

[[noreturn]] void give_up(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

// The read end reports the end of file when the last process that holds the write end is gone.
[[noreturn]] void be_the_janitor(int read_end, const std::string& folder) {
  setsid();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(signal, SIG_IGN);
  // Nobody must wait for our output to end.
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) close(descriptor);
  char byte = 0;
  while (read(read_end, &byte, 1) > 0 || errno == EINTR) errno = 0;
  // Servers die with their parent, but may still be writing.
  std::error_code error;
  for (int i = 0; i < 100 && std::filesystem::exists(folder, error); ++i) {
    std::filesystem::remove_all(folder, error);
    usleep(20'000);
  }
  _exit(0);
}

std::string make_folder() {
  std::string pattern = std::filesystem::temp_directory_path() / "redlock-io-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) give_up("mkdtemp");
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) give_up("pipe2");
  const pid_t janitor = fork();
  if (janitor < 0) give_up("fork");
  if (janitor == 0) {
    close(ends[1]);
    be_the_janitor(ends[0], pattern);
  }
  close(ends[0]);
  return pattern;
}

}  // namespace

const std::string& temp_folder() {
  static const std::string folder = make_folder();
  return folder;
}

std::string temp_path(const std::string& stem) {
  static int count = 0;
  return temp_folder() + "/" + stem + "-" + std::to_string(++count);
}

}  // namespace redlock::test
