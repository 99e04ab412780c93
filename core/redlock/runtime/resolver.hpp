// Host names to addresses, without blocking the caller.
//
// getaddrinfo(3) has no deadline, so it runs on a detached thread that owns its share of the
// job; the caller may walk away. The code must stay loaded for as long as such a thread lives,
// which is why the extension is linked with -z nodelete.
#pragma once
#include <sys/socket.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "redlock/algorithm/time.hpp"

namespace redlock {

inline constexpr Duration kResolvedFor = Duration::seconds(30);
inline constexpr std::size_t kAddressesMax = 16;
inline constexpr std::size_t kResolvedNamesMax = 256;

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;
  int family = 0;
};

struct Resolution {
  std::vector<SocketAddress> addresses;
  std::string failure;  // for people; empty when there are addresses
};

class ResolveJob;

class Resolver {
 public:
  // Where the answer is known at once (a number, resolved a moment ago, or no look-up could be
  // started) it is in `known`, else `job` is under way.
  struct Answer {
    Resolution known;
    std::shared_ptr<ResolveJob> job;
  };
  [[nodiscard]] Answer resolve(const std::string& host, std::uint16_t port, Instant now);
  // A job that is done becomes known to later calls.
  void remember(const ResolveJob& job, Instant now);
  // The addresses led nowhere: ask again next time.
  void forget(const std::string& host, std::uint16_t port);
  // After a fork: the threads are the parent's.
  void forget_all();

 private:
  struct Known {
    Resolution resolution;
    Instant until;
  };
  struct Begun {
    std::shared_ptr<ResolveJob> job;
    Instant since;
  };
  std::map<std::string, Known> known_;
  std::map<std::string, Begun> jobs_;
};

// One look-up on its way. Any thread may ask; created by the resolver.
class ResolveJob {
 public:
  virtual ~ResolveJob() = default;
  // Readable as soon as done() is true.
  [[nodiscard]] virtual int descriptor() const = 0;
  [[nodiscard]] virtual bool done() const = 0;
  // Requires done().
  [[nodiscard]] virtual Resolution result() const = 0;
  [[nodiscard]] virtual const std::string& name() const = 0;
};

}  // namespace redlock
