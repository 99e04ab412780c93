// The timestamp lock on one server, as PHP and C++ users call it.
//
// What was taken is written down in a ledger that may be shared by many managers, so that
// whoever shares the ledger can release. Not thread-safe; pool and ledger must outlive the
// manager.
#pragma once
#include <map>
#include <optional>
#include <string>

#include "redlock/algorithm/command.hpp"
#include "redlock/runtime/lock_manager.hpp"
#include "redlock/runtime/process.hpp"

namespace redlock {

// The stamps that this process (in PHP: this request) holds, by server and key.
class StampLedger {
 public:
  struct Entry {
    std::string stamp;
    Instant lease_end;  // on the pool's clock
  };
  void write(const std::string& server, const Resource& key, Entry entry);
  void strike(const std::string& server, const Resource& key);
  [[nodiscard]] const Entry* find(const std::string& server, const Resource& key);
  void clear() { entries_.clear(); }

 private:
  // Forgets everything after a fork: the parent holds it.
  void notice_fork();

  ForkWatch watch_;
  std::map<std::pair<std::string, Resource>, Entry> entries_;
};

struct StampOptions {
  StampUnit unit = StampUnit::milliseconds;
  // Accept a stamp without a fraction as ours while our own lease runs: old clients
  // overwrite stamps when they lose. For the time of a rolling upgrade.
  bool mixed_fleet = false;
  Duration timeout = kTimeoutDefault;
  std::string client_name;
};

class StampLockManager {
 public:
  // Throws ArgumentError.
  StampLockManager(Pool& pool, StampLedger& ledger, const ServerSpec& server, StampOptions options);

  // Throws ArgumentError: key past its bound, lease not positive or lease + buffer above
  // kTtlMax, negative buffer.
  OperationId begin_take(const Resource& key, Duration lease, Duration buffer, RetryPolicy retry);
  // Must follow a begin_take whose outcome was granted.
  void note_taken(const Resource& key, const Outcome& outcome);
  // Nothing when the ledger does not know the key: there is nothing to release.
  std::optional<OperationId> begin_release(const Resource& key, Duration margin);
  void note_released(const Resource& key);
  // Nothing when the ledger does not know the key: it is not held.
  std::optional<OperationId> begin_check(const Resource& key);
  // What is left of the lease by the local clock; not positive when it is over or not held.
  [[nodiscard]] Duration remaining(const Resource& key);

  [[nodiscard]] std::vector<ServerTrouble> troubles(const Outcome& outcome) const;
  [[nodiscard]] Pool& pool() { return pool_; }

 private:
  const StampLedger::Entry* held(const Resource& key);
  [[nodiscard]] StampProof proof_for(const StampLedger::Entry& entry);

  Pool& pool_;
  StampLedger& ledger_;
  StampOptions options_;
  std::string server_;
  AnswerTimes answer_times_;
  NodeList nodes_;
};

}  // namespace redlock
