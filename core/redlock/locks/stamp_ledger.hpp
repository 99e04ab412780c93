// What was taken with the timestamp lock and not released yet, by server and key.
//
// Whoever shares a ledger can release what stands in it. An entry that no server can know any
// more has nothing left to release: it goes with one of the next writes, a few a write, so that
// locks which are left to expire do not pile up.
// Invariants: an entry never gives way to one that was taken before it. One thread.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "redlock/algorithm/ids.hpp"
#include "redlock/algorithm/resources.hpp"
#include "redlock/algorithm/time.hpp"
#include "redlock/os/process.hpp"

namespace redlock {

// At least two: one to make up for the entry that is written.
inline constexpr int kLedgerDropsPerWrite = 4;

class StampLedger {
 public:
  // Names one entry for good, 0 none: by the time that a release is answered, something else may
  // stand under its key.
  using Serial = std::uint64_t;
  // All instants are the pool's clock's.
  struct Entry {
    Token stamp;  // as it was stored
    Instant taken_at;
    Instant lease_end;
    Instant gone_by;  // no server keeps it for longer
    // A release was begun: not to be trusted any more, though another may be tried.
    bool given_up = false;
    Serial serial = 0;
  };

  // False, and nothing is written, when what stands there was taken later.
  bool write(const std::string& server, const Resources& keys, Entry entry, Instant now);
  // Unless something else stands there by now.
  void strike(const std::string& server, const Resources& keys, Serial serial);
  // Null when there is none; valid until the next write, strike or clear.
  [[nodiscard]] Entry* find(const std::string& server, const Resources& keys);
  void clear();
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  using Name = std::pair<std::string, Resources>;
  using Entries = std::map<Name, Entry>;

  // Forgets everything after a fork: the parent holds it.
  void notice_fork();
  void erase(Entries::iterator entry);
  void drop_gone(Instant now);

  ForkWatch watch_;
  Serial latest_serial_ = 0;
  Entries entries_;
  // The names in entries_, in the order in which they may go.
  std::map<std::pair<Instant, Serial>, const Name*> line_;
};

}  // namespace redlock
