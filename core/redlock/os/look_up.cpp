// A c-ares channel for each look-up, driven from outside.
#include "redlock/os/look_up.hpp"

#include <ares.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <new>
#include <system_error>

#include "redlock/algorithm/invariant.hpp"

namespace redlock {

namespace {

// What c-ares keeps to itself: that no descriptor is to be had for its files and sockets. 0: one
// is.
int descriptor_error() {
  const int probe = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (probe < 0) return errno;
  ::close(probe);
  return 0;
}

std::string failure_of(int status) {
  const int error = descriptor_error();
  return "the host name cannot be resolved: " +
         (error == 0 ? ares_strerror(status) : std::generic_category().message(error));
}

// Where it does anything at all (on Windows) c-ares wants this once and before anything else. No
// lock: one that another thread holds while this process forks would stay locked in the child.
void prepare_library() {
  static std::atomic_flag begun = ATOMIC_FLAG_INIT;
  if (!begun.test_and_set()) ares_library_init(ARES_LIB_INIT_ALL);
}

struct DestroyChannel {
  void operator()(ares_channeldata* channel) const { ares_destroy(channel); }
};
struct FreeFound {
  void operator()(ares_addrinfo* list) const { ares_freeaddrinfo(list); }
};

}  // namespace

struct LookUp::State {
  bool done = false;
  Resolution result;
  std::vector<pollfd> sockets;
  // Last, for its end still tells the others.
  std::unique_ptr<ares_channeldata, DestroyChannel> channel;

  void fail(int status) {
    done = true;
    result.failure = failure_of(status);
  }

  // Both are called by C code, which no exception may cross.
  static void take_socket(void* self, ares_socket_t socket, int readable, int writable) noexcept {
    auto& sockets = static_cast<State*>(self)->sockets;
    std::erase_if(sockets, [socket](const pollfd& known) { return known.fd == socket; });
    if (readable == 0 && writable == 0) return;
    const int events = (readable != 0 ? POLLIN : 0) | (writable != 0 ? POLLOUT : 0);
    try {
      sockets.push_back({socket, static_cast<short>(events), 0});
    } catch (const std::bad_alloc&) {
      // Unheard, the look-up ends by its own time-out.
    }
  }
  static void take_result(void* self, int status, int /*timeouts*/, ares_addrinfo* list) noexcept {
    const std::unique_ptr<ares_addrinfo, FreeFound> owner(list);
    State& state = *static_cast<State*>(self);
    state.done = true;
    try {
      const ares_addrinfo_node* node = list == nullptr ? nullptr : list->nodes;
      for (; node != nullptr; node = node->ai_next) {
        state.result.add(node->ai_addr, static_cast<std::size_t>(node->ai_addrlen),
                         node->ai_family);
      }
      if (state.result.addresses.empty()) {
        state.fail(status == ARES_SUCCESS ? ARES_ENODATA : status);
      }
    } catch (const std::bad_alloc&) {
      state.result.addresses.clear();
      state.result.failure = "no memory";  // Short enough to need none.
    }
  }
};

LookUp::LookUp(const NameSources& sources, const std::string& host, std::uint16_t port)
    : state_(std::make_unique<State>()) {
  prepare_library();
  std::string resolv_conf = sources.resolv_conf;
  ares_options options{};
  options.sock_state_cb = &State::take_socket;
  options.sock_state_cb_data = state_.get();
  options.resolvconf_path = resolv_conf.data();
  const int chosen = ARES_OPT_SOCK_STATE_CB | (resolv_conf.empty() ? 0 : ARES_OPT_RESOLVCONF);
  ares_channel channel = nullptr;
  int status = ares_init_options(&channel, &options, chosen);
  if (status == ARES_SUCCESS) {
    state_->channel.reset(channel);
    if (!sources.servers.empty()) {
      status = ares_set_servers_ports_csv(channel, sources.servers.c_str());
    }
  }
  if (status != ARES_SUCCESS) {
    state_->fail(status);
    return;
  }
  ares_addrinfo_hints hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = ARES_AI_NUMERICSERV;
  ares_getaddrinfo(channel, host.c_str(), std::to_string(port).c_str(), &hints, &State::take_result,
                   state_.get());
  if (state_->done) state_->channel.reset();
}

LookUp::~LookUp() = default;

bool LookUp::done() const { return state_->done; }

const Resolution& LookUp::result() const {
  REDLOCK_INVARIANT(state_->done);
  return state_->result;
}

void LookUp::watch(std::vector<pollfd>& polled) const {
  polled.insert(polled.end(), state_->sockets.begin(), state_->sockets.end());
}

std::optional<Duration> LookUp::patience() const {
  timeval left{};
  if (state_->done || ares_timeout(state_->channel.get(), nullptr, &left) == nullptr) return {};
  return Duration::seconds(left.tv_sec) + Duration::us(left.tv_usec);
}

void LookUp::drive() {
  if (state_->done) return;
  // A copy, for what is read may open and close sockets.
  std::vector<pollfd> ready = state_->sockets;
  if (poll(ready.data(), ready.size(), 0) > 0) {
    for (const pollfd& socket : ready) {
      if (socket.revents == 0) continue;
      ares_process_fd(state_->channel.get(),
                      (socket.revents & ~POLLOUT) != 0 ? socket.fd : ARES_SOCKET_BAD,
                      (socket.revents & POLLOUT) != 0 ? socket.fd : ARES_SOCKET_BAD);
    }
  } else {
    ares_process_fd(state_->channel.get(), ARES_SOCKET_BAD, ARES_SOCKET_BAD);
  }
  if (state_->done) state_->channel.reset();
}

std::string cares_version() { return ares_version(nullptr); }

}  // namespace redlock
