// The machine that waits for a permit.
#include "redlock/queue/permit_wait.hpp"

#include <algorithm>
#include <utility>

#include "redlock/algorithm/invariant.hpp"
#include "redlock/queue/left_requests.hpp"

namespace redlock {

namespace {

// A slot that is free there and is not tried is free there alone, and may be for long: on a server
// that has restarted empty. When the next one ends it does not say then.
QueuePosition place_in(const PermitView& view) {
  QueuePosition place = view.position;
  if (place.left && *place.left <= Duration()) place.left.reset();
  return place;
}

}  // namespace

PermitWait::PermitWait(AnswerTimes answer_times, PermitKind permit, WaitRequest request,
                       std::shared_ptr<LineMemory> memory, Entropy& entropy)
    : answer_times_(std::move(answer_times)),
      permit_(std::move(permit)),
      request_(std::move(request)),
      memory_(std::move(memory)),
      entropy_(entropy),
      views_(answer_times_->size()),
      news_(answer_times_->size(), Instant()) {}

void PermitWait::start(Instant now) {
  REDLOCK_INVARIANT(phase_ == Phase::fresh);
  started_ = now;
  // In less than an answer's time there may be nobody yet who could be heard.
  const bool waits = request_.wait > std::ranges::max(*answer_times_);
  const Resources line(permit_line_of(request_.resources.only()));
  if (waits && memory_->waited_lately(line, now)) return begin_standing(now);
  search(RetryPolicy::jittered(1, 0), {}, now);
  phase_ = Phase::asking;
}

// What may throw comes first: then the search before is still there, and abort() undoes it.
void PermitWait::search(RetryPolicy retry, std::optional<std::size_t> first, Instant now) {
  auto next = std::make_unique<PermitSearch>(answer_times_, permit_, retry, entropy_, first);
  if (search_) take_over(requests_, [this] { return numbers_.next_of(*search_); });
  next->start(now);
  search_ = std::move(next);
  numbers_.begin_search();
}

void PermitWait::follow(Instant now) {
  const Outcome* const outcome = search_ ? search_->outcome() : nullptr;
  if (phase_ == Phase::done || outcome == nullptr) return;
  if (outcome->decision == Decision::granted || phase_ == Phase::polling) {
    return finish(search_->collect());
  }
  if (phase_ == Phase::asking) {
    const bool in_vain = trouble_.bars(quorum(), outcome->nodes, now);
    if (in_vain || now >= wait_end()) return finish(search_->collect());
    return begin_standing(now);
  }
  for (std::size_t i = 0; i < outcome->nodes.size(); ++i) {
    nodes_[i].note_shortage(outcome->nodes[i].reply);
  }
  views_.forget();
  stand_again(now);
}

// Where it was taken out of a line, at its old place.
void PermitWait::stand_again(Instant now) {
  if (!news_.note_in_vain(quorum(), now)) return;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (news_.is_called(i)) nodes_[i].hurry();
  }
}

void PermitWait::begin_standing(Instant now) {
  Token token = permit_.kind->fresh_token(entropy_);
  const Duration stale_after = Duration::max();
  std::vector<NodeQueueState> nodes;
  for (std::size_t i = 0; i < answer_times_->size(); ++i) {
    nodes.emplace_back(stale_after, search_ ? search_->outcome()->nodes[i] : NodeReport());
  }
  SlotNews news(nodes.size(), now);
  memory_->note_waited(Resources(permit_line_of(request_.resources.only())), now);
  token_ = std::move(token);
  nodes_ = std::move(nodes);
  ticket_ = request_.wall_ms + (memory_->clock_offset() - request_.waited).count_ms();
  look_at_ = now + kTooFewFor;
  news_ = std::move(news);
  phase_ = Phase::standing;
}

void PermitWait::review(Instant now) {
  if (phase_ != Phase::standing) return;
  ended_ = now >= wait_end();
  if (ended_) {
    if (!searches()) leave(now);
    return;
  }
  if (!searches()) {
    if (waits_in_vain(now)) return poll(now);
    if (const auto slot = wanted_slot(now)) search(RetryPolicy::jittered(1, 0), slot, now);
  }
  join_where_due(now);
}

