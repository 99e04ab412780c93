// One of several processes leads, in an epoll loop that never waits for a server for long.
//
// A timer asks for the lease, which takes at most the client's timeout. Once it is ours a thread of
// the library keeps it alive, and a loss arrives as one more descriptor. Ends at the end of stdin.
// Run it as: leader 10.0.0.1 10.0.0.2 10.0.0.3
#include <redlock/redlock.hpp>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <optional>

using namespace std::chrono_literals;

namespace {

// What leading takes; its end is the end of leading.
struct Reign {
  Reign(redlock::Lease won, int loss)
      : lease(std::move(won)),
        kept(lease.keep_alive(24h)),
        on_loss(kept.lost(), [loss] { eventfd_write(loss, 1); }) {}

  redlock::Lease lease;
  redlock::KeepAlive kept;
  // Runs in the library's thread, so it only writes a number.
  std::stop_callback<std::function<void()>> on_loss;
};

void watch(int loop, int descriptor) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = descriptor;
  epoll_ctl(loop, EPOLL_CTL_ADD, descriptor, &event);
}

void say(const char* words) {
  std::puts(words);
  std::fflush(stdout);
}

}  // namespace

int main(int argument_count, char** arguments) try {
  redlock::Client client({arguments + 1, arguments + argument_count});
  const int loop = epoll_create1(EPOLL_CLOEXEC);
  const int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  const int loss = eventfd(0, EFD_CLOEXEC);
  const itimerspec every{{0, 200'000'000}, {0, 1}};
  timerfd_settime(timer, 0, &every, nullptr);
  for (const int descriptor : {STDIN_FILENO, timer, loss}) watch(loop, descriptor);

  std::optional<Reign> reign;
  for (;;) {
    epoll_event event{};
    if (epoll_wait(loop, &event, 1, -1) != 1) continue;
    std::uint64_t bytes = 0;
    if (read(event.data.fd, &bytes, sizeof(bytes)) <= 0 && event.data.fd == STDIN_FILENO) break;
    if (event.data.fd == loss) {
      reign.reset();
      say("lost");
    } else if (event.data.fd == timer && !reign) {
      if (redlock::Result won = client.try_lock("leader", 2s)) {
        reign.emplace(*std::move(won), loss);
        say("leading");
      }
    }
  }
  // Here the lease is given back.
  reign.reset();
  say("stepped down");
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
