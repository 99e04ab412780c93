// Turns, pauses and death.
#include "sim/client.hpp"

#include <algorithm>
#include <utility>

namespace redlock::sim {

namespace {
constexpr std::int64_t kClockStartMaxNs = 1'000'000 * kMs;
constexpr std::uint64_t kStepsStream = 77;
}  // namespace

Client::Client(Scene& scene, std::uint32_t id, std::uint64_t seed)
    : scene_(scene),
      id_(id),
      random_(seed),
      clock_(random_.between(0, kClockStartMaxNs), scene.plan.clients[id].rate_ppm),
      time_(scene.now_ns, mix64(seed + kStepsStream)),
      transport_(scene.network, id, scene.plan.has(FaultClass::forgetful_network), time_) {}

void Client::schedule(std::int64_t at_ns) {
  at_ns = std::max(at_ns, paused_until_ns_);
  if (!alive_ || at_ns >= scheduled_ns_) return;
  scheduled_ns_ = at_ns;
  scene_.queue.add(at_ns, EventKind::client_turn, id_);
}

void Client::take_turn(std::int64_t event_ns) {
  if (!alive_ || event_ns != scheduled_ns_) return;
  scheduled_ns_ = kForever;
  // It is seeing to something else, and looks again behind that.
  if (blocking_) return;
  if (scene_.now_ns < paused_until_ns_) return schedule(paused_until_ns_);
  const InProcess process(mark_);
  ++turns_;
  if (turns_ == kill_at_) return die();
  if (turns_ == pause_at_) {
    pause_if_armed();
    if (!pause_within_) return schedule(paused_until_ns_);
    // As if the process paused between reading its clock and writing to its sockets.
    sends_from_ns_ = paused_until_ns_;
  }
  if (turns_ == fork_at_) {
    forks_in_wait_ ? transport_.interrupt(1, [this] { fork(); }) : fork();
  }
  if (turns_ >= give_up_at_ && give_up_at_ > 0 && calling()) {
    give_up_at_ = 0;
    fired(FaultClass::gives_up);
    give_up_call();
  }
  if (turns_ >= request_end_at_ && request_end_at_ > 0 && may_end_request()) {
    request_end_at_ = 0;
    fired(FaultClass::request_end);
    end_request();
  }
  if (alive_ && std::exchange(crowd_due_, false)) begin_crowd();
  if (alive_) act();
  let_pass();
  if (!alive_) return;
  if (calling() && (transport_.has_unread() || transport_.take_interrupted())) {
    schedule(scene_.now_ns);
  }
  const std::int64_t next_ns = next_turn_ns();
  if (next_ns != kForever) schedule(std::max(next_ns, scene_.now_ns));
}

void Client::let_pass() {
  paused_until_ns_ = std::max(paused_until_ns_, time_.now_ns());
  steps_ns_ += time_.ahead_ns;
  time_.ahead_ns = 0;
}

void Client::stand_still(std::int64_t for_ns) {
  paused_until_ns_ = scene_.now_ns + for_ns;
  paused_ns_ += for_ns;
  scene_.checker.troubled(paused_until_ns_);
}

void Client::pause_if_armed() {
  fired(FaultClass::client_pause);
  stand_still(pause_for_ns_);
  transport_.stand_still(paused_until_ns_);
  note("pauses for " + std::to_string(pause_for_ns_ / kMs) + " ms");
}

void Client::arm_pause(std::uint64_t turns_ahead, std::int64_t for_ns, bool within_step) {
  pause_at_ = turns_ + turns_ahead;
  pause_for_ns_ = for_ns;
  pause_within_ = within_step;
}

void Client::step_wall_clock(std::int64_t by_ns) {
  wall_step_ns_ += by_ns;
  note("has its wall clock set by " + std::to_string(by_ns / kMs) + " ms");
}

void Client::die() {
  const bool silent = death_ == Death::silent;
  fired(silent ? FaultClass::power_cut : FaultClass::client_kill);
  note(silent ? "loses its power" : "is killed");
  alive_ = false;
  end_holds();
  if (silent) scene_.network.cut_off(id_);
  transport_.die();
  on_death();
}

void Client::end_holds() {
  for (std::uint32_t i = 0; i < scene_.plan.resources; ++i) end_hold_story(i);
  scene_.checker.all_given_up(id_);
}

void Client::exit() {
  fired(FaultClass::clean_exit);
  note("exits");
  end_holds();
  run_blocking([this] { on_death(); });
  transport_.die();
  alive_ = false;
  exited_ = true;
  note("is gone");
}

void Client::run_blocking(const std::function<void()>& run) {
  const InProcess process(mark_);
  blocking_ = true;
  transport_.block_with([this](Instant until) {
    const bool endless = until == Instant::never();
    const bool more = scene_.pump(endless ? kForever : clock_.when(until.since_epoch_ns()));
    // The world has gone on meanwhile.
    time_.ahead_ns = 0;
    return more;
  });
  run();
  transport_.block_with(nullptr);
  blocking_ = false;
  schedule(scene_.now_ns);
}

void Client::arm_fork(std::uint64_t turns_ahead, bool in_wait) {
  fork_at_ = turns_ + turns_ahead;
  forks_in_wait_ = in_wait;
}

void Client::fork() {
  fired(FaultClass::forks);
  note("forks, and its child goes on");
  ++mark_.fork_count;
  scene_.checker.falls_silent(id_);
  end_holds();
  scene_.removals.inherit(id_, scene_.network.connection_count());
  transport_.inherit();
  become_child();
}

void Client::interrupt(int times) {
  if (!alive_ || blocking_ || !calling()) return;
  transport_.interrupt(times, [this] { fired(FaultClass::signals); });
  wake();
}

// A timer that had so long to go has still so long to go.
void Client::suspend(std::int64_t for_ns) {
  if (!alive_ || blocking_ || paused_until_ns_ > scene_.now_ns) return;
  fired(FaultClass::suspends);
  note("sleeps for " + std::to_string(for_ns / kMs) + " ms, machine and all");
  time_.asleep_ns += for_ns;
  stand_still(for_ns);
  // Between calls it looks before it sends.
  if (calling()) transport_.stand_still(paused_until_ns_);
  if (scheduled_ns_ == kForever) return;
  const std::int64_t due_ns = std::max(scheduled_ns_, scene_.now_ns) + for_ns;
  scheduled_ns_ = kForever;
  schedule(due_ns);
}

void Client::begin_call(std::uint32_t resource, bool waits) {
  // A pause that goes on is the call's too.
  const std::int64_t pause_left_ns = std::max<std::int64_t>(0, paused_until_ns_ - scene_.now_ns);
  calls_[resource] = {local_now(), paused_ns_ - pause_left_ns, steps_ns_ + time_.ahead_ns};
  scene_.checker.begins({id_, resource}, waits);
}

void Client::end_call(std::uint32_t resource, std::int64_t budget_ns) {
  deadline_ns_ = 0;
  const Call& call = calls_[resource];
  // A pause is counted in true time, the call on the client's own clock.
  const std::int64_t paused_ns = scene_.plan.drifted_ns(paused_ns_ - call.paused_ns);
  const std::int64_t steps_ns = scene_.plan.drifted_ns(steps_ns_ + time_.ahead_ns - call.steps_ns);
  scene_.checker.returned({id_, resource}, local_now() - call.began_ns, paused_ns,
                          budget_ns + steps_ns);
}

void Client::leave_call(std::uint32_t resource) {
  deadline_ns_ = 0;
  scene_.checker.returned({id_, resource}, 0, 0, 0);
}

void Client::note(const std::string& text) {
  if (scene_.trace.story() == nullptr) return;
  scene_.trace.note(scene_.now_ns, "client " + std::to_string(id_) + " " + text);
}

void Client::begin_hold_story(std::uint32_t resource, std::int64_t until_ns) {
  Story* story = scene_.trace.story();
  if (story == nullptr) return;
  end_hold_story(resource);
  const std::string text = resource == 0 ? "holds" : "holds " + resource_name(resource);
  story->spans.push_back({scene_.now_ns, until_ns, false, id_, false, text});
  hold_spans_[resource] = story->spans.size();
}

void Client::end_hold_story(std::uint32_t resource) {
  Story* story = scene_.trace.story();
  if (story == nullptr || hold_spans_[resource] == 0) return;
  StorySpan& span = story->spans[hold_spans_[resource] - 1];
  span.until_ns = std::min(span.until_ns, scene_.now_ns);
  hold_spans_[resource] = 0;
}

}  // namespace redlock::sim
