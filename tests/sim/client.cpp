// Turns, pauses and death.
#include "sim/client.hpp"

#include <algorithm>

namespace redlock::sim {

namespace {
constexpr std::int64_t kClockStartMaxNs = 1'000'000 * kMs;
}

Client::Client(Scene& scene, std::uint32_t id, std::uint64_t seed)
    : scene_(scene),
      id_(id),
      random_(seed),
      clock_(random_.between(0, kClockStartMaxNs), scene.plan.clients[id].rate_ppm),
      transport_(scene.network, id, scene.plan.has(FaultClass::forgetful_network)) {}

void Client::schedule(std::int64_t at_ns) {
  at_ns = std::max(at_ns, paused_until_ns_);
  if (!alive_ || at_ns >= scheduled_ns_) return;
  scheduled_ns_ = at_ns;
  scene_.queue.add(at_ns, EventKind::client_turn, id_);
}

void Client::take_turn(std::int64_t event_ns) {
  if (!alive_ || exiting_ || event_ns != scheduled_ns_) return;
  scheduled_ns_ = kForever;
  if (scene_.now_ns < paused_until_ns_) return schedule(paused_until_ns_);
  ++turns_;
  if (turns_ == kill_at_) return die();
  if (turns_ == pause_at_) {
    ++scene_.fired[static_cast<std::size_t>(FaultClass::client_pause)];
    paused_until_ns_ = scene_.now_ns + pause_for_ns_;
    call_paused_ns_ += pause_for_ns_;
    note("pauses for " + std::to_string(pause_for_ns_ / kMs) + " ms");
    if (!pause_within_) return schedule(paused_until_ns_);
    // As if the process paused between reading its clock and writing to its sockets.
    sends_from_ns_ = paused_until_ns_;
  }
  act();
  if (!alive_) return;
  if (calling() && transport_.has_unread()) schedule(scene_.now_ns);
  const std::int64_t next_ns = next_turn_ns();
  if (next_ns != kForever) schedule(std::max(next_ns, scene_.now_ns));
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
  ++scene_.fired[static_cast<std::size_t>(FaultClass::client_kill)];
  note("is killed");
  alive_ = false;
  end_hold_story();
  scene_.checker.given_up(id_);
  transport_.die();
  on_death();
}

void Client::exit() {
  ++scene_.fired[static_cast<std::size_t>(FaultClass::clean_exit)];
  note("exits");
  exiting_ = true;
  transport_.block_with([this](Instant until) {
    const bool endless = until == Instant::never();
    return scene_.pump(endless ? kForever : clock_.when(until.since_epoch_ns()));
  });
  on_death();
  transport_.die();
  alive_ = false;
  exited_ = true;
  note("is gone");
}

void Client::begin_call() {
  call_began_ns_ = local_now();
  call_paused_ns_ = std::max<std::int64_t>(0, paused_until_ns_ - scene_.now_ns);
  scene_.checker.begins(id_);
}

void Client::end_call(std::int64_t budget_ns) {
  deadline_ns_ = 0;
  // A pause is counted in true time, the call on the client's own clock.
  const std::int64_t paused_ns = scene_.plan.drifted_ns(call_paused_ns_);
  scene_.checker.returned(id_, local_now() - call_began_ns_, paused_ns, budget_ns);
}

void Client::note(const std::string& text) {
  if (scene_.trace.story() == nullptr) return;
  scene_.trace.note(scene_.now_ns, "client " + std::to_string(id_) + " " + text);
}

void Client::begin_hold_story(std::int64_t until_ns) {
  Story* story = scene_.trace.story();
  if (story == nullptr) return;
  end_hold_story();
  story->spans.push_back({scene_.now_ns, until_ns, false, id_, false, "holds"});
  hold_span_ = story->spans.size();
}

void Client::end_hold_story() {
  Story* story = scene_.trace.story();
  if (story == nullptr || hold_span_ == 0) return;
  StorySpan& span = story->spans[hold_span_ - 1];
  span.until_ns = std::min(span.until_ns, scene_.now_ns);
  hold_span_ = 0;
}

}  // namespace redlock::sim
