// Looking for what is left.
#include "sim/liveness/undone.hpp"

#include "sim/liveness/excuses.hpp"
#include "sim/record/words.hpp"

namespace redlock::sim {

namespace {

// Of one who waits: a connection that was given up while he waited took no removal with it, for the
// wait went on; what he says on one that the network has forgotten, and that is not looked at
// before he gives up, the next one carries; and some servers let nobody leave.
bool may_linger(Record& record, Contender party, std::uint32_t server, std::uint64_t token,
                bool gave_up_connection) {
  if (!record.lines || record.book.find(token) == nullptr) return false;
  if (record.removals.known(server, token).stays) return true;
  if (record.plan.course(party).wait_ms < 0) return false;
  return gave_up_connection || (!record.was_granted(token) &&
                                removal_forgotten(record.links, party.client, server, token));
}

}  // namespace

void judge_undone(Record& record, Contender party, bool gave_up_connection) {
  const bool undone = judged_under(ViolationKind::undone_late, record.plan);
  // A stamp that has too little left is not removed.
  const bool released = judged_under(ViolationKind::release_late, record.plan) &&
                        !gave_up_connection && record.plan.kind == LockKind::quorum;
  const std::string name = resource_name(party.resource);
  const std::string client = who(party.client);
  if (undone) record.note_judged(ViolationKind::undone_late);
  if (released) record.note_judged(ViolationKind::release_late);
  for (std::uint32_t server = 0; server < record.plan.servers; ++server) {
    const auto judge = [&](std::uint64_t token, const std::string& what) {
      const bool granted = record.was_granted(token);
      if (!(granted ? released : undone) || record.was_transferred(token)) return;
      if (may_linger(record, party, server, token, gave_up_connection)) return;
      record.report(granted ? ViolationKind::release_late : ViolationKind::undone_late,
                    what + " server " + std::to_string(server));
    };
    record.for_each_key(party.client, server, name, [&](const Entry&, const Owned& known) {
      judge(known.value, "a key that " + client + " gave up is left on");
    });
    record.for_each_waiting(party.client, server, name, [&](std::uint64_t token) {
      judge(token, client + " is left in the line of");
    });
  }
}

}  // namespace redlock::sim
