// fork, exec, signals, and waiting for conditions with a deadline.
#include "io/support/redis_server.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "io/support/eventually.hpp"
#include "io/support/temp_folder.hpp"

namespace redlock::test {

namespace {

[[noreturn]] void become_server(const std::string& configuration, const std::string& log,
                                pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  const int output = open(log.c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  const char* const chosen = std::getenv("REDLOCK_SERVER");
  for (const char* program : {chosen, "redis-server", "valkey-server"}) {
    if (program == nullptr) continue;
    execlp(program, program, configuration.c_str(), static_cast<char*>(nullptr));
    if (program == chosen) break;
  }
  _exit(127);
}

}  // namespace

RedisServer::RedisServer(ServerSettings settings)
    : settings_(std::move(settings)), folder_(temp_path("server")), port_(free_port()) {
  std::filesystem::create_directory(folder_);
  start();
}

RedisServer::~RedisServer() {
  control_.reset();
  // A child that ends by exit() has a copy of this.
  if (process_ > 0 && owner_ == getpid()) kill9();
}

void RedisServer::start() {
  const std::string configuration = folder_ + "/conf";
  std::ofstream file(configuration, std::ios::trunc);
  file << "port " << port_ << "\nbind 127.0.0.1 -::1\nsave \"\"\nappendonly no\ndir " << folder_
       << "\nunixsocket " << unix_path() << "\n";
  for (const std::string& line : settings_.lines) file << line << '\n';
  file.close();
  const pid_t parent = getpid();
  process_ = fork();
  if (process_ < 0) throw std::runtime_error("fork");
  if (process_ == 0) become_server(configuration, folder_ + "/log", parent);
  const bool decided =
      eventually([this] { return answers() || waitpid(process_, nullptr, WNOHANG) == process_; });
  if (decided && answers()) return;
  if (!decided) kill9();
  std::ostringstream log;
  log << std::ifstream(folder_ + "/log").rdbuf();
  throw std::runtime_error("redis-server does not start:\n" + log.str());
}

bool RedisServer::answers() {
  try {
    control_.reset();
    return control().ask({"PING"}).text == "PONG";
  } catch (const std::exception&) {
    return false;
  }
}

RespClient& RedisServer::control() {
  if (!control_) {
    control_ = std::make_unique<RespClient>(port_);
    if (!settings_.password.empty()) {
      control_->ask({"AUTH", settings_.user, settings_.password});
    }
  }
  return *control_;
}

RespAnswer RedisServer::ask(const Arguments& arguments) {
  try {
    return control().ask(arguments);
  } catch (const std::exception&) {
    control_.reset();
    return control().ask(arguments);
  }
}

std::string RedisServer::say(const Arguments& arguments) {
  const RespAnswer answer = ask(arguments);
  if (answer.is_error) return "error: " + answer.text;
  return answer.is_nil ? "nil" : answer.text;
}

std::uint64_t RedisServer::calls(const std::string& command) {
  const std::string statistics = say({"INFO", "commandstats"});
  const std::string key = "cmdstat_" + command + ":calls=";
  const std::size_t at = statistics.find(key);
  return at == std::string::npos ? 0 : std::stoull(statistics.substr(at + key.size()));
}

std::vector<std::string> RedisServer::clients() {
  std::istringstream list(say({"CLIENT", "LIST"}));
  std::vector<std::string> lines;
  for (std::string line; std::getline(list, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> RedisServer::clients_named(const std::string& client_name) {
  std::vector<std::string> lines = clients();
  std::erase_if(lines, [&](const std::string& line) {
    return line.find(" name=" + client_name + " ") == std::string::npos;
  });
  return lines;
}

void RedisServer::reset() {
  if (process_ < 0) start();
  if (stopped_) go_on();
  for (const Arguments& command :
       {Arguments{"FLUSHALL"}, Arguments{"SCRIPT", "FLUSH"}, Arguments{"CONFIG", "RESETSTAT"}}) {
    if (ask(command).is_error) throw std::runtime_error("cannot reset the server");
  }
}

void RedisServer::kill9() {
  control_.reset();
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
  process_ = -1;
  stopped_ = false;
}

void RedisServer::stop() {
  kill(process_, SIGSTOP);
  int status = 0;
  waitpid(process_, &status, WUNTRACED);
  if (!WIFSTOPPED(status)) throw std::runtime_error("the server did not stop");
  stopped_ = true;
}

void RedisServer::go_on() {
  kill(process_, SIGCONT);
  stopped_ = false;
}

}  // namespace redlock::test
