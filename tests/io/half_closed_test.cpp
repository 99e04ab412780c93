// Connections that are closed for sending while their server still reads, and closing without a
// reset.
#include <gtest/gtest.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>

#include <array>
#include <cerrno>
#include <memory>
#include <thread>

#include "io/support/descriptors.hpp"
#include "io/support/eventually.hpp"
#include "io/support/loopback.hpp"
#include "redlock/os/half_closed.hpp"
#include "redlock/os/socket.hpp"
#include "support/child.hpp"
#include "support/fake_clock.hpp"
#include "support/system_calls.hpp"

namespace redlock::half_closed_test {
namespace {

using test::eventually;
using test::open_descriptors;

class HalfClosing : public testing::Test {
 protected:
  HalfClosing() : listener_(test::listen_on_loopback(64)) {
    endpoint_.host = "127.0.0.1";
    endpoint_.port = listener_.port;
  }
  ~HalfClosing() override { close(listener_.descriptor); }

  struct Pair {
    ConnectionId ours;
    Descriptor server;
  };
  Pair connected() { return connected(transport_); }
  Pair connected(SocketTransport& transport) {
    const ConnectionId id = transport.open(endpoint_, Instant::never());
    Interest interest{id, {true, true, false}, false, false};
    EXPECT_TRUE(eventually([&] {
      transport.wait(std::span(&interest, 1), Instant());
      return transport.status(id).state == LinkState::connected;
    }));
    Pair pair{id, Descriptor()};
    EXPECT_TRUE(eventually([&] {
      pair.server = Descriptor(accept4(listener_.descriptor, nullptr, nullptr, SOCK_CLOEXEC));
      return pair.server.open();
    }));
    return pair;
  }
  // What a reset would bring about: an error instead of an end.
  static std::string read_to_the_end(const Descriptor& server) {
    std::string text;
    std::array<char, 1024> buffer;
    ssize_t got = 0;
    while ((got = recv(server.number(), buffer.data(), buffer.size(), 0)) > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(got));
    }
    return got == 0 ? text : "reset";
  }
  static bool was_reset(const Descriptor& server) {
    pollfd probe{server.number(), 0, 0};
    poll(&probe, 1, 0);
    return (probe.revents & POLLERR) != 0;
  }
  // As a child has one.
  static std::vector<Descriptor> copies_of_ours(const std::set<int>& before, const Pair& pair) {
    std::vector<Descriptor> copies;
    for (const int number : open_descriptors()) {
      const bool ours = !before.contains(number) && number != pair.server.number();
      if (ours) copies.emplace_back(fcntl(number, F_DUPFD_CLOEXEC, 0));
    }
    EXPECT_EQ(copies.size(), 1U);
    return copies;
  }
  // Any call that opens or half-closes looks after the others.
  void tidy() {
    const Pair other = connected();
    transport_.close(other.ours);
  }

