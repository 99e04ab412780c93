// The documents' steps as a state machine.
#include "sim/legacy_client.hpp"

#include <array>
#include <charconv>
#include <optional>

#include "redlock/wire/codec.hpp"
#include "sim/world_time.hpp"

namespace redlock::sim {

namespace {

constexpr std::int64_t kReleaseBufferMs = 3;
constexpr std::string_view kKey = "lock";

// PHP's comparison of a number with a reply: nil and nonsense count as 0.
std::int64_t as_number(const RespValue& value) {
  std::int64_t number = 0;
  std::from_chars(value.text.data(), value.text.data() + value.text.size(), number);
  return number;
}

class LegacyClient final : public Client {
 public:
  LegacyClient(Scene& scene, std::uint32_t id, std::uint64_t seed)
      : Client(scene, id, seed),
        clock_start_ns_(clock_.at(0)),
        cycles_left_(behaviour().cycles),
        act_at_ns_(behaviour().start_ns) {
    schedule(act_at_ns_);
  }
  [[nodiscard]] bool idle(std::uint32_t /*resource*/) const override {
    return step_ == Step::resting;
  }
  [[nodiscard]] bool finished() const override {
    return step_ == Step::resting && cycles_left_ == 0;
  }

 private:
  enum class Step { resting, setnx, get, getset, working, release_get, release_del };

  void act() override;
  std::int64_t next_turn_ns() override { return act_at_ns_; }
  [[nodiscard]] bool calling() const override {
    return step_ != Step::resting && step_ != Step::working;
  }
  void on_death() override {}

  void ask(Step step, std::initializer_list<std::string_view> words);
  void flush();
  [[nodiscard]] std::optional<RespValue> answer();
  void take(const RespValue& value);
  void begin_attempt();
  void fail_attempt();
  void win();
  void give_up_cycle();
  void rest();
  [[nodiscard]] std::int64_t wall_ms() const {
    const std::int64_t wrong_by_ns = behaviour().clock_skew_ns + wall_step_ns_;
    return (local_now() - clock_start_ns_ + kWallStartNs + wrong_by_ns) / kMs;
  }

  std::int64_t clock_start_ns_;
  std::uint32_t cycles_left_;
  std::int64_t act_at_ns_;
  Step step_ = Step::resting;
  std::int64_t attempts_left_ = 0;
  std::int64_t asked_at_ms_ = 0;
  std::int64_t stamp_ms_ = 0;
  ConnectionId connection_ = 0;
  std::string unsent_;
  RespReader reader_;
};

void LegacyClient::ask(Step step, std::initializer_list<std::string_view> words) {
  step_ = step;
  act_at_ns_ = kForever;
  if (connection_ == 0) {
    connection_ = transport_.open(endpoint_of(0), Instant::never());
    reader_ = RespReader();
    unsent_.clear();
  }
  append_command(unsent_, std::span(words.begin(), words.size()));
  flush();
}

void LegacyClient::flush() {
  if (connection_ == 0 || transport_.status(connection_).state != LinkState::connected) return;
  while (!unsent_.empty()) {
    const IoResult sent = transport_.send(connection_, unsent_);
    if (sent.state != IoState::progress) return;
    unsent_.erase(0, sent.bytes);
  }
}

std::optional<RespValue> LegacyClient::answer() {
  std::array<char, 4096> bytes;
  for (;;) {
    const IoResult result = transport_.receive(connection_, bytes);
    if (result.state == IoState::blocked) break;
    if (result.state == IoState::ended) {
      transport_.close(connection_);
      connection_ = 0;
      break;
    }
    reader_.feed({bytes.data(), result.bytes});
  }
  std::optional<RespValue> value = reader_.next();
  // A RedisException leaves the documents' functions.
  const bool refused = value && value->kind == RespKind::error;
  if (refused || (!value && connection_ == 0) || !reader_.error().empty()) {
    give_up_cycle();
    return std::nullopt;
  }
  return value;
}

void LegacyClient::act() {
  if (step_ == Step::resting) {
    if (act_at_ns_ > scene_.now_ns) return;
    if (cycles_left_ == 0) {
      act_at_ns_ = kForever;
      return;
    }
    --cycles_left_;
    attempts_left_ = behaviour().attempts;
    return begin_attempt();
  }
  if (step_ == Step::working) {
    if (act_at_ns_ > scene_.now_ns) return;
    end_hold_story(0);
    scene_.checker.given_up(id_);
    if (!behaviour().releases) return rest();
    note("releases (legacy)");
    return ask(Step::release_get, {"GET", kKey});
  }
  // A pause between two attempts.
  if (act_at_ns_ <= scene_.now_ns) return begin_attempt();
  if (connection_ == 0) return;
  flush();
  while (const std::optional<RespValue> value = answer()) take(*value);
}

void LegacyClient::begin_attempt() {
  --attempts_left_;
  asked_at_ms_ = wall_ms();
  stamp_ms_ = asked_at_ms_ + behaviour().ttl_ms + scene_.plan.buffer_ms;
  note("asks for the lock (legacy)");
  ask(Step::setnx, {"SETNX", kKey, std::to_string(stamp_ms_)});
}

void LegacyClient::take(const RespValue& value) {
  switch (step_) {
    case Step::setnx:
      if (value.integer == 1) return win();
      return ask(Step::get, {"GET", kKey});
    case Step::get:
      if (asked_at_ms_ <= as_number(value)) return fail_attempt();
      return ask(Step::getset, {"GETSET", kKey, std::to_string(stamp_ms_)});
    case Step::getset:
      if (asked_at_ms_ <= as_number(value)) return fail_attempt();
      return win();
    case Step::release_get:
      if (as_number(value) != 0 && as_number(value) - wall_ms() > kReleaseBufferMs) {
        return ask(Step::release_del, {"DEL", kKey});
      }
      return rest();
    case Step::release_del:
      return rest();
    default:
      return;
  }
}

void LegacyClient::win() {
  step_ = Step::working;
  const std::int64_t left_ms = stamp_ms_ - scene_.plan.buffer_ms - wall_ms();
  const std::int64_t until_ns = scene_.now_ns + left_ms * kMs;
  act_at_ns_ = scene_.now_ns + behaviour().hold_ms * kMs;
  if (left_ms <= 0) return;
  note("holds the lock (legacy)");
  scene_.checker.granted(id_, std::to_string(stamp_ms_), until_ns);
  begin_hold_story(0, until_ns);
}

void LegacyClient::fail_attempt() {
  if (attempts_left_ <= 0) return rest();
  act_at_ns_ = scene_.now_ns + behaviour().pause_ms * kMs;
}

void LegacyClient::give_up_cycle() {
  if (connection_ != 0) transport_.close(connection_);
  connection_ = 0;
  rest();
}

void LegacyClient::rest() {
  step_ = Step::resting;
  act_at_ns_ = scene_.now_ns + random_.between(0, 10 * kMs);
}

}  // namespace

std::unique_ptr<Client> make_legacy_client(Scene& scene, std::uint32_t id, std::uint64_t seed) {
  return std::make_unique<LegacyClient>(scene, id, seed);
}

}  // namespace redlock::sim
