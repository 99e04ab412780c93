// A proxy that delays every byte stream by the same time in each direction:
// `delay-proxy DELAY_US UPSTREAM_PORT...` listens on one free port per upstream, writes them as one
// line of JSON, and runs until its standard input is closed.
//
// Here connect() succeeds at once; across a network it takes a round trip. So what a client says
// before anything was sent back to it is that much later as well.
//
// Invariants: the bytes of a stream leave in the order in which they came; none leaves before its
// delay is over. One thread.
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <exception>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "flow.hpp"

namespace {

using bench::Clock;
using bench::Flow;

struct Listener {
  bench::Socket socket;
  std::uint16_t upstream_port;
};

struct Delivery {
  std::shared_ptr<Flow> flow;
  std::string bytes;  // empty: the stream ends here.
};

class DelayProxy {
 public:
  DelayProxy(std::chrono::microseconds delay, const std::vector<std::uint16_t>& upstream_ports)
      : delay_(delay) {
    for (const std::uint16_t port : upstream_ports) {
      listeners_.push_back({bench::listen_on_free_port(), port});
    }
  }

  void announce() const {
    std::cout << R"({"ports":[)";
    const char* separator = "";
    for (const Listener& listener : listeners_) {
      std::cout << separator << bench::port_of(listener.socket);
      separator = ",";
    }
    std::cout << "]}" << std::endl;
  }

  void run() {
    while (wait()) {
      deliver_due();
      read_ready();
      accept_ready();
      std::erase_if(flows_, [](const auto& flow) { return flow->is_over(); });
    }
  }

 private:
  // Polls everything until something is ready or the next delivery is due; false: time to end.
  bool wait() {
    polled_.assign({{STDIN_FILENO, POLLIN, 0}});
    for (const Listener& listener : listeners_)
      polled_.push_back({listener.socket.get(), POLLIN, 0});
    for (const auto& flow : flows_) {
      polled_.push_back({flow->source(), static_cast<short>(flow->may_read() ? POLLIN : 0), 0});
      polled_.push_back({flow->sink(), static_cast<short>(flow->has_unsent() ? POLLOUT : 0), 0});
    }
    timespec timeout{};
    if (!deliveries_.empty()) {
      const auto left =
          std::max(Clock::duration::zero(), deliveries_.begin()->first - Clock::now());
      const auto left_ns = std::chrono::nanoseconds(left).count();
      timeout = {left_ns / 1000000000, left_ns % 1000000000};
    }
    const int ready =
        ppoll(polled_.data(), polled_.size(), deliveries_.empty() ? nullptr : &timeout, nullptr);
    if (ready < 0 && errno != EINTR) throw std::runtime_error("ppoll");
    return ready < 0 || polled_.front().revents == 0;
  }

  void deliver_due() {
    const Clock::time_point now = Clock::now();
    while (!deliveries_.empty() && deliveries_.begin()->first <= now) {
      const Delivery next = std::move(deliveries_.extract(deliveries_.begin()).mapped());
      next.flow->deliver(next.bytes);
    }
  }

  void read_ready() {
    const Clock::time_point now = Clock::now();
    const std::size_t first = 1 + listeners_.size();
    for (std::size_t i = 0; i < flows_.size(); ++i) {
      if (polled_[first + 2 * i + 1].revents != 0) flows_[i]->flush();
      if ((polled_[first + 2 * i].revents & (POLLIN | POLLHUP | POLLERR)) == 0) continue;
      const auto delay = flows_[i]->is_connecting() ? 3 * delay_ : delay_;
      if (auto bytes = flows_[i]->read())
        deliveries_.emplace(now + delay, Delivery{flows_[i], *bytes});
    }
  }

  void accept_ready() {
    for (std::size_t i = 0; i < listeners_.size(); ++i) {
      if (polled_[1 + i].revents == 0) continue;
      auto client = std::make_shared<bench::Socket>(bench::accept_from(listeners_[i].socket));
      auto server = std::make_shared<bench::Socket>(bench::connect_to(listeners_[i].upstream_port));
      const auto back = std::make_shared<Flow>(server, client);
      flows_.push_back(std::make_shared<Flow>(client, server, back));
      flows_.push_back(back);
    }
  }

  std::chrono::microseconds delay_;
  std::vector<Listener> listeners_;
  std::vector<std::shared_ptr<Flow>> flows_;
  std::multimap<Clock::time_point, Delivery> deliveries_;  // by when they are due
  std::vector<pollfd> polled_;
};

std::uint32_t parse(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw std::runtime_error("not a number: " + std::string(text));
  }
  return number;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc < 3) throw std::runtime_error("expected: DELAY_US UPSTREAM_PORT...");
    std::vector<std::uint16_t> ports;
    for (int i = 2; i < argc; ++i) ports.push_back(static_cast<std::uint16_t>(parse(argv[i])));
    // The default slack of 50 µs would let every delivery be that late.
    prctl(PR_SET_TIMERSLACK, 1);
    DelayProxy proxy(std::chrono::microseconds(parse(argv[1])), ports);
    proxy.announce();
    proxy.run();
  } catch (const std::exception& error) {
    std::cerr << "delay-proxy: " << error.what() << '\n';
    return 1;
  }
}
