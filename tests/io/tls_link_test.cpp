// A stream on a socket: sessions that are taken up again, what the socket does not take, and the
// end.
#include "redlock/os/tls_link.hpp"

#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>

#include "io/support/eventually.hpp"
#include "io/support/tls_redis.hpp"
#include "redlock/os/descriptor.hpp"
#include "support/tls_server.hpp"

namespace redlock::tls_link_test {
namespace {

using test::eventually;
using test::TlsRedis;

class ATlsLink : public testing::Test {
 protected:
  ATlsLink() {
    std::array<int, 2> ends{};
    const int made =
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data());
    EXPECT_EQ(made, 0);
    ours_ = Descriptor(ends[0]);
    theirs_ = Descriptor(ends[1]);
    // As little as the kernel allows.
    const int small = 1;
    setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
    endpoint_.host = "localhost";
    endpoint_.tls.emplace();
    endpoint_.tls->cafile = TlsRedis::cafile();
    endpoint_.password = "Secret1";
  }

  // What the server has said and has not been read.
  [[nodiscard]] std::size_t unread() const {
    int bytes = 0;
    EXPECT_EQ(ioctl(ours_.number(), FIONREAD, &bytes), 0);
    return static_cast<std::size_t>(bytes);
  }
  // Passes on what there is; true when anything was.
  bool pass() {
    std::array<char, 8192> buffer;
    const ssize_t got = recv(theirs_.number(), buffer.data(), buffer.size(), 0);
    if (got > 0) end_.feed(std::string_view(buffer.data(), static_cast<std::size_t>(got)));
    const std::string output = end_.take_output();
    if (!output.empty()) {
      EXPECT_EQ(::send(theirs_.number(), output.data(), output.size(), MSG_NOSIGNAL),
                static_cast<ssize_t>(output.size()));
    }
    return got > 0 || !output.empty();
  }
  void shake(TlsLink& link) {
    do {
      link.shake(ours_.number());
    } while (pass());
  }