void PermitWait::leave(Instant now) {
  for (NodeQueueState& node : nodes_) node.tell_shortage();
  const auto answered = std::ranges::count_if(nodes_, [](const NodeQueueState& node) {
    return node.report().answered && node.report().reply.answer != Answer::unknown;
  });
  const bool reached = static_cast<std::size_t>(answered) >= quorum().grants();
  finish(reached ? Decision::denied : Decision::unreachable, now);
}

std::optional<std::size_t> PermitWait::wanted_slot(Instant now) {
  if (views_.known() >= quorum().grants()) look_at_ = now + kTooFewFor;
  if (const auto told = news_.take_first()) return told;
  const SlotSet free = views_.free(quorum());
  const std::size_t before = place();
  if (free.count() > before) return nth_free(free, before);
  if (now < look_at_) return std::nullopt;
  look_at_ = now + kTooFewFor;
  return random_between(entropy_, 0, permit_.permits - 1);
}

// As most nodes see it.
std::size_t PermitWait::place() const {
  std::vector<std::size_t> places;
  for (const NodeQueueState& node : nodes_) {
    if (node.position()) places.push_back(static_cast<std::size_t>(node.position()->index));
  }
  std::ranges::sort(places);
  return places.empty() ? 0 : places[(places.size() - 1) / 2];
}

std::size_t PermitWait::count(bool (NodeQueueState::*has)() const) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(nodes_, [has](const NodeQueueState& node) { return (node.*has)(); }));
}

bool PermitWait::cut_off() const {
  return quorum().fails_without(count(&NodeQueueState::troubled));
}

bool PermitWait::waits_in_vain(Instant now) {
  if (quorum().fails_without(count(&NodeQueueState::refused))) return true;
  if (cut_off()) return trouble_.bars(quorum(), reports(), now);
  trouble_ = {};
  return false;
}

void PermitWait::join_where_due(Instant now) {
  bool any = false;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    NodeQueueState& node = nodes_[i];
    // What it was told of is being tried: it stands again only if that fails.
    if (!node.can_join(now) ||
        (news_.is_called(i) && (searches() || now < news_.stands_again_at())))
      continue;
    if (!std::exchange(any, true)) numbers_.next();
    const LineEntry entry{ticket_, node.channel(), numbers_.latest(), ClaimPolicy::observe};
    const Instant answer_by = now + (*answer_times_)[i];
    requests_.push_back({NodeIndex(i), numbers_.latest(),
                         std::make_shared<const Command>(
                             permit_.kind->stand_for_permit(token_, entry, permit_.permits)),
                         answer_by});
    node.note_joined(numbers_.latest(), now, answer_by);
    news_.note_joined(i);
  }
}

void PermitWait::on_subscription(NodeIndex node, const SubscriptionState& subscription_state,
                                 Instant now) {
  if (phase_ != Phase::standing) return;
  nodes_[node.value()].on_subscription(subscription_state, now);
  review(now);
}

bool PermitWait::on_push(NodeIndex node, const Push& push, Instant now) {
  if (phase_ != Phase::standing || push.token != token_) return false;
  if (push.kind == Push::Kind::next) {
    nodes_[node.value()].on_push(push, now);
  } else if (push.kind == Push::Kind::slot) {
    // One whose k is larger may have given it back.
    const bool usable = push.slot < permit_.permits;
    news_.note_told(node, push.slot, usable);
    if (!usable) nodes_[node.value()].hurry();
  }
  review(now);
  return true;
}

void PermitWait::on_reply(NodeIndex node, AttemptNumber attempt, Reply reply, Instant now) {
  if (phase_ == Phase::done) return;
  if (const AttemptNumber asked = numbers_.of_search(attempt); asked != 0) {
    if (!searches()) return;
    search_->on_reply(node, asked, std::move(reply), now);
    follow(now);
  } else if (phase_ == Phase::standing && nodes_[node.value()].awaits(attempt)) {
    const auto* const view = reply.said<std::shared_ptr<const PermitView>>();
    views_.note(node, reply);
    const Reply stands = view ? Reply::denied(place_in(**view)) : std::move(reply);
    nodes_[node.value()].on_reply(attempt, stands, now);
  }
  review(now);
}

