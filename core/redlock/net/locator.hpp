// Where a server is to be found: asked anew before every connection.
//
// Who the server is, and so whose vote it has, stays; where it stands may change, as behind a
// sentinel or in a cluster. No I/O in here. One thread; one per node.
#pragma once
#include <utility>

#include "redlock/algorithm/reply.hpp"
#include "redlock/config/endpoint.hpp"

namespace redlock {

class Locator {
 public:
  Locator() = default;
  Locator(const Locator&) = delete;
  Locator& operator=(const Locator&) = delete;
  virtual ~Locator() = default;

  // The server's name, for as long as there is a node for it.
  [[nodiscard]] virtual const Endpoint& identity() const = 0;
  // Where to connect now; valid until the next call.
  [[nodiscard]] virtual const Endpoint& address() = 0;
  // The connection that was made there ended so: it may be found elsewhere by now.
  virtual void note_lost(Fault fault) noexcept = 0;
};

// A server that stays where its name says.
class FixedLocator final : public Locator {
 public:
  explicit FixedLocator(Endpoint endpoint) : endpoint_(std::move(endpoint)) {}

  [[nodiscard]] const Endpoint& identity() const override { return endpoint_; }
  [[nodiscard]] const Endpoint& address() override { return endpoint_; }
  void note_lost(Fault /*fault*/) noexcept override {}

 private:
  Endpoint endpoint_;
};

}  // namespace redlock
