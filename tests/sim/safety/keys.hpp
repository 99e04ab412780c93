// A client's commands leave the keys of others alone, and no key without an end.
#pragma once
#include "sim/record/record.hpp"
#include "sim/record/words.hpp"

namespace redlock::sim {

// Before the record knows whose the key is from now on.
inline void judge_created(Record& record, std::uint32_t client, std::uint32_t server,
                          const Entry* before, const Entry& after) {
  const auto tell = [&](ViolationKind kind, const char* what) {
    record.report(kind, who(client) + what + " on server " + std::to_string(server));
  };
  const bool same = before != nullptr && before->value == after.value;
  const Owned* const known = record.owned(server, after.value);
  if (same && known != nullptr && known->client != client) {
    tell(ViolationKind::foreign_extended, " extended a foreign lock");
  }
  if (before != nullptr && !same && !record.is_swap(client, before, after) &&
      (record.plan.kind == LockKind::quorum || record.held_now(before->value))) {
    tell(ViolationKind::live_overwritten, " overwrote a live lock");
  }
  if (!after.expires_ms && !record.plan.clients[client].legacy) {
    tell(ViolationKind::no_expiry, " left a key without an expiry");
  }
}

// False: it was somebody else's.
inline bool judge_removed(Record& record, std::uint32_t client, std::uint32_t server,
                          const Entry& before) {
  const Owned* const known = record.owned(server, before.value);
  if (known == nullptr || known->client == client) return true;
  record.report(ViolationKind::foreign_removed, who(client) + " removed a lock of " +
                                                    who(known->client) + " on server " +
                                                    std::to_string(server));
  return false;
}

}  // namespace redlock::sim
