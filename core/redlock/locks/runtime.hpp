// Everything a thread needs to take locks, put together: clock, entropy, sockets, pool.
#pragma once
#include "redlock/net/pool.hpp"
#include "redlock/os/clock.hpp"
#include "redlock/os/entropy.hpp"
#include "redlock/os/memory_transport.hpp"
#include "redlock/os/socket.hpp"

namespace redlock {

// One per thread; make as many as you like. Declared in the order of need.
class Runtime {
 public:
  // Another thread may end a wait of this one through `waker`, which must outlive it.
  explicit Runtime(NameSources names = {}, Waker* waker = nullptr)
      : sockets_(clock_, std::move(names), waker),
        transport_(sockets_, clock_),
        pool_(transport_, clock_, entropy_) {}
  [[nodiscard]] Pool& pool() { return pool_; }

 private:
  SystemClock clock_;
  SystemEntropy entropy_;
  SocketTransport sockets_;
  MemoryTransport transport_;
  Pool pool_;
};

}  // namespace redlock
