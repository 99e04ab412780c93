// A plain blocking client, to look at a server without the library under test.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "support/resp.hpp"

namespace redlock::test {

// A connected socket to 127.0.0.1 (or ::1), a unix path, or an exception. Reads and writes give up
// after five seconds.
int connect_to_port(std::uint16_t port, bool v6 = false);
int connect_to_path(const std::string& path);
// A port on the loopback that nobody listens on, this process's own to its end: a server that is
// killed finds it again.
std::uint16_t free_port();

struct RespAnswer {
  bool is_error = false;
  bool is_nil = false;
  std::int64_t integer = 0;
  std::string text;
  std::vector<RespAnswer> elements;
};

class RespClient {
 public:
  explicit RespClient(std::uint16_t port);
  explicit RespClient(const std::string& unix_path);
  RespClient(const RespClient&) = delete;
  RespClient& operator=(const RespClient&) = delete;
  ~RespClient();

  // Throws when the server does not answer within five seconds or the connection breaks.
  RespAnswer ask(const Arguments& arguments);

 private:
  RespAnswer read_answer();
  std::string read_line();
  std::string read_bytes(std::size_t size);
  void fill();

  int descriptor_;
  std::string buffer_;
};

}  // namespace redlock::test
