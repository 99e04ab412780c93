// What a TLS server may send through the stream: a real handshake, held back, sliced, damaged,
// interrupted by other bytes and cut off. What is read was said, whatever happened on the way.
#include <openssl/ssl.h>

#include <array>
#include <string>

#include "input.hpp"
#include "require.hpp"
#include "support/tls_pair.hpp"

namespace redlock::fuzz {

namespace {

// Records have a head and an end of their own.
constexpr std::size_t kOutputMax = kTlsOutputMax + kTlsFeedMax + kTlsRecordMax + 1024;

// Made once: keys take longer than all the rest.
struct World {
  test::Certificate authority = test::Certificate::authority();
  test::Certificate shown = authority.issue();
  std::shared_ptr<SSL_CTX> context = test::client_context(authority);
  test::TlsServer newer{shown};
  test::TlsServer older{shown, {.tls13 = false, .clients = nullptr}};
  test::TlsServer strict{shown, {.tls13 = true, .clients = &authority}};
};

class Talk {
 public:
  Talk(const World& world, const test::TlsServer& server, const std::string& name)
      : pair_(*world.context, server, {}, name) {}

  void act(Input& input) {
    switch (input.choice(11)) {
      case 0:
        return pair_.pass_to_server();
      case 1:
        on_the_way_ += pair_.theirs.take_output();
        return;
      case 2:
        return feed(on_the_way_.size());
      case 3:
        return feed(1U + input.choice());
      case 4:
        return damage(input);
      case 5:
        on_the_way_ += input.text(input.choice(64));
        return;
      case 6:
        return say(input.text(input.choice()));
      case 7:
        return read(1U + input.choice());
      case 8:
        return write(input.text(input.choice()));
      case 9:
        if (pair_.theirs.open()) pair_.theirs.ask_for_new_keys();
        return;
      default:
        return input.choice(2) == 0 ? pair_.ours.note_end("cut off") : pair_.ours.say_goodbye();
    }
  }
  void check() {
    const TlsStream& ours = pair_.ours;
    const bool ended = ours.state() == TlsStream::State::ended;
    REQUIRE(ended == (ours.fault() != Fault::none) && ended == !ours.reason().empty());
    REQUIRE(ours.output().size() <= kOutputMax);
    REQUIRE(ours.state() == TlsStream::State::open || !ours.buffered());
    REQUIRE(said_.starts_with(read_));
    REQUIRE(written_.starts_with(pair_.theirs.heard()));
  }

 private:
  void feed(std::size_t size) {
    const std::string part = on_the_way_.substr(0, std::min(size, kTlsFeedMax));
    on_the_way_.erase(0, part.size());
    pair_.ours.feed(part);
  }
  void damage(Input& input) {
    const std::size_t at = input.choice() * 8U + input.choice(8);
    if (at < on_the_way_.size()) on_the_way_[at] = static_cast<char>(on_the_way_[at] ^ 0x11);
  }
  void say(std::string_view plain) {
    if (!pair_.theirs.open() || pair_.theirs.told_goodbye() || plain.empty()) return;
    if (!pair_.theirs.try_to_say(plain)) return;
    said_ += plain;
  }
  void read(std::size_t size) {
    std::array<char, 256> buffer;
    read_.append(buffer.data(),
                 pair_.ours.read(std::span(buffer.data(), std::min(size, buffer.size()))));
  }
  void write(std::string_view plain) { written_ += plain.substr(0, pair_.ours.write(plain)); }

  test::TlsPair pair_;
  std::string on_the_way_;
  std::string said_;
  std::string read_;
  std::string written_;
};

}  // namespace

void talk(Input input) {
  static const World kWorld;
  const std::array servers{&kWorld.newer, &kWorld.older, &kWorld.strict};
  const test::TlsServer& server = *servers[input.choice(servers.size())];
  Talk talk(kWorld, server, input.choice(8) == 0 ? "elsewhere" : "localhost");
  for (int turn = 0; turn < 64 && !input.empty(); ++turn) {
    talk.act(input);
    talk.check();
  }
}

}  // namespace redlock::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  redlock::fuzz::talk(redlock::fuzz::Input(data, size));
  return 0;
}
