// A private redis-server (or valkey-server) process on a free port of the loopback.
//
// It dies with the test program, whatever that dies of, and its files are in temp_folder().
#pragma once
#include <sys/types.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/support/resp_client.hpp"

namespace redlock::test {

struct ServerSettings {
  // Lines of redis.conf.
  std::vector<std::string> lines;
  // The password for the test's own connection.
  std::string password;
  std::string user = "default";
};

class RedisServer {
 public:
  explicit RedisServer(ServerSettings settings = {});
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;
  ~RedisServer();

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::string unix_path() const { return folder_ + "/s"; }
  // "127.0.0.1:port"
  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

  // Asks over a connection of the test's own; over a new one when the server has closed it.
  RespAnswer ask(const Arguments& arguments);
  // The text, or the integer as text, or "nil", or "error: …".
  std::string say(const Arguments& arguments);
  // How often a command has been carried out, also by scripts; "set", "eval", "evalsha".
  std::uint64_t calls(const std::string& command);
  // The lines of CLIENT LIST: the test's own connection is one of them.
  std::vector<std::string> clients();
  // Those that carry this client name.
  std::vector<std::string> clients_named(const std::string& client_name);
  // Removes all keys, scripts and statistics, and starts the process when it is not running.
  void reset();

  void kill9();
  // On the same port; returns when it answers.
  void start();
  // SIGSTOP; returns when the process has stopped.
  void stop();
  // SIGCONT.
  void go_on();

 private:
  RespClient& control();
  [[nodiscard]] bool answers();

  ServerSettings settings_;
  std::string folder_;
  std::uint16_t port_;
  pid_t process_ = -1;
  pid_t owner_ = getpid();
  bool stopped_ = false;
  std::unique_ptr<RespClient> control_;
};

}  // namespace redlock::test
