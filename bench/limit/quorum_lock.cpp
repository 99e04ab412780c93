// The poll loop of quorum_lock.hpp.
#include "quorum_lock.hpp"

#include <hiredis/hiredis.h>
#include <poll.h>
#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <stdexcept>
#include <system_error>

namespace bench {
namespace {

constexpr std::string_view kTtlMs = "10000";
constexpr int kPollMsMax = 5000;
constexpr std::size_t kServersMax = 16;

constexpr std::string_view kReleaseScript =
    "if redis.call(\"GET\", KEYS[1]) == ARGV[1] then\n"
    "  return redis.call(\"DEL\", KEYS[1])\n"
    "end\n"
    "return 0\n";
// The SHA1 of the text above; were it wrong, the first EVALSHA would answer NOSCRIPT and throw.
constexpr std::string_view kReleaseSha1 = "1399a2afefa68b87c8075b97ba2472b21856d722";

std::string fresh_token() {
  std::array<unsigned char, 16> bytes;
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw std::runtime_error("getrandom gave too little");
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string token;
  token.reserve(2 * bytes.size());
  for (const unsigned char byte : bytes) {
    token += kDigits[byte >> 4U];
    token += kDigits[byte & 15U];
  }
  return token;
}

// The bytes of one command; frees what hiredis allocated.
class Formatted {
 public:
  explicit Formatted(std::span<const std::string_view> arguments) {
    std::array<const char*, 8> texts{};
    std::array<std::size_t, 8> sizes{};
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      texts.at(i) = arguments[i].data();
      sizes.at(i) = arguments[i].size();
    }
    size_ = static_cast<std::size_t>(redisFormatCommandArgv(
        &text_, static_cast<int>(arguments.size()), texts.data(), sizes.data()));
  }
  ~Formatted() { redisFreeCommand(text_); }
  Formatted(const Formatted&) = delete;
  Formatted& operator=(const Formatted&) = delete;
  [[nodiscard]] std::string_view bytes() const { return {text_, size_}; }

 private:
  char* text_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace

QuorumLock::QuorumLock(std::span<const std::uint16_t> ports, std::string resource)
    : resource_(std::move(resource)) {
  if (ports.empty() || ports.size() > kServersMax) throw std::runtime_error("1 to 16 servers");
  for (const std::uint16_t port : ports) {
    connections_.push_back(std::make_unique<Connection>(port));
  }
  const std::array<std::string_view, 3> load{"SCRIPT", "LOAD", kReleaseScript};
  ask_all(load);
}

bool QuorumLock::lock() {
  token_ = fresh_token();
  const std::array<std::string_view, 6> set{"SET", resource_, token_, "NX", "PX", kTtlMs};
  return ask_all(set);
}

bool QuorumLock::unlock() {
  const std::array<std::string_view, 5> release{"EVALSHA", kReleaseSha1, "1", resource_, token_};
  return ask_all(release);
}

void QuorumLock::ping() {
  const std::array<std::string_view, 1> ping{"PING"};
  connections_.front()->send(Formatted(ping).bytes());
  settle(1, 1);
}

bool QuorumLock::ask_all(std::span<const std::string_view> arguments) {
  const Formatted command(arguments);
  for (const auto& connection : connections_) connection->send(command.bytes());
  return settle(connections_.size(), connections_.size() / 2 + 1);
}

bool QuorumLock::settle(std::size_t count, std::size_t votes_needed) {
  std::size_t granted = 0;
  std::size_t denied = 0;
  while (granted < votes_needed && denied <= count - votes_needed) {
    std::array<pollfd, kServersMax> waiting;
    std::array<Connection*, kServersMax> owners;
    nfds_t size = 0;
    for (std::size_t i = 0; i < count; ++i) {
      Connection& connection = *connections_[i];
      if (!connection.is_awaiting()) continue;
      const short events = connection.has_unsent() ? POLLIN | POLLOUT : POLLIN;
      owners.at(size) = &connection;
      waiting.at(size++) = {connection.descriptor(), events, 0};
    }
    const int ready = poll(waiting.data(), size, kPollMsMax);
    if (ready == 0) throw std::runtime_error("no majority answered in time");
    if (ready < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category());
    for (nfds_t i = 0; ready > 0 && i < size; ++i) {
      if ((waiting.at(i).revents & POLLOUT) != 0) owners.at(i)->flush();
      if ((waiting.at(i).revents & ~POLLOUT) == 0) continue;
      if (const std::optional<bool> vote = owners.at(i)->receive()) ++(*vote ? granted : denied);
    }
  }
  return granted >= votes_needed;
}

}  // namespace bench
