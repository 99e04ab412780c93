// A small poll loop; the streams between two sockets are moved byte for byte.
#include "io/support/fault_proxy.hpp"

#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <vector>

#include "io/support/loopback.hpp"
#include "io/support/resp_client.hpp"

namespace redlock::test {

namespace {

void ring(int wake) {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake, &one, sizeof(one));
}

}  // namespace

FaultProxy::FaultProxy(std::uint16_t server_port)
    : server_port_(server_port), wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  require(wake_ >= 0, "eventfd");
  const Listener listener = listen_on_loopback(64);
  listener_ = listener.descriptor;
  port_ = listener.port;
  thread_ = std::thread([this] { run(); });
}

FaultProxy::~FaultProxy() {
  {
    const std::lock_guard guard(mutex_);
    ending_ = true;
  }
  ring(wake_);
  thread_.join();
  for (const Pair& pair : pairs_) {
    close(pair.client);
    close(pair.server);
  }
  close(listener_);
  close(wake_);
}

void FaultProxy::set_plan(ProxyPlan plan) {
  const std::lock_guard guard(mutex_);
  plan_ = plan;
}

void FaultProxy::let_pass() {
  {
    const std::lock_guard guard(mutex_);
    release_ = true;
  }
  ring(wake_);
}

std::size_t FaultProxy::connection_count() const {
  const std::lock_guard guard(mutex_);
  return connection_count_;
}

void FaultProxy::accept_one() {
  const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (client < 0) return;
  const std::lock_guard guard(mutex_);
  ++connection_count_;
  try {
    const int server = connect_to_port(server_port_);
    const int on = 1;
    for (const int descriptor : {client, server}) {
      setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    }
    pairs_.push_back({client,
                      server,
                      {client, server, 0, plan_.cut_to_server, kUnlimited},
                      {server, client, 0, plan_.cut_to_client, plan_.hold_to_client},
                      plan_.slice});
  } catch (const std::system_error&) {
    close(client);
  }
}

bool FaultProxy::move_some(Pair& pair, Stream& stream) {
  std::array<char, 64 * 1024> bytes;
  const std::size_t limit = std::min({stream.cut_at, stream.hold_at}) - stream.passed;
  const std::size_t wanted = std::min({bytes.size(), pair.slice, limit});
  const ssize_t got = wanted == 0 ? 0 : recv(stream.from, bytes.data(), wanted, 0);
  if (got < 0) return false;
  if (got == 0 && wanted > 0) {
    stream.ended = true;
    shutdown(stream.to, SHUT_WR);
  }
  const auto size = static_cast<std::size_t>(got);
  if (size > 0 && send(stream.to, bytes.data(), size, MSG_NOSIGNAL) != got) return false;
  stream.passed += size;
  if (stream.passed >= stream.cut_at) return false;
  return !(pair.to_server.ended && pair.to_client.ended);
}

void FaultProxy::run() {
  for (;;) {
    std::vector<pollfd> polled{{wake_, POLLIN, 0}, {listener_, POLLIN, 0}};
    for (const Pair& pair : pairs_) {
      for (const Stream* stream : {&pair.to_server, &pair.to_client}) {
        const bool quiet = stream->ended || holds(*stream);
        polled.push_back({quiet ? -1 : stream->from, POLLIN, 0});
      }
    }
    poll(polled.data(), polled.size(), -1);
    std::size_t i = 2;
    for (auto pair = pairs_.begin(); pair != pairs_.end(); i += 2) {
      const bool open = (polled[i].revents == 0 || move_some(*pair, pair->to_server)) &&
                        (polled[i + 1].revents == 0 || move_some(*pair, pair->to_client));
      if (!open) {
        close(pair->client);
        close(pair->server);
      }
      pair = open ? std::next(pair) : pairs_.erase(pair);
    }
    if (polled[1].revents != 0) accept_one();
    if (polled[0].revents == 0) continue;
    std::uint64_t rings = 0;
    [[maybe_unused]] const ssize_t size = read(wake_, &rings, sizeof(rings));
    const std::lock_guard guard(mutex_);
    if (ending_) return;
    for (Pair& pair : pairs_)
      pair.to_client.hold_at = release_ ? kUnlimited : pair.to_client.hold_at;
    release_ = false;
  }
}

}  // namespace redlock::test
