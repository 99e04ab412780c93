// Building, feeding and judging one machine.
#include "exhaustive/machine_run.hpp"

#include <bit>

#include "exhaustive/machine_state.hpp"

namespace redlock::exhaustive {

namespace {

Byte ticks_up(Duration span, Duration tick) {
  const std::int64_t whole = tick.count_ns();
  return byte(span.count_ns() <= 0 ? 0 : (span.count_ns() + whole - 1) / whole);
}

Byte ticks_down(Duration span, Duration tick) {
  return byte(span.count_ns() <= 0 ? 0 : span.count_ns() / tick.count_ns());
}

}  // namespace

MachineTable::Run::Run(const Settings& settings, CommandBook& book, const Root& root,
                       std::int64_t epoch_ns)
    : settings_(settings), book_(book), root_(root), now_(Instant::from_ns(epoch_ns)) {
  if (root.kind == Root::Kind::acquire) {
    acquire_ = make_acquire(settings, 0, entropy_);
    operation_ = acquire_.get();
    return;
  }
  token_ = root.token;
  query_ = make_query(settings, book, root, 0);
  operation_ = query_.get();
}

std::vector<Emission> MachineTable::Run::start() {
  operation_->start(now_);
  return drain();
}

std::vector<Emission> MachineTable::Run::apply(const Input& input) {
  history_.push_back(input);
  switch (input.kind) {
    case InputKind::tick:
      now_ = now_ + settings_.tick();
      return {};
    case InputKind::on_time:
      operation_->on_time(now_);
      break;
    case InputKind::suspicion:
      operation_->on_suspicion(NodeIndex(input.node), input.attempt);
      return {};
    case InputKind::delay:
      delayed_ = true;
      operation_->on_delay(NodeIndex(input.node), input.attempt,
                           now_ + settings_.tick() * (input.ticks - settings_.answer));
      return {};
    case InputKind::reply:
      count_grant(input);
      operation_->on_reply(NodeIndex(input.node), input.attempt, reply_of(input), now_);
      break;
  }
  return drain();
}

Reply MachineTable::Run::reply_of(const Input& input) const {
  switch (input.heard) {
    case Heard::granted:
      if (acquire_ && settings_.lock == LockKind::stamp) {
        return Reply::granted(Token(book_.stamp(token_, settings_)));
      }
      return Reply::granted();
    case Heard::denied:
      return Reply::denied();
    case Heard::timeout:
      return Reply::unknown(redlock::Fault::timeout, "no answer");
    case Heard::closed:
      return Reply::unknown(redlock::Fault::closed, "closed");
    case Heard::connect:
      break;
  }
  return Reply::unknown(redlock::Fault::connect, "refused");
}

void MachineTable::Run::count_grant(const Input& input) {
  // What comes behind the undo is removed by it.
  if (input.heard != Heard::granted || input.attempt != attempt_ || undone_) return;
  granted_ = byte(granted_ | 1U << input.node);
}

std::vector<Emission> MachineTable::Run::drain() {
  std::vector<Emission> emissions;
  while (const std::optional<Request> request = operation_->next_request()) {
    Emission emission;
    emission.node = byte(request->node.value());
    emission.attempt = byte(request->attempt);
    emission.command = byte(book_.number_of(*request->command));
    emission.answer_ticks = ticks_up(request->answer_by - now_, settings_.tick());
    emission.wants_answer = request->wants_answer;
    if (emission.wants_answer && emission.attempt != attempt_) {
      attempt_ = emission.attempt;
      attempt_start_ = now_;
      granted_ = 0;
      undone_ = false;
      token_ = byte(book_.at(emission.command).token);
    }
    undone_ = undone_ || (!emission.wants_answer && emission.attempt == attempt_);
    emissions.push_back(emission);
  }
  return emissions;
}

Machine MachineTable::Run::snapshot() const {
  Machine machine;
  machine.root = root_;
  machine.history = history_;
  machine.granted = granted_;
  machine.attempt = attempt_;
  machine.token = token_;
  machine.elapsed = ticks_up(now_ - attempt_start_, settings_.tick());
  machine.state = acquire_ ? machine_state(*acquire_, now_) : machine_state(*query_, now_);
  for (std::size_t i = 0; i < static_cast<std::size_t>(settings_.servers); ++i) {
    machine.view[i] = acquire_ ? node_view(*acquire_, i) : node_view(*query_, i);
  }
  if (const Outcome* outcome = operation_->outcome()) {
    machine.done = true;
    machine.decision = outcome->decision;
    // The exact value has been judged before, in wrong_outcome().
    machine.validity = ticks_down(outcome->validity, settings_.tick());
  }
  if (const std::optional<Instant> due = operation_->next_deadline()) {
    machine.due = ticks_up(*due - now_, settings_.tick());
  }
  for (const Byte value :
       {byte(root_.kind), root_.token, byte(root_.accepts_plain), granted_, byte(entropy_.draws()),
        machine.elapsed, attempt_, token_, byte(undone_)}) {
    machine.state.push_back(static_cast<char>(value));
  }
  return machine;
}

std::string MachineTable::Run::wrong() const {
  const Outcome* outcome = operation_->outcome();
  if (outcome != nullptr) return wrong_outcome(*outcome);
  const auto due = operation_->next_deadline();
  if (!due) return "an operation is undecided and waits for nothing";
  const int connecting = delayed_ ? settings_.answer : 0;
  const int longest = std::max(connecting + settings_.answer, settings_.pause);
  if (*due - now_ > settings_.tick() * longest)
    return "an operation waits for longer than its budget";
  if (attempt_ > settings_.attempts) return "more attempts than allowed";
  const Duration elapsed = now_ - attempt_start_;
  const int drift = settings_.drift_ticks();
  const bool in_time = settings_.tick() * (settings_.ttl - drift) > elapsed;
  // A grant that came too late was answered by the deadline, and is not a grant any more.
  const bool majority = 2 * std::popcount(granted_) > settings_.servers;
  if (majority && in_time && acquire_ && elapsed < settings_.tick() * settings_.answer) {
    return "a majority granted in time, and the operation goes on";
  }
  return {};
}

std::string MachineTable::Run::wrong_outcome(const Outcome& outcome) const {
  if (outcome.decision != Decision::granted) return {};
  if (2 * std::popcount(granted_) <= settings_.servers) {
    return "granted without a majority of distinct servers";
  }
  if (root_.kind == Root::Kind::release) return {};
  const int drift = settings_.drift_ticks();
  const bool shorter = root_.kind == Root::Kind::extend && settings_.extend_ttl > 0;
  const Duration ttl = settings_.tick() * (shorter ? settings_.extend_ttl : settings_.ttl);
  // By a twin of the production formula; a ttl of another length has a drift of another length.
  const Duration allowance =
      shorter
          ? Duration::ms(2) + Duration::ns(static_cast<std::int64_t>(
                                  static_cast<double>(ttl.count_ns()) * settings_.drift_factor()))
          : settings_.tick() * drift;
  const Duration left = ttl - allowance - (outcome.decided_at - attempt_start_);
  if (outcome.validity > left) return "the reported validity exceeds ttl - elapsed - drift";
  if (outcome.validity <= Duration()) return "granted without validity";
  const bool stamped = settings_.lock == LockKind::stamp;
  const std::string stored =
      stamped ? book_.stamp(token_, settings_) : std::string(book_.token(token_));
  if (outcome.token.view() != stored) return "the outcome carries another value than was stored";
  return {};
}

}  // namespace redlock::exhaustive
