// Starting, talking to and ending the private server.
#include "sim/real_redis.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace redlock::sim {

namespace {

constexpr int kStartTriesMax = 1000;  // of 10 ms each
constexpr int kAnswerTimeoutMs = 10'000;

[[noreturn]] void run_server(const std::string& path) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int null = open("/dev/null", O_RDWR);
  for (const int fd : {0, 1, 2}) dup2(null, fd);
  const char* const chosen = std::getenv("REDLOCK_SERVER");
  for (const char* program : {chosen, "redis-server", "valkey-server"}) {
    if (program == nullptr) continue;
    execlp(program, program, "--port", "0", "--unixsocket", path.c_str(), "--save", "",
           "--appendonly", "no", "--daemonize", "no", static_cast<char*>(nullptr));
    if (program == chosen) break;
  }
  _exit(127);
}

int connect_to(const std::string& path) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  for (int i = 0; i < kStartTriesMax; ++i) {
    if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0) return fd;
    usleep(10'000);
  }
  close(fd);
  throw std::runtime_error("redis-server did not start");
}

}  // namespace

std::size_t answer_size(std::string_view bytes) {
  const std::size_t line_end = bytes.find("\r\n");
  if (line_end == std::string_view::npos) return 0;
  std::size_t size = line_end + 2;
  if (bytes.front() != '$' && bytes.front() != '*') return size;
  std::int64_t number = 0;
  std::from_chars(bytes.data() + 1, bytes.data() + line_end, number);
  if (number < 0) return size;
  if (bytes.front() == '$') {
    size += static_cast<std::size_t>(number) + 2;
    return size <= bytes.size() ? size : 0;
  }
  for (std::int64_t i = 0; i < number; ++i) {
    const std::size_t element = answer_size(bytes.substr(size));
    if (element == 0) return 0;
    size += element;
  }
  return size;
}

RealRedis::RealRedis(std::size_t connection_count) : buffers_(connection_count) {
  std::string folder = "/tmp/redlock-conformance-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error("no temporary folder");
  const std::string path = folder + "/s";
  process_ = fork();
  if (process_ == 0) run_server(path);
  try {
    while (sockets_.size() < connection_count) sockets_.push_back(connect_to(path));
  } catch (...) {
    stop();
    unlink(path.c_str());
    rmdir(folder.c_str());
    throw;
  }
  unlink(path.c_str());
  rmdir(folder.c_str());
}

RealRedis::~RealRedis() { stop(); }

void RealRedis::stop() {
  for (const int fd : sockets_) {
    if (fd >= 0) close(fd);
  }
  if (process_ <= 0) return;
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

void RealRedis::send(std::size_t connection, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(sockets_[connection], bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) throw std::runtime_error("redis-server closed the connection");
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void RealRedis::hang_up(std::size_t connection) {
  close(sockets_[connection]);
  sockets_[connection] = -1;
}

std::string RealRedis::receive(std::size_t connection) {
  std::string& buffer = buffers_[connection];
  for (;;) {
    const std::size_t size = answer_size(buffer);
    if (size != 0) {
      std::string answer = buffer.substr(0, size);
      buffer.erase(0, size);
      return answer;
    }
    pollfd ready{sockets_[connection], POLLIN, 0};
    std::array<char, 4096> bytes;
    if (poll(&ready, 1, kAnswerTimeoutMs) != 1) throw std::runtime_error("no answer in time");
    const ssize_t received = recv(sockets_[connection], bytes.data(), bytes.size(), 0);
    if (received <= 0) throw std::runtime_error("redis-server closed the connection");
    buffer.append(bytes.data(), static_cast<std::size_t>(received));
  }
}

}  // namespace redlock::sim