  test::Listener listener_;
  Endpoint endpoint_;
  SystemClock clock_;
  SocketTransport transport_{clock_};
};

TEST_F(HalfClosing, AReplyIsNoReasonToCloseBeforeTheServerHasReadEverything) {
  const Pair pair = connected();
  ASSERT_EQ(transport_.send(pair.ours, "SET\r\nundo").state, IoState::progress);
  transport_.close_behind(pair.ours);
  ASSERT_EQ(write(pair.server.number(), "+OK\r\n", 5), 5);
  tidy();
  // To a closed socket a second reply is answered with a reset.
  ASSERT_EQ(write(pair.server.number(), "+OK\r\n", 5), 5);
  tidy();
  EXPECT_FALSE(was_reset(pair.server));
  EXPECT_EQ(read_to_the_end(pair.server), "SET\r\nundo");
}

// Whoever has told a server more than that must not close before it has read.
TEST_F(HalfClosing, ByTcpAServerReadsSoMuchAtOnceAndOnAUnixSocketNothing) {
  EXPECT_EQ(transport_.read_at_once(connected().ours), kReadAtOnceBytes);
  Endpoint unix_socket;
  unix_socket.unix_path = "/nowhere";
  EXPECT_EQ(transport_.read_at_once(transport_.open(unix_socket, Instant::never())), 0U);
}

// As where a process ends while its server still answers.
TEST_F(HalfClosing, TheEndOfTheTransportBringsNoResetOverOurLastWords) {
  auto ending = std::make_unique<SocketTransport>(clock_);
  const Pair pair = connected(*ending);
  ASSERT_EQ(ending->send(pair.ours, "SET\r\nundo").state, IoState::progress);
  ending->close_behind(pair.ours);
  ASSERT_EQ(write(pair.server.number(), "+OK\r\n", 5), 5);
  ending.reset();
  EXPECT_FALSE(was_reset(pair.server));
  EXPECT_EQ(read_to_the_end(pair.server), "SET\r\nundo");
}

TEST_F(HalfClosing, NorDoesBeingTheOldestPastTheBound) {
  const Pair pair = connected();
  ASSERT_EQ(transport_.send(pair.ours, "SET\r\nundo").state, IoState::progress);
  transport_.close_behind(pair.ours);
  ASSERT_EQ(write(pair.server.number(), "+OK\r\n", 5), 5);
  std::vector<Pair> later;
  for (std::size_t i = 0; i < kHalfClosedMax; ++i) {
    later.push_back(connected());
    transport_.close_behind(later.back().ours);
  }
  EXPECT_FALSE(was_reset(pair.server));
  EXPECT_EQ(read_to_the_end(pair.server), "SET\r\nundo");
}

TEST_F(HalfClosing, OfAResetConnectionTheServerReadsNothingMore) {
  const Pair pair = connected();
  ASSERT_EQ(transport_.send(pair.ours, "SET\r\n").state, IoState::progress);
  transport_.reset(pair.ours);
  ASSERT_TRUE(eventually([&] { return was_reset(pair.server); }));
  EXPECT_EQ(read_to_the_end(pair.server), "reset");
}

TEST_F(HalfClosing, AConnectionWhoseServerHasClosedIsLetGoOf) {
  const std::set<int> before = open_descriptors();
  {
    const Pair pair = connected();
    transport_.close_behind(pair.ours);
    EXPECT_EQ(open_descriptors().size(), before.size() + 2);
  }
  EXPECT_TRUE(eventually([&] {
    tidy();
    return open_descriptors() == before;
  }));
}

TEST_F(HalfClosing, WhoeverWaitsForOthersLetsGoOfItToo) {
  const Pair pair = connected();
  const Pair other = connected();
  const std::size_t before = open_descriptors().size();
  transport_.close_behind(pair.ours);
  shutdown(pair.server.number(), SHUT_WR);
  Interest interest{other.ours, {true, false, false}, false, false};
  EXPECT_TRUE(eventually([&] {
    transport_.wait(std::span(&interest, 1), Instant());
    return open_descriptors().size() == before - 1;
  }));
}

TEST_F(HalfClosing, WhoeverOpensAnotherLetsGoOfItBeforeAnythingIsWaitedFor) {
  Endpoint other;
  other.unix_path = "/nowhere";
  const Pair pair = connected();
  const std::size_t before = open_descriptors().size();
  transport_.close_behind(pair.ours);
  shutdown(pair.server.number(), SHUT_WR);
  EXPECT_TRUE(eventually([&] {
    static_cast<void>(transport_.open(other, Instant::never()));
    return open_descriptors().size() == before - 1;
  }));
}

TEST_F(HalfClosing, AChildThatLetsGoOfItsParentsKeepsNoneOfThem) {
  const std::set<int> before = open_descriptors();
  const Pair pair = connected();
  transport_.close_behind(pair.ours);
  std::set<int> kept = before;
  kept.insert(pair.server.number());
  EXPECT_EQ(test::exit_status_of_child([&] {
              transport_.forget_all();
              return open_descriptors() == kept;
            }),
            0);
  EXPECT_EQ(open_descriptors().size(), kept.size() + 1);
}

// They are not its own, and neither is what their servers have said.
TEST_F(HalfClosing, AChildThatEndsItsParentsTransportWaitsForNoneOfThem) {
  auto ending = std::make_unique<SocketTransport>(clock_);
  const Pair pair = connected(*ending);
  ending->close_behind(pair.ours);
  EXPECT_EQ(test::exit_status_of_child([&] {
              test::SystemCalls calls;
              calls.fail(0, EINTR, "poll");
              ending.reset();
              return !calls.failed();
            }),
            0);
}

TEST_F(HalfClosing, TheServerIsToldTheEndAlsoWhileAChildHoldsACopy) {
  const std::set<int> before = open_descriptors();
  const Pair pair = connected();
  const std::vector<Descriptor> copies = copies_of_ours(before, pair);
  ASSERT_EQ(transport_.send(pair.ours, "undo").state, IoState::progress);
  transport_.close(pair.ours);
  const timeval patience{5, 0};
  setsockopt(pair.server.number(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  EXPECT_EQ(read_to_the_end(pair.server), "undo");
}

TEST_F(HalfClosing, AConnectionIsResetThoughAChildHoldsACopy) {
  const std::set<int> before = open_descriptors();
  const Pair pair = connected();
  const std::vector<Descriptor> copies = copies_of_ours(before, pair);
  ASSERT_EQ(transport_.send(pair.ours, "SET\r\n").state, IoState::progress);
  transport_.reset(pair.ours);
  EXPECT_TRUE(eventually([&] { return was_reset(pair.server); }));
  EXPECT_EQ(read_to_the_end(pair.server), "reset");
}

TEST_F(HalfClosing, PastTheBoundTheOldestIsClosedAndNoOther) {
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i <= kHalfClosedMax; ++i) {
    pairs.push_back(connected());
    ASSERT_EQ(transport_.send(pairs.back().ours, "undo").state, IoState::progress);
    transport_.close_behind(pairs.back().ours);
  }
  for (const Pair& pair : pairs) ASSERT_EQ(write(pair.server.number(), "+OK\r\n", 5), 5);
  EXPECT_TRUE(eventually([&] { return was_reset(pairs.front().server); }));
  for (std::size_t i = 1; i < pairs.size(); ++i) {
    EXPECT_FALSE(was_reset(pairs[i].server)) << i;
    EXPECT_EQ(read_to_the_end(pairs[i].server), "undo") << i;
  }
}

TEST_F(HalfClosing, WhoseServerHasClosedMakesRoomBeforeTheOldest) {
  const Pair last = connected();
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < kHalfClosedMax; ++i) pairs.push_back(connected());
  for (const Pair& pair : pairs) transport_.close_behind(pair.ours);
  const int closing = pairs.back().server.number();
  ASSERT_EQ(shutdown(closing, SHUT_WR), 0);
  ASSERT_TRUE(eventually([&] {
    tcp_info known{};
    socklen_t size = sizeof(known);
    return getsockopt(closing, IPPROTO_TCP, TCP_INFO, &known, &size) == 0 &&
           known.tcpi_state == TCP_CLOSE;
  })) << "our side has its end";
  transport_.close_behind(last.ours);
  ASSERT_EQ(write(pairs.front().server.number(), "+OK\r\n", 5), 5);
  EXPECT_FALSE(was_reset(pairs.front().server));
}

TEST_F(HalfClosing, WhatWasClosedEitherWayIsNoConnectionAnyMore) {
  const Pair one = connected();
  const Pair other = connected();
  transport_.close(one.ours);
  transport_.close_behind(other.ours);
  EXPECT_DEATH(static_cast<void>(transport_.status(one.ours)), "links_");
  EXPECT_DEATH(static_cast<void>(transport_.status(other.ours)), "links_");
}

TEST_F(HalfClosing, NoDescriptorIsClosedTwice) {
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i <= kHalfClosedMax; ++i) {
    pairs.push_back(connected());
    transport_.close_behind(pairs.back().ours);
  }
  // They take the numbers that have become free, and must keep them.
  std::vector<Descriptor> others;
  for (std::size_t i = 0; i < 2 * kHalfClosedMax; ++i) {
    others.emplace_back(fcntl(listener_.descriptor, F_DUPFD_CLOEXEC, 0));
  }
  pairs.clear();
  tidy();
  transport_.forget_all();
  for (const Descriptor& other : others) EXPECT_GE(fcntl(other.number(), F_GETFD), 0);
}

