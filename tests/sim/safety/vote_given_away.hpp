// A client that holds a lock gives no vote of it away.
#pragma once
#include "sim/record/record.hpp"
#include "sim/record/words.hpp"

namespace redlock::sim {

// A key of a lock that is held was removed, by its own client.
inline void judge_given_away(Record& record, std::uint32_t client, std::uint32_t server,
                             const Entry& before) {
  record.note_judged(ViolationKind::vote_given_away);
  // A token that was exchanged goes wherever a majority has the other one: that is judged by what
  // is left of both.
  const Hold& hold = record.hold_of({client, resource_named(before.name)});
  if (record.passes != token_hash(before.value) || hold.value != before.value) return;
  record.report(ViolationKind::vote_given_away,
                who(client) + " gave away a vote of the lock that it holds on server " +
                    std::to_string(server));
}

}  // namespace redlock::sim
