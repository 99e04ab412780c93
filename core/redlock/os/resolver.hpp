// Host names to addresses: numbers on the spot, names from memory or by a look-up under way.
//
// Callers of one name share its look-up. One that outlasts its caller serves the next; its answer
// may have been waiting in its socket, so what was asked kResolvedFor ago is asked anew. Failures
// are not remembered. One thread.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "redlock/algorithm/time.hpp"
#include "redlock/os/address.hpp"
#include "redlock/os/look_up.hpp"

namespace redlock {

// Counted from the question, since nobody may have listened when the answer came.
inline constexpr Duration kResolvedFor = Duration::seconds(30);
inline constexpr std::size_t kResolvedNamesMax = 256;
inline constexpr std::size_t kLookUpsMax = 64;

class Resolver {
 public:
  struct Job {
    Job(std::string its_name, Instant now, const NameSources& sources, const std::string& host,
        std::uint16_t port)
        : name(std::move(its_name)), since(now), look_up(sources, host, port) {}
    std::string name;
    Instant since;
    LookUp look_up;
  };
  // Where the answer is known at once (a number, resolved a moment ago, in the hosts file, or no
  // look-up could be started) it is in `known`, else `job` is under way.
  struct Answer {
    Resolution known;
    std::shared_ptr<Job> job;
  };

  explicit Resolver(NameSources sources = {}) : sources_(std::move(sources)) {}

  [[nodiscard]] Answer resolve(const std::string& host, std::uint16_t port, Instant now);
  // Moves a job on as far as it goes by itself. Where that ends it, its answer is given, and what
  // was found is known to later calls. The caller keeps the job alive.
  [[nodiscard]] std::optional<Resolution> drive(Job& job, Instant now);
  // The name's addresses are tried from this one on: the one that led to the server, or the one
  // behind one that led nowhere.
  void prefer(const std::string& host, std::uint16_t port, const SocketAddress& address);
  // The addresses led nowhere, or elsewhere: ask again next time.
  void forget(const std::string& host, std::uint16_t port);
  // After a fork: look-ups are the parent's.
  void forget_all();

 private:
  struct Known {
    Resolution resolution;
    Instant until;
  };
  [[nodiscard]] bool make_room();
  [[nodiscard]] Resolution in_order(const std::string& name, Resolution resolution) const;

  NameSources sources_;
  std::map<std::string, Known> known_;
  std::map<std::string, std::shared_ptr<Job>> jobs_;
  // Where to begin, of names that lead to several addresses.
  std::map<std::string, SocketAddress> first_;
};

}  // namespace redlock
