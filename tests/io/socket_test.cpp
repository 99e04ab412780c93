// The system calls: what a peer, a signal or another program must not be able to do to us.
#include "redlock/os/socket.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <ctime>
#include <set>

#include "io/support/eventually.hpp"
#include "io/support/name_server.hpp"
#include "io/support/silent_address.hpp"
#include "io/support/temp_folder.hpp"
#include "support/system_calls.hpp"

namespace redlock::socket_test {
namespace {

// A listener on a free port of this machine, which answers nothing by itself.
class SocketTest : public testing::Test {
 protected:
  SocketTest() : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(name);
    auto* address = reinterpret_cast<sockaddr*>(&name);
    EXPECT_EQ(bind(listener_, address, size), 0);
    EXPECT_EQ(listen(listener_, 8), 0);
    EXPECT_EQ(getsockname(listener_, address, &size), 0);
    endpoint_.host = "127.0.0.1";
    endpoint_.port = ntohs(name.sin_port);
  }
  ~SocketTest() override { ::close(listener_); }

  ConnectionId connected() {
    const ConnectionId id = transport_.open(endpoint_, Instant::never());
    while (transport_.status(id).state == LinkState::connecting) wait_for(id, true);
    EXPECT_EQ(transport_.status(id).state, LinkState::connected);
    return id;
  }
  // How often it polls for an answer to what it has sent, at least: one more, and it would fail.
  static bool polls_at_least(int times, SocketTransport& transport, const Endpoint& endpoint,
                             Duration span) {
    SystemClock clock;
    const ConnectionId id = transport.open(endpoint, Instant::never());
    Interest interest{id, {true, true, false}, false, false};
    while (transport.status(id).state == LinkState::connecting) {
      transport.wait(std::span(&interest, 1), clock.now() + Duration::seconds(10));
    }
    EXPECT_EQ(transport.send(id, "PING\r\n").state, IoState::progress);
    interest = {id, {true, false, false}, false, false};
    test::SystemCalls calls;
    calls.fail(static_cast<std::size_t>(times - 1), EINTR, "ppoll");
    transport.wait(std::span(&interest, 1), clock.now() + span);
    return calls.failed();
  }
  Woken wait_for(ConnectionId id, bool want_write, Duration span = Duration::seconds(10)) {
    interest_ = {id, {true, want_write, false}, false, false};
    return transport_.wait(std::span(&interest_, 1), clock_.now() + span);
  }
  // Who polls so often meanwhile is busy with it.
  bool sleeps_for(SocketTransport& transport, ConnectionId id, Duration span) {
    test::SystemCalls calls;
    calls.fail(50, EINTR, "ppoll");
    for (const Instant until = clock_.now() + span; clock_.now() < until;) {
      Interest interest{id, {true, false, false}, false, false};
      transport.wait(std::span(&interest, 1), until);
    }
    return !calls.failed();
  }
  static std::set<int> descriptors() {
    std::set<int> open;
    for (int i = 0; i < 1024; ++i) {
      if (fcntl(i, F_GETFD) >= 0) open.insert(i);
    }
    return open;
  }

