// Arbitrary bytes in arbitrary slices through a subscription that is pinged now and then.
//
// Claims: each push is one that can be parsed, and none comes behind the end; a sign of life is
// only asked for once the channel is confirmed; what waits to be sent stays small; a broken one
// says why, and wants nothing more.
#include <vector>

#include "endpoints.hpp"
#include "input.hpp"
#include "redlock/wire/subscription.hpp"
#include "require.hpp"

namespace redlock::fuzz {

namespace {

constexpr int kStepsMax = 200;
constexpr std::size_t kUnsentMax = 512;
const std::string kChannel = "redlock:0";

class Run {
 public:
  explicit Run(Input input)
      : input_(input), variant_(input_.choice()), subscription_(endpoint_of(variant_), kChannel) {}

  void run() {
    for (int i = 0; i < kStepsMax && !input_.empty(); ++i) step();
    subscription_.fail(Fault::closed, "the end", pushes_);
    REQUIRE(subscription_.broken() && !subscription_.confirmed());
    REQUIRE(subscription_.fault() != Fault::none && !subscription_.reason().empty());
    REQUIRE(!subscription_.next_deadline());
    take("*3\r\n$7\r\nmessage\r\n$9\r\nredlock:0\r\n$13\r\ngranted 1 tok\r\n");
    REQUIRE(pushes_.empty());
  }

 private:
  void step() {
    const std::size_t action = input_.choice(8);
    if (action < 5) {
      take(input_.text(1U + input_.choice()));
    } else if (action == 5) {
      send(subscription_.output().size() / (1 + input_.choice(4)));
    } else if (action == 6) {
      confirm();
    } else {
      subscription_.ping(Instant::from_ns(1));
      REQUIRE(subscription_.next_deadline().has_value() <= subscription_.confirmed());
    }
  }

  void send(std::size_t size) {
    if (size > 0) subscription_.mark_sent(size);
    REQUIRE(subscription_.output().size() <= kUnsentMax);
  }

  // So that what is behind it is reached.
  void confirm() {
    send(subscription_.output().size());
    for (unsigned bit = 1; bit <= 8; bit *= 2) {
      if (bit != 2 && (variant_ & bit) != 0) take("+OK\r\n");
    }
    send(subscription_.output().size());
    take("*3\r\n$9\r\nsubscribe\r\n$9\r\nredlock:0\r\n:1\r\n");
  }

  void take(std::string_view bytes) {
    const bool was_broken = subscription_.broken();
    subscription_.on_bytes(bytes, pushes_);
    REQUIRE(pushes_.empty() || !was_broken);
    for (const Push& push : pushes_) REQUIRE(!push.token.empty());
    if (subscription_.broken()) {
      REQUIRE(subscription_.reason().size() <= kReasonBytesMax + 100);
      REQUIRE(!subscription_.next_deadline());
    }
    pushes_.clear();
  }

  Input input_;
  unsigned variant_;
  Subscription subscription_;
  std::vector<Push> pushes_;
};

}  // namespace

}  // namespace redlock::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  redlock::fuzz::Run(redlock::fuzz::Input(data, size)).run();
  return 0;
}
