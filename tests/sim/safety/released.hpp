// A release that was confirmed has removed the lock from a majority, and it cannot come back there.
#pragma once
#include "sim/record/record.hpp"
#include "sim/record/words.hpp"

namespace redlock::sim {

// The client was told that its lock of this value is gone.
inline void judge_released(Record& record, Contender party, std::string_view value) {
  const std::uint32_t servers = record.plan.servers;
  record.note_judged(ViolationKind::left_behind);
  std::uint32_t left = 0;
  for (std::uint32_t server = 0; server < servers; ++server) {
    // What a crash brought back ends before that server is there again.
    if (record.servers[server].down_until_ns > record.now_ns) continue;
    if (!record.stands(server, value)) continue;
    left += record.removals.known(server, token_hash(value)).joined_late ? 0 : 1;
  }
  if (left + servers / 2 + 1 <= servers) return;
  record.report(ViolationKind::left_behind, who(party.client) +
                                                " was told that its lock is gone, and " +
                                                std::to_string(left) + " servers keep it");
}

}  // namespace redlock::sim