TEST_F(HalfClosing, WhatIsUnreadBringsNoResetOverOurLastWords) {
  const Pair pair = connected();
  const std::string flood(100'000, 'x');
  ASSERT_EQ(write(pair.server.number(), flood.data(), flood.size()),
            static_cast<ssize_t>(flood.size()));
  ASSERT_EQ(transport_.send(pair.ours, "undo").state, IoState::progress);
  transport_.close(pair.ours);
  EXPECT_FALSE(was_reset(pair.server));
  EXPECT_EQ(read_to_the_end(pair.server), "undo");
}

// A server that says more and more must not keep us at it.
TEST(Draining, ThrowsAQuarterOfAMegabyteAwayAndNoMore) {
  std::array<int, 2> pair{};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair.data()), 0);
  const Descriptor ours(pair[0]);
  const Descriptor server(pair[1]);
  const int room = 1 << 20;
  setsockopt(server.number(), SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
  constexpr std::size_t kThrownAway = 256 * 1024;
  const std::string flood(kThrownAway + 20 * 1024, 'x');
  ASSERT_EQ(write(server.number(), flood.data(), flood.size()), static_cast<ssize_t>(flood.size()));
  drain(ours);
  int left = 0;
  ASSERT_EQ(ioctl(ours.number(), FIONREAD, &left), 0);
  EXPECT_EQ(static_cast<std::size_t>(left), flood.size() - kThrownAway);
}

