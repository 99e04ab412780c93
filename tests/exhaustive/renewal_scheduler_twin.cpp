// The renewal thread of the lease: what lease/renewal_scheduler makes of the machines' answers.
#include "exhaustive/renewal_world.hpp"

#include <utility>

#include "redlock/algorithm/quorum_query.hpp"

namespace redlock::exhaustive {

bool RenewalWorld::renewal_thread_has_a_turn() const {
  if (gone_) return repair_.asked.running();
  if (lease_deadline_ == LeaseDeadline::released) return true;
  if (extend_.asked.overdue(settings_->terms, now_)) return true;
  if (repair_.asked.overdue(settings_->terms, now_)) return true;
  const Instant now = instant_of(now_);
  const auto due = renewal_.next_event(now);
  return lease_deadline_ == LeaseDeadline::over || !due || *due <= now;
}

void RenewalWorld::hear(Call& call, Wire& wire, std::size_t server) const {
  const Heard heard = wire.answers.front();
  wire.answers.erase(wire.answers.begin());
  if (!call.asked.heard(server)) call.asked.hear(server, heard.said, now_);
}

void RenewalWorld::renewal_thread_hear(std::size_t server) {
  Wire& wire = renewal_threads_[server];
  const bool repairing = awaits(repair_, wire.answers.front().number);
  Call& call = repairing ? repair_ : extend_;
  hear(call, wire, server);
  if (call.asked.machine(settings_->terms)->outcome() == nullptr) return;
  if (repairing) return end_repairing();
  collect_extension();
  attend();
}

void RenewalWorld::renewal_thread_turn() {
  const bool over = repair_.asked.overdue(settings_->terms, now_);
  if (repair_.asked.running() && (over || lease_deadline_ == LeaseDeadline::released))
    end_repairing();
  if (gone_) return;
  if (extend_.asked.overdue(settings_->terms, now_)) collect_extension();
  attend();
}

void RenewalWorld::collect_extension() {
  const auto machine = extend_.asked.machine(settings_->terms);
  const Instant now = instant_of(now_);
  machine->on_time(now);
  const Outcome outcome = machine->collect();
  const int by = extend_.asked.by();
  extend_.asked.end();
  if (outcome.decision != Decision::granted) {
    return proven_denied(outcome) ? renewal_.denied() : renewal_.failed(now);
  }
  const Duration validity = settings_->counts_from_answer ? span_of(by) : outcome.validity;
  renewal_.extended(outcome.decided_at + validity, now);
  if (!trusts()) return;
  valid_until_ = std::max(valid_until_, renewal_.valid_until());
  if (repair_.asked.running()) return;
  for (std::size_t i = 0; i < kAskedServers; ++i) {
    const NodeReport& report = outcome.nodes[i];
    if (report.answered && report.reply.answer == Answer::denied) to_be_repaired_ |= 1U << i;
  }
  repair_by_ = by;
}

void RenewalWorld::attend() {
  if (lease_deadline_ == LeaseDeadline::released) return drop();
  const Instant now = instant_of(now_);
  if (lease_deadline_ == LeaseDeadline::trusted) renewal_.trusted(valid_until_);
  if (renewal_.loss(now) != Loss::none || !trusts()) {
    lease_deadline_ = LeaseDeadline::over;
    return drop();
  }
  if (extend_.asked.running()) return;
  if (const auto by = renewal_.extend_by(now)) {
    begin(extend_, Asked::Kind::extend, ticks_of(*by), renewal_threads_, Who::a);
  }
}

// Its owner may have released the lock since the extend was told.
void RenewalWorld::repair() {
  begin(repair_, Asked::Kind::repair, repair_by_, renewal_threads_, Who::a, to_be_repaired_);
  to_be_repaired_ = 0;
}

void RenewalWorld::end_repairing() {
  const auto machine = repair_.asked.machine(settings_->terms);
  const Instant now = instant_of(now_);
  machine->on_time(now);
  if (machine->outcome() == nullptr) machine->abort(now);
  undo(repair_, renewal_threads_, Who::a, *machine);
  if (machine->outcome()->decision != Decision::denied) repaired_ = true;
  if (repaired_ && settings_->counts_repairs && trusts()) {
    valid_until_ = std::max(valid_until_, now + span_of(repair_.asked.by() - 1));
  }
  for (std::size_t i = 0; settings_->undoes_repairs && i < kAskedServers; ++i) {
    const bool unanswered = repair_.asked.asks(i) && !repair_.asked.heard(i);
    if (unanswered) send(renewal_threads_, i, {What::remove, Who::a, 0, 0});
  }
  repair_.asked.end();
  if (lease_deadline_ == LeaseDeadline::released) remove_repaired();
}

void RenewalWorld::remove_repaired() {
  if (!std::exchange(repaired_, false) || settings_->forgets_repairs) return;
  for (std::size_t i = 0; i < kAskedServers; ++i)
    send(renewal_threads_, i, {What::remove, Who::a, 0, 0});
}

void RenewalWorld::drop() {
  gone_ = true;
  extend_.asked.end();
  if (repair_.asked.running()) end_repairing();
  if (lease_deadline_ == LeaseDeadline::released) remove_repaired();
}

}  // namespace redlock::exhaustive