void PermitWait::on_time(Instant now) {
  if (phase_ == Phase::done) return;
  for (NodeQueueState& node : nodes_) {
    if (phase_ == Phase::standing) node.on_time(now);
  }
  if (searches()) {
    search_->on_time(now);
    follow(now);
  }
  review(now);
}

void PermitWait::on_suspicion(NodeIndex node, AttemptNumber attempt) {
  if (const AttemptNumber asked = numbers_.of_search(attempt); asked != 0) {
    search_->on_suspicion(node, asked);
  }
}

void PermitWait::on_delay(NodeIndex node, AttemptNumber attempt, Instant connected_by) {
  if (const AttemptNumber asked = numbers_.of_search(attempt); asked != 0) {
    search_->on_delay(node, asked, connected_by);
  } else if (phase_ == Phase::standing) {
    nodes_[node.value()].on_delay(attempt, connected_by + (*answer_times_)[node.value()]);
  }
}

std::vector<NodeReport> PermitWait::outage() const {
  if (phase_ == Phase::polling) return search_->outage();
  return phase_ == Phase::standing && cut_off() ? reports() : std::vector<NodeReport>();
}

std::vector<NodeReport> PermitWait::reports() const {
  std::vector<NodeReport> reports;
  for (const NodeQueueState& node : nodes_) reports.push_back(node.report());
  return reports;
}

void PermitWait::poll(Instant now) {
  refusals_ = reports();
  leave_lines(now);
  const Duration left = std::max(wait_end() - now, Duration());
  search(RetryPolicy::waiting(left, request_.retry_delay_ms), {}, now);
  phase_ = Phase::polling;
}

// What it was told of and has not tried the next waiter is told: to remove a token there that
// nobody has put there does just that.
void PermitWait::leave_lines(Instant now) {
  std::erase_if(requests_, [](const Request& request) { return request.wants_answer; });
  const auto leave = std::make_shared<const Command>(
      LeavePermits{Resources(permit_line_of(request_.resources.only())), token_});
  const AttemptNumber last = numbers_.next();
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (!nodes_[i].may_hold()) continue;
    requests_.push_back({NodeIndex(i), last, leave, now + (*answer_times_)[i], false});
  }
  for (const auto& [node, slot] : news_.told()) {
    const auto pass_on = std::make_shared<const Command>(
        ReleaseAndHandOver{slot_of(request_.resources.only(), slot), token_, false});
    const Instant answer_by = now + (*answer_times_)[node.value()];
    requests_.push_back({node, last, pass_on, answer_by, false});
  }
  news_.forget_told();
}

void PermitWait::abort(Instant now) {
  if (phase_ == Phase::done) return;
  if (search_) search_->abort(now);
  finish(Decision::aborted, now);
}

void PermitWait::finish(Decision decision, Instant now) {
  Outcome outcome;
  outcome.decision = decision;
  outcome.decided_at = now;
  outcome.nodes = reports();
  finish(std::move(outcome));
}

void PermitWait::finish(Outcome outcome) {
  const bool won = outcome.decision == Decision::granted;
  if (won) news_.strike(search_->slot());
  if (phase_ == Phase::standing) leave_lines(outcome.decided_at);
  outcome.quorum = quorum();
  outcome.handed_over = won && news_.told_any();
  outcome.line = std::move(refusals_);
  outcome_ = std::move(outcome);
  phase_ = Phase::done;
}

std::optional<Request> PermitWait::next_request() {
  if (!requests_.empty()) return take_first(requests_);
  return search_ ? numbers_.next_of(*search_) : std::nullopt;
}

std::optional<Instant> PermitWait::next_deadline() const {
  if (phase_ == Phase::fresh || phase_ == Phase::done) return std::nullopt;
  Instant earliest = Instant::never();
  if (searches()) earliest = search_->next_deadline().value_or(Instant::never());
  if (phase_ != Phase::standing) return earliest;
  if (!searches()) earliest = std::min({earliest, wait_end(), look_at_});
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const NodeQueueState& node = nodes_[i];
    const bool called = news_.is_called(i);
    // Once the wait is over nobody is asked any more.
    if (!node.joining() && ((called && searches()) || ended_)) continue;
    const Instant from = called && !node.joining() ? news_.stands_again_at() : Instant();
    earliest = std::min(earliest, std::max(node.next_deadline(), from));
  }
  return earliest;
}

}  // namespace redlock
