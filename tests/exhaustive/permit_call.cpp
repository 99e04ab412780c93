// The search, made and told again.
#include "exhaustive/permit_call.hpp"

#include <memory>
#include <utility>

#include "redlock/queue/permit_search.hpp"

namespace redlock::exhaustive {

namespace {

constexpr Instant kBegin = Instant::from_ns(1'000'000'000'000);

// Every draw is another, of each call, and the same in every replay.
class NamedEntropy final : public Entropy {
 public:
  explicit NamedEntropy(std::uint8_t name) : next_(static_cast<std::uint8_t>(name << 4U)) {}
  void fill(std::span<std::byte> bytes) override {
    ++next_;
    for (std::byte& b : bytes) b = static_cast<std::byte>(next_);
  }

 private:
  std::uint8_t next_;
};

}  // namespace

std::string short_token(const Token& token) { return std::string(token.view().substr(0, 2)); }

std::vector<Request> PermitCall::begin(std::uint8_t name, std::size_t first_slot) {
  *this = PermitCall();
  name_ = name;
  first_slot_ = first_slot;
  running_ = true;
  return replay();
}

std::vector<Request> PermitCall::hear(std::size_t node, AttemptNumber attempt, const Reply& reply) {
  return attempt == attempt_ && !pauses_ ? tell({node, attempt, reply}) : std::vector<Request>();
}

std::vector<Request> PermitCall::turn() { return tell({{}, attempt_, {}}); }
std::vector<Request> PermitCall::give_up() { return tell({}); }

std::vector<Request> PermitCall::tell(const Told& told) {
  told_.push_back(told);
  return replay();
}

// What it asks for last is what is new.
std::vector<Request> PermitCall::replay() {
  NamedEntropy entropy(name_);
  const auto times =
      std::make_shared<const std::vector<Duration>>(kPermitServers, Duration::seconds(1));
  const auto kind = std::make_shared<const QuorumKind>(Resource("r"), Duration::seconds(10), 0.01);
  PermitSearch machine(times, {kind, kSlots}, RetryPolicy::jittered(1, 0), entropy, first_slot_);
  Instant now = kBegin;
  machine.start(now);
  std::vector<Request> asked;
  const auto drain = [&] {
    asked.clear();
    while (auto request = machine.next_request()) asked.push_back(*std::move(request));
    for (const Request& request : asked) {
      const auto* const take = std::get_if<TakeSlot>(request.command.get());
      if (take == nullptr) continue;
      attempt_ = request.attempt;
      token_ = short_token(take->token);
    }
  };
  drain();
  pauses_ = false;
  for (const Told& told : told_) {
    if (told.node) {
      machine.on_reply(NodeIndex(*told.node), told.attempt, told.reply, now);
    } else if (told.attempt != 0) {
      now = machine.next_deadline().value();
      machine.on_time(now);
    } else {
      machine.abort(now);
    }
    pauses_ = machine.next_deadline() && *machine.next_deadline() < now + Duration::seconds(1);
    drain();
  }
  if (machine.outcome() != nullptr) outcome_ = *machine.outcome();
  return asked;
}

std::string PermitCall::bytes() const {
  std::string bytes = std::to_string(name_) + '.' + std::to_string(first_slot_) + '.';
  for (const Told& told : told_) {
    if (!told.node) bytes += told.attempt == 0 ? 'x' : 't';
  }
  return bytes + std::to_string(attempt_) + (pauses_ ? "p" : "") + (outcome_ ? "o" : "");
}

std::string PermitCall::bytes_of(std::size_t node) const {
  std::string bytes;
  for (const Told& told : told_) {
    if (told.node != node) continue;
    bytes += std::to_string(told.attempt) + std::to_string(static_cast<int>(told.reply.answer));
    const auto* const view = told.reply.said<std::shared_ptr<const PermitView>>();
    for (std::size_t slot = 0; view != nullptr && slot < kSlots; ++slot) {
      bytes += (*view)->free[slot] ? '1' : '0';
    }
    bytes += ',';
  }
  return bytes;
}

}  // namespace redlock::exhaustive
