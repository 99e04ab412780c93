// What stands behind a LockManager object, and what its leases go on using when that is gone.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lease/events.hpp"
#include "quorum/call.hpp"
#include "redlock/algorithm/holding.hpp"
#include "redlock/algorithm/ids.hpp"

namespace redlock::php {

class SharedLease;

// What one server, or a majority of them, knows of a resource.
struct Inspected {
  LockState seen;
  std::string error;  // of one server; empty: it answered
};

struct Locks : QuorumState {
  Locks(ThreadState& thread, std::shared_ptr<const LockPlan> of, std::vector<std::string> names)
      : QuorumState(thread, of, names.size()), plan(std::move(of)), servers(std::move(names)) {}

  const std::shared_ptr<const LockPlan> plan;
  const std::vector<std::string> servers;  // as Endpoint::display() prints them, in their order
  std::int64_t retry_delay_ms = 0;
  bool in_line = true;  // waits there
  Duration renew_max;
  Events events;
  // Those that may be acquired once more, by what they are about.
  std::map<Resource, std::weak_ptr<SharedLease>> reentrant;
  // Of the latest inspection.
  LockState of_majority;
  std::vector<Inspected> of_servers;
  bool decided = false;  // what a majority has is known, be it nothing
  std::vector<Token> to_take_away;
};

}  // namespace redlock::php
