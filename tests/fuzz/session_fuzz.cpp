// Arbitrary reply bytes in arbitrary slices through a session that awaits commands of every kind.
//
// Claims: every command that was taken is answered exactly once, under the origin that asked; a
// broken session has answered everything, says why, and neither takes nor answers anything more;
// texts keep their bounds.
#include <map>
#include <vector>

#include "commands.hpp"
#include "endpoints.hpp"
#include "input.hpp"
#include "redlock/wire/session.hpp"
#include "require.hpp"

namespace redlock::fuzz {

namespace {

constexpr int kStepsMax = 200;
constexpr std::size_t kFillerBytes = 20'000;

class Run {
 public:
  explicit Run(Input input) : input_(input), session_(endpoint_of(input_.choice()), encoder_) {}

  void run() {
    for (int i = 0; i < kStepsMax && !input_.empty(); ++i) step();
    session_.fail(Fault::closed, "the end", arrivals_);
    check();
    REQUIRE(session_.broken() && open_.empty());
    end();
  }

 private:
  void step() {
    const std::size_t action = input_.choice(16);
    if (action < 6) {
      submit();
    } else if (action < 13) {
      take(input_.text(1U + input_.choice()));
    } else if (action == 13) {
      session_.mark_sent(session_.output().size() / (1 + input_.choice(4)));
    } else if (action == 14 && fillers_++ < 4) {
      take(std::string(kFillerBytes, static_cast<char>(input_.choice())));
    } else if (action == 15 && input_.choice() == 0) {
      session_.fail(Fault::timeout, "no answer", arrivals_);
      check();
    }
  }

  void submit() {
    const std::uint64_t operation = input_.choice(8) == 0 ? 0 : ++last_operation_;
    const Origin origin{operation, NodeIndex(operation % kNodesMax), operation * 3};
    const bool was_broken = session_.broken();
    const bool taken =
        session_.submit(origin, command_of(input_.choice(), operation), Instant::from_ns(1));
    REQUIRE(taken == !was_broken);
    if (taken && operation != 0) open_.emplace(operation, origin);
    // Written at once: a reply to what is not would only end the session.
    static_cast<void>(session_.output());
  }

  void take(std::string_view bytes) {
    const bool was_broken = session_.broken();
    session_.on_bytes(bytes, arrivals_);
    REQUIRE(!was_broken || arrivals_.empty());
    check();
  }

  void check() {
    for (const Arrival& arrival : arrivals_) {
      const auto asked = open_.find(arrival.origin.operation);
      REQUIRE(asked != open_.end());
      REQUIRE(asked->second.node == arrival.origin.node);
      REQUIRE(asked->second.attempt == arrival.origin.attempt);
      const bool unknown = arrival.reply.answer == Answer::unknown;
      REQUIRE(unknown == (arrival.reply.fault != Fault::none));
      REQUIRE(arrival.reply.reason().size() <= (unknown ? kReasonBytesMax + 100 : 0));
      open_.erase(asked);
    }
    arrivals_.clear();
    if (!session_.broken()) return;
    REQUIRE(open_.empty());
    REQUIRE(session_.fault() != Fault::none && !session_.reason().empty());
    REQUIRE(!session_.next_deadline());
  }

  // What a node does with a session that it gives up.
  void end() {
    const auto unsettled = session_.requests().unsettled();
    for (const Refused& one : unsettled) REQUIRE(is_removal(*one.removal));
    if (!unsettled.empty()) session_.submit_last(unsettled.front().removal);
    session_.repeat_removals();
    while (session_.has_output()) session_.mark_sent(session_.output().size());
    REQUIRE(session_.output().empty() && arrivals_.empty());
  }

  Input input_;
  RequestEncoder encoder_;
  Session session_;
  std::vector<Arrival> arrivals_;
  std::map<OperationId, Origin> open_;
  OperationId last_operation_ = 0;
  int fillers_ = 0;
};

}  // namespace

}  // namespace redlock::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  redlock::fuzz::Run(redlock::fuzz::Input(data, size)).run();
  return 0;
}
