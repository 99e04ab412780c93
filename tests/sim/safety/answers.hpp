// What a call reports of a server is what that server said; nothing is reported of a lock that was
// released meanwhile.
#pragma once
#include <algorithm>

#include "sim/record/record.hpp"
#include "sim/record/words.hpp"

namespace redlock::sim {

// `token` is empty when it is not known.
inline void judge_answers(Record& record, Contender party, Verb verb, std::string_view token,
                          const Outcome& outcome) {
  // Of a failed attempt the token is not known, and whoever waits tells of an earlier one too.
  const bool waits = verb == Verb::take && record.plan.course(party).wait_ms >= 0;
  const bool any = token.empty() || waits;
  // Of a lock that was given up for want of a fence it is told what was said to that.
  const bool raises = verb == Verb::take && record.plan.course(party).fence;
  const std::uint64_t hash = token_hash(token);
  for (std::uint32_t server = 0; server < outcome.nodes.size(); ++server) {
    const NodeReport& node = outcome.nodes[server];
    if (!node.answered || node.reply.answer == Answer::unknown) continue;
    const bool said = node.reply.answer == Answer::granted;
    record.note_judged(ViolationKind::wrong_reply);
    const auto told = [&](const Mark& mark) {
      return mark.granted == said && (any || mark.token == hash);
    };
    if (std::ranges::any_of(record.deeds(party, server, verb), told)) continue;
    if (raises && std::ranges::any_of(record.deeds(party, server, Verb::raise), told)) continue;
    // A script that was refused, or not known, is not sent again where its removal follows.
    if (raises && !said) continue;
    record.report(ViolationKind::wrong_reply, who(party.client) + " took an answer of server " +
                                                  std::to_string(server) + " for what it is not");
  }
}

// Of an extend or a check whose lock was released while it was under way.
inline void judge_answer_of_released(Record& record, Contender party, const Outcome& outcome) {
  record.note_judged(ViolationKind::trusted_after_release);
  if (outcome.decision != Decision::granted) return;
  record.report(ViolationKind::trusted_after_release,
                who(party.client) + " is told that it has a lock that it released meanwhile");
}

}  // namespace redlock::sim