  int listener_;
  Endpoint endpoint_;
  SystemClock clock_;
  SocketTransport transport_{clock_};
  Interest interest_;
};

TEST_F(SocketTest, WritingToAPeerThatIsGoneRaisesNoSignal) {
  const ConnectionId id = connected();
  const int peer = accept(listener_, nullptr, nullptr);
  const linger reset{1, 0};
  setsockopt(peer, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
  ::close(peer);
  // The first write may be what learns of the reset; the next one meets a broken pipe.
  IoState state = IoState::progress;
  for (int i = 0; i < 100 && state != IoState::ended; ++i) {
    wait_for(id, true);
    state = transport_.send(id, "PING\r\n").state;
  }
  EXPECT_EQ(state, IoState::ended);
  EXPECT_EQ(transport_.send(id, "PING\r\n").state, IoState::ended);
  transport_.close(id);
}

TEST_F(SocketTest, ConnectionsAreNotInheritedByOtherPrograms) {
  const std::set<int> before = descriptors();
  const ConnectionId id = connected();
  int fresh = 0;
  for (const int descriptor : descriptors()) {
    if (before.contains(descriptor)) continue;
    ++fresh;
    EXPECT_NE(fcntl(descriptor, F_GETFD) & FD_CLOEXEC, 0);
    EXPECT_NE(fcntl(descriptor, F_GETFL) & O_NONBLOCK, 0);
  }
  EXPECT_EQ(fresh, 1);
  transport_.close(id);
}

TEST_F(SocketTest, AnAnswerWakesTheWait) {
  const ConnectionId id = connected();
  const int peer = accept(listener_, nullptr, nullptr);
  EXPECT_EQ(write(peer, "+OK\r\n", 5), 5);
  EXPECT_EQ(wait_for(id, false), Woken::ready);
  EXPECT_TRUE(interest_.readable);
  std::array<char, 16> into;
  EXPECT_EQ(transport_.receive(id, into).bytes, 5U);
  EXPECT_EQ(transport_.receive(id, into).state, IoState::blocked);
  ::close(peer);
  transport_.close(id);
}

TEST_F(SocketTest, AReceiveThatASignalInterruptsBeginsAgain) {
  const ConnectionId id = connected();
  const int peer = accept(listener_, nullptr, nullptr);
  EXPECT_EQ(write(peer, "+OK\r\n", 5), 5);
  EXPECT_EQ(wait_for(id, false), Woken::ready);
  std::array<char, 16> into;
  test::SystemCalls calls;
  calls.fail(0, EINTR, "recv");
  EXPECT_EQ(transport_.receive(id, into).bytes, 5U);
  EXPECT_TRUE(calls.failed());
  ::close(peer);
  transport_.close(id);
}

TEST_F(SocketTest, WhoConnectsSleepsUntilThereIsNews) {
  const test::SilentAddress silent(2, 0);
  Endpoint endpoint = endpoint_;
  endpoint.host = "127.0.0.2";
  endpoint.port = silent.port();
  const ConnectionId id = transport_.open(endpoint, clock_.now() + Duration::seconds(10));
  EXPECT_TRUE(sleeps_for(transport_, id, Duration::ms(200)));
  transport_.close(id);
}

TEST_F(SocketTest, WhoLooksANameUpSleepsUntilThereIsNews) {
  test::NameServer names;
  names.be_silent(true);
  SocketTransport transport(clock_, names.sources());
  Endpoint endpoint = endpoint_;
  endpoint.host = "silent.test";
  const ConnectionId id = transport.open(endpoint, clock_.now() + Duration::seconds(10));
  EXPECT_TRUE(sleeps_for(transport, id, Duration::ms(200)));
  transport.close(id);
}

TEST_F(SocketTest, WhatWasSaidBeforeTheServerHungUpIsReadFirst) {
  const ConnectionId id = connected();
  const int peer = accept(listener_, nullptr, nullptr);
  EXPECT_EQ(::send(peer, "-ERR\r\n", 6, 0), 6);
  ::close(peer);
  wait_for(id, false);
  std::array<char, 64> buffer;
  EXPECT_EQ(transport_.receive(id, buffer).bytes, 6U);
  wait_for(id, false);
  const IoResult result = transport_.receive(id, buffer);
  EXPECT_EQ(result.state, IoState::ended);
  EXPECT_EQ(result.reason, "the server closed the connection");
  transport_.close(id);
}

TEST_F(SocketTest, WhoOnlyLooksAsksNoClock) {
  const ConnectionId id = connected();
  interest_ = {id, {true, false, false}, false, false};
  const test::SystemCalls calls;
  EXPECT_EQ(transport_.wait(std::span(&interest_, 1), Instant()), Woken::deadline);
  EXPECT_TRUE(calls.clocks.empty());
  transport_.close(id);
}

TEST_F(SocketTest, ASilentPeerIsWaitedForUntilTheDeadline) {
  const ConnectionId id = connected();
  const Instant before = clock_.now();
  EXPECT_EQ(wait_for(id, false, Duration::ms(20)), Woken::deadline);
  EXPECT_GE(clock_.now() - before, Duration::ms(20));
  EXPECT_FALSE(interest_.readable);
  transport_.close(id);
}

TEST_F(SocketTest, AThreadThatOthersWakeLooksForAnAnswerAWhileBeforeItSleeps) {
  Waker waker;
  SocketTransport woken(clock_, {}, &waker);
  // Others may want the processor for all of that while.
  EXPECT_TRUE(
      test::eventually([&] { return polls_at_least(2, woken, endpoint_, Duration::ms(20)); }));
  EXPECT_FALSE(polls_at_least(2, transport_, endpoint_, Duration::ms(20))) << "nobody else does";
}

TEST_F(SocketTest, WhereNoServerOwesAnAnswerItSleepsAtOnce) {
  Waker waker;
  SocketTransport woken(clock_, {}, &waker);
  EXPECT_TRUE(polls_at_least(1, woken, endpoint_, Duration()));
  test::SystemCalls calls;
  calls.fail(1, EINTR, "ppoll");
  EXPECT_EQ(woken.wait({}, clock_.now() + Duration::ms(20)), Woken::deadline);
  EXPECT_FALSE(calls.failed());
}

TEST_F(SocketTest, WhatHasFailedAlreadyIsToldAtOnce) {
  endpoint_ = Endpoint();
  endpoint_.unix_path = "/no/such/socket";
  const ConnectionId id = transport_.open(endpoint_, Instant::never());
  ASSERT_EQ(transport_.status(id).state, LinkState::failed);
  const Instant before = clock_.now();
  EXPECT_EQ(wait_for(id, false, Duration::seconds(10)), Woken::ready);
  EXPECT_LT(clock_.now() - before, Duration::seconds(5));
  transport_.close(id);
}

TEST_F(SocketTest, ThatWhileIsShort) {
  Waker waker;
  SocketTransport woken(clock_, {}, &waker);
  timespec before{};
  timespec after{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
  EXPECT_FALSE(polls_at_least(100'000, woken, endpoint_, Duration::ms(500)));
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
  const Duration used = Duration::seconds(after.tv_sec - before.tv_sec) +
                        Duration::ns(after.tv_nsec - before.tv_nsec);
  EXPECT_LT(used, Duration::ms(100));
}

// Rings more than once, for the first could come before the wait, but not for ever.
class Alarm {
 public:
  Alarm() {
    rung_ = 0;
    struct sigaction action{};
    action.sa_handler = [](int) {
      rung_ = rung_ + 1;
      if (rung_ == kRingsMax) std::signal(SIGALRM, SIG_IGN);
    };
    sigaction(SIGALRM, &action, &before_);
    set(10'000);
  }
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;
  ~Alarm() {
    set(0);
    sigaction(SIGALRM, &before_, nullptr);
  }
  [[nodiscard]] static int rung() { return rung_; }

 private:
  static void set(suseconds_t us) {
    const itimerval every{{0, us}, {0, us}};
    setitimer(ITIMER_REAL, &every, nullptr);
  }
  static constexpr int kRingsMax = 50;
  static inline volatile std::sig_atomic_t rung_ = 0;
  struct sigaction before_{};
};

TEST_F(SocketTest, ASignalEndsTheWaitAndIsNoAnswer) {
  const ConnectionId id = connected();
  const Alarm alarm;
  EXPECT_EQ(wait_for(id, false, Duration::seconds(5)), Woken::interrupted);
  EXPECT_GT(Alarm::rung(), 0);
  EXPECT_FALSE(interest_.readable);
  EXPECT_FALSE(interest_.writable);
  transport_.close(id);
}

}  // namespace
}  // namespace redlock::socket_test