  Descriptor ours_;
  Descriptor theirs_;
  Endpoint endpoint_;
  test::TlsServer server_{test::trusted_authority().issue()};
  test::TlsServerEnd end_{server_};
  TlsContexts contexts_;
};

TEST_F(ATlsLink, TellsWhatItWaitsForWhileItShakesHands) {
  TlsLink link(contexts_, endpoint_);
  EXPECT_EQ(link.trouble(), "");
  EXPECT_EQ(link.status().state, LinkState::connecting);
  EXPECT_NE(link.status().reason.find("not a word"), std::string::npos);
  EXPECT_TRUE(link.wants(false).write);
  link.shake(ours_.number());
  EXPECT_FALSE(link.wants(false).write);
  EXPECT_FALSE(link.wants(false).buffered) << "who waits for it would turn round and round";
  pass();
  // The first bytes of an answer, and nothing more.
  shake(link);
  EXPECT_EQ(link.status().state, LinkState::connected);
}

TEST_F(ATlsLink, TheEndOfTheHandshakeLeavesWithTheFirstWords) {
  TlsLink link(contexts_, endpoint_);
  shake(link);
  ASSERT_EQ(link.status().state, LinkState::connected);
  EXPECT_FALSE(end_.open());
  EXPECT_TRUE(link.wants(false).write);
  EXPECT_EQ(link.send(ours_.number(), "PING\r\n").bytes, 6U);
  EXPECT_FALSE(link.wants(false).write);
  pass();
  EXPECT_EQ(end_.heard(), "PING\r\n");
}

TEST_F(ATlsLink, ASingleByteIsMovedEitherWay) {
  TlsLink link(contexts_, endpoint_);
  shake(link);
  EXPECT_EQ(link.send(ours_.number(), "x").bytes, 1U);
  pass();
  EXPECT_EQ(end_.heard(), "x");
  end_.say("y");
  pass();
  std::array<char, 100> buffer;
  EXPECT_EQ(link.receive(ours_.number(), buffer).bytes, 1U);
  EXPECT_EQ(buffer[0], 'y');
}

TEST_F(ATlsLink, OfALongHandshakeATurnReadsAPart) {
  test::CertificateWish wish;
  for (int i = 0; i < 450; ++i) wish.names += ",DNS:" + std::string(200, 'x');
  const test::TlsServer server(test::trusted_authority().issue(wish));
  end_ = test::TlsServerEnd(server);
  TlsLink link(contexts_, endpoint_);
  link.shake(ours_.number());
  pass();
  const std::size_t said = unread();
  constexpr std::size_t kTurn = kTlsFeedsMax * kTlsFeedMax;
  ASSERT_GT(said, kTurn);
  link.shake(ours_.number());
  EXPECT_EQ(unread(), said - kTurn);
  EXPECT_EQ(link.status().state, LinkState::connecting);
  link.shake(ours_.number());
  EXPECT_EQ(link.status().state, LinkState::connected) << link.status().reason;
}

TEST_F(ATlsLink, OfWhatIsNothingToReadATurnReadsAPart) {
  TlsLink link(contexts_, endpoint_);
  shake(link);
  ASSERT_EQ(link.send(ours_.number(), "PING\r\n").state, IoState::progress);
  pass();
  for (int i = 0; i < 2'800; ++i) end_.change_keys();
  end_.say("+OK\r\n");
  pass();
  const std::size_t said = unread();
  constexpr std::size_t kTurn = kTlsFeedsMax * kTlsFeedMax;
  ASSERT_GT(said, kTurn);
  std::array<char, 100> buffer;
  const IoResult nothing = link.receive(ours_.number(), buffer);
  EXPECT_EQ(nothing.state, IoState::blocked);
  EXPECT_EQ(nothing.bytes, 0U);
  EXPECT_EQ(unread(), said - kTurn);
  EXPECT_EQ(link.receive(ours_.number(), buffer).bytes, 5U);
}

TEST_F(ATlsLink, AServerThatTakesNoAnswersIsNotReadUntilItDoes) {
  TlsLink link(contexts_, endpoint_);
  shake(link);
  ASSERT_EQ(link.send(ours_.number(), "PING\r\n").state, IoState::progress);
  pass();
  std::array<char, 100> buffer;
  std::string waiting;
  // Says what the socket takes of it.
  const auto say = [&] {
    waiting += end_.take_output();
    const ssize_t said = ::send(theirs_.number(), waiting.data(), waiting.size(), MSG_NOSIGNAL);
    if (said > 0) waiting.erase(0, static_cast<std::size_t>(said));
    return waiting.empty();
  };
  std::size_t asked = 0;
  while (asked < 50'000 && say()) {
    for (int i = 0; i < 100; ++i, ++asked) end_.ask_for_new_keys();
    EXPECT_EQ(link.receive(ours_.number(), buffer).state, IoState::blocked);
  }
  ASSERT_LT(asked, 50'000U) << "all of it was read";
  end_.say("+OK\r\n");
  EXPECT_TRUE(eventually([&] {
    std::array<char, 8192> answers;
    const ssize_t got = recv(theirs_.number(), answers.data(), answers.size(), 0);
    if (got > 0) end_.feed(std::string_view(answers.data(), static_cast<std::size_t>(got)));
    say();
    return link.receive(ours_.number(), buffer).bytes == 5;
  }));
}

// Of what waits beside a socket that takes nothing: words of ours, and words about new keys, of
// which there may be any number.
class TheBoundOfATlsLink : public ATlsLink {
 protected:
  void begin(TlsLink& link) {
    end_ = test::TlsServerEnd(server_);
    shake(link);
    EXPECT_EQ(link.send(ours_.number(), "x").bytes, 1U);
    pass();
  }
  // Nothing that was sent is taken from the socket.
  IoResult hear(TlsLink& link) {
    const std::string said = end_.take_output();
    EXPECT_EQ(::send(theirs_.number(), said.data(), said.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(said.size()));
    std::array<char, 100> buffer;
    return link.receive(ours_.number(), buffer);
  }
  void leave_waiting(TlsLink& link, std::size_t words) {
    EXPECT_EQ(link.send(ours_.number(), std::string(words, 'x')).bytes, words);
    for (int i = 0; i < 1'100; ++i) end_.ask_for_new_keys();
    EXPECT_EQ(hear(link).state, IoState::blocked);
    EXPECT_EQ(unread(), 0U);
  }
  std::size_t take_all(TlsLink& link) {
    std::array<char, 8192> buffer;
    std::size_t total = 0;
    for (ssize_t got = 1; got > 0; total += static_cast<std::size_t>(got)) {
      link.flush(ours_.number());
      got = std::max<ssize_t>(recv(theirs_.number(), buffer.data(), buffer.size(), 0), 0);
    }
    return total;
  }
  // Whether an answer is read beside so many bytes. How many words are as much as that is tried out
  // beside a socket that takes them.
  bool reads_beside(std::size_t waiting) {
    constexpr std::size_t kSomeWords = 2'000;
    TlsLink flowing(contexts_, endpoint_);
    begin(flowing);
    leave_waiting(flowing, kSomeWords);
    const std::size_t as_much = take_all(flowing);
    TlsLink link(contexts_, endpoint_);
    begin(link);
    while (::send(ours_.number(), "x", 1, MSG_NOSIGNAL) == 1) {
    }
    leave_waiting(link, kSomeWords + waiting - as_much);
    end_.say("+OK\r\n");
    return hear(link).bytes == 5;
  }
};

TEST_F(TheBoundOfATlsLink, IsWhatMayWaitWhileAnswersAreRead) {
  EXPECT_TRUE(reads_beside(kTlsOutputMax));
}

TEST_F(TheBoundOfATlsLink, PassedByOneByteLetsNoAnswersBeRead) {
  EXPECT_FALSE(reads_beside(kTlsOutputMax + 1));
  EXPECT_GT(unread(), 0U) << "nor are they taken from the socket";
}

TEST_F(ATlsLink, AServerThatWantsToShakeHandsAgainIsRefusedAndServedOn) {
  const test::TlsServer server(test::trusted_authority().issue(), {.tls13 = false});
  end_ = test::TlsServerEnd(server);
  TlsLink link(contexts_, endpoint_);
  shake(link);
  pass();
  end_.ask_for_a_new_handshake();
  pass();
  std::array<char, 100> buffer;
  EXPECT_EQ(link.receive(ours_.number(), buffer).state, IoState::blocked);
  EXPECT_EQ(link.send(ours_.number(), "PING\r\n").bytes, 6U);
}

TEST_F(ATlsLink, WhatTheSocketDoesNotTakeWaitsAndNothingFollowsIt) {
  TlsLink link(contexts_, endpoint_);
  shake(link);
  const std::string much(256 * 1024, 'x');
  std::size_t sent = 0;
  IoResult result;
  for (; sent < much.size(); sent += result.bytes) {
    result = link.send(ours_.number(), std::string_view(much).substr(sent));
    if (result.state != IoState::progress) break;
  }
  ASSERT_EQ(result.state, IoState::blocked);
  EXPECT_EQ(result.bytes, 0U);
  ASSERT_LT(sent, much.size());
  EXPECT_TRUE(link.wants(false).write);
  while (pass()) link.flush(ours_.number());
  EXPECT_FALSE(link.wants(false).write);
  // What its user could not send yet.
  EXPECT_TRUE(link.wants(true).write);
  EXPECT_EQ(end_.heard(), much.substr(0, sent));
}

TEST_F(ATlsLink, GoodbyeFollowsWhatWasSent) {
  TlsLink link(contexts_, endpoint_);
  shake(link);
  ASSERT_EQ(link.send(ours_.number(), "DEL r\r\n").state, IoState::progress);
  link.say_goodbye(ours_.number());
  while (pass()) {
  }
  EXPECT_EQ(end_.heard(), "DEL r\r\n");
  EXPECT_TRUE(end_.told_goodbye());
}

TEST_F(ATlsLink, WhereThereWasNoRoomForTheRestTheEndCompletesNothing) {
  TlsLink link(contexts_, endpoint_);
  shake(link);
  const std::string much(256 * 1024, 'x');
  std::size_t sent = 0;
  IoResult result;
  for (; sent < much.size(); sent += result.bytes) {
    result = link.send(ours_.number(), std::string_view(much).substr(sent));
    if (result.state != IoState::progress) break;
  }
  ASSERT_EQ(result.state, IoState::blocked);
  // Now there is room for it.
  pass();
  link.say_goodbye(ours_.number());
  while (pass()) {
  }
  EXPECT_FALSE(end_.told_goodbye());
  EXPECT_LT(end_.heard().size(), sent);
}

TEST_F(ATlsLink, WhereNobodyIsNamedTheSystemsAuthoritiesAreBelieved) {
  endpoint_.tls->cafile.clear();
  // So the system may be told which those are.
  setenv("SSL_CERT_FILE", TlsRedis::cafile().c_str(), 1);
  TlsLink link(contexts_, endpoint_);
  unsetenv("SSL_CERT_FILE");
  shake(link);
  EXPECT_EQ(link.status().state, LinkState::connected) << link.status().reason;
}

TEST_F(ATlsLink, DroppedItSaysNothing) {
  {
    TlsLink link(contexts_, endpoint_);
    shake(link);
    ASSERT_EQ(link.send(ours_.number(), "PING\r\n").state, IoState::progress);
    pass();
  }
  EXPECT_FALSE(pass());
  EXPECT_FALSE(end_.told_goodbye());
}

TEST_F(ATlsLink, WhatCameBeforeTheEndIsReadBeforeIt) {
  TlsLink link(contexts_, endpoint_);
  shake(link);
  ASSERT_EQ(link.send(ours_.number(), "PING\r\n").state, IoState::progress);
  pass();
  end_.say("+PONG\r\n");
  pass();
  theirs_ = Descriptor();
  std::array<char, 100> buffer;
  EXPECT_EQ(link.receive(ours_.number(), buffer).bytes, 7U);
  const IoResult end = link.receive(ours_.number(), buffer);
  EXPECT_EQ(end.state, IoState::ended);
  EXPECT_EQ(end.bytes, 0U);
  EXPECT_EQ(end.fault, Fault::closed);
}

TEST_F(ATlsLink, BehindTheServersGoodbyeNothingIsSent) {
  TlsLink link(contexts_, endpoint_);
  shake(link);
  ASSERT_EQ(link.send(ours_.number(), "PING\r\n").state, IoState::progress);
  pass();
  end_.say_goodbye();
  pass();
  std::array<char, 100> buffer;
  EXPECT_EQ(link.receive(ours_.number(), buffer).state, IoState::ended);
  EXPECT_TRUE(link.wants(false).buffered) << "no polling shows that it has ended";
  const IoResult end = link.send(ours_.number(), "PING\r\n");
  EXPECT_EQ(end.state, IoState::ended);
  EXPECT_EQ(end.reason, "the server closed the connection");
}

TEST_F(ATlsLink, AServerWhoseWordsAreDamagedIsToldSo) {
  TlsLink link(contexts_, endpoint_);
  shake(link);
  ASSERT_EQ(link.send(ours_.number(), "PING\r\n").state, IoState::progress);
  while (pass()) {
  }
  end_.say("+PONG\r\n");
  std::string damaged = end_.take_output();
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  ASSERT_GT(::send(theirs_.number(), damaged.data(), damaged.size(), MSG_NOSIGNAL), 0);
  std::array<char, 100> buffer;
  EXPECT_EQ(link.receive(ours_.number(), buffer).fault, Fault::tls);
  EXPECT_GT(recv(theirs_.number(), buffer.data(), buffer.size(), 0), 0);
}

TEST_F(ATlsLink, SendingToAServerThatHasGoneEnds) {
  TlsLink link(contexts_, endpoint_);
  shake(link);
  theirs_ = Descriptor();
  // The first may count as sent; it can never leave.
  IoResult result = link.send(ours_.number(), "PING\r\n");
  if (result.state == IoState::progress) {
    EXPECT_TRUE(link.wants(false).write);
    result = link.send(ours_.number(), "PING\r\n");
  }
  EXPECT_EQ(result.state, IoState::ended);
  EXPECT_NE(result.reason.find("the connection broke"), std::string::npos);
}

}  // namespace
}  // namespace redlock::tls_link_test