// Reads a little at a time and answers each, as a server does that has much to read, and says how
// often it could.
int answers_until_the_end(int server) {
  std::array<char, 4> some;
  for (int answers = 0;; ++answers) {
    const ssize_t got = recv(server, some.data(), some.size(), 0);
    if (got == 0) return answers;
    if (got < 0 || send(server, "+OK\r\n", 5, MSG_NOSIGNAL) != 5) return -1;
    std::this_thread::yield();
  }
}

TEST(AUnixSocketThatIsHalfClosed, IsReadToItsEndByItsServerBeforeAllIsOver) {
  std::array<int, 2> pair{};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()), 0);
  const std::string removals(200, 'x');
  ASSERT_EQ(write(pair[0], removals.data(), removals.size()), 200);
  HalfClosed closing;
  closing.add(Descriptor(pair[0]));
  int answers = 0;
  std::thread server([&] {
    answers = answers_until_the_end(pair[1]);
    close(pair[1]);
  });
  // It has all the time that it takes.
  test::FakeClock clock;
  closing.close_all(clock);
  server.join();
  EXPECT_EQ(answers, 50);
}

TEST(AUnixSocketThatIsHalfClosed, IsLookedAfterInTurnsThatAreNotCloseTogether) {
  std::array<int, 2> pair{};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()), 0);
  const Descriptor server(pair[1]);
  HalfClosed closing;
  closing.add(Descriptor(pair[0]));
  test::FakeClock clock;
  closing.look(clock.now());
  test::SystemCalls calls;
  calls.fail(0, EINTR, "poll");
  clock.advance(kHalfClosedLook - Duration::ns(1));
  closing.look(clock.now());
  EXPECT_FALSE(calls.failed());
  clock.advance(Duration::ns(1));
  closing.look(clock.now());
  EXPECT_TRUE(calls.failed());
}

// Its time on a processor.
Duration work_of_this_thread() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  const auto microseconds = [](const timeval& time) {
    return Duration::ns((time.tv_sec * 1'000'000 + time.tv_usec) * 1'000);
  };
  return microseconds(usage.ru_utime) + microseconds(usage.ru_stime);
}

TEST(AUnixSocketThatIsHalfClosed, OfAServerThatStandsStillIsClosedSoon) {
  std::array<int, 2> pair{};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()), 0);
  const Descriptor server(pair[1]);
  HalfClosed closing;
  closing.add(Descriptor(pair[0]));
  SystemClock clock;
  const Instant began = clock.now();
  const Duration worked = work_of_this_thread();
  closing.close_all(clock);
  EXPECT_TRUE(closing.empty());
  EXPECT_LT((work_of_this_thread() - worked) * 5, kLastReadMax) << "it sleeps meanwhile";
  EXPECT_GE(clock.now() - began, kLastReadMax);
  EXPECT_LT(clock.now() - began, kLastReadMax * 10);
}

}  // namespace
}  // namespace redlock::half_closed_test
