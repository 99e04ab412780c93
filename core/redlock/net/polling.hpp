// What one turn waits for: the connections of nodes and those of listeners, in one set.
//
// Connections with nothing outstanding have nothing to say, except that they were closed. An
// operation that listens may ask on them at any moment, and wants to know. One thread.
#pragma once
#include <optional>
#include <vector>

#include "redlock/net/listeners.hpp"
#include "redlock/net/live_nodes.hpp"
#include "redlock/os/transport.hpp"

namespace redlock {

class Polling {
 public:
  // Where an answer or a push is wanted, or everywhere.
  using Scope = Listeners::Scope;

  // All must outlive it.
  Polling(Transport& transport, LiveNodes& live, Listeners& listeners)
      : transport_(transport), live_(live), listeners_(listeners) {}

  // Waits until something is ready.
  Woken wait(Scope scope, Instant deadline, Instant now);
  // Reads and sends what was ready when the latest wait was over.
  void on_ready(Instant now) noexcept;
  // The same as wait() for an event loop, which does not wait past `deadline`.
  [[nodiscard]] std::optional<Watch> watch(Instant deadline, Instant now);

 private:
  // True: of one of them bytes have come already that no polling shows.
  bool gather(Scope scope, Instant now);

  Transport& transport_;
  LiveNodes& live_;
  Listeners& listeners_;
  std::vector<Interest> interests_;
};

}  // namespace redlock
