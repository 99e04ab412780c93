// One client of the product, with its own reactor, nodes and sessions, fed one event at a time.
//
// Its operations are the same as the model's, and a witness writes down what they are told. One
// thread.
#pragma once
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "exhaustive/machine_operation.hpp"
#include "exhaustive/product_wire.hpp"
#include "redlock/net/reactor.hpp"
#include "support/fake_clock.hpp"
#include "support/seeded_entropy.hpp"

namespace redlock::exhaustive {

class Product {
 public:
  Product(const Settings& settings, const CommandBook& book, Dictionary& dictionary,
          std::uint64_t seed);

  void begin(const Root& root, int round);
  // One turn of the loop; connections that are being opened come about in it when `connects`.
  void step(bool connects);
  void tick() { clock_.advance(kTick); }

  [[nodiscard]] ProductWire& wire() { return wire_; }
  [[nodiscard]] bool operating() const { return operation_ != 0; }
  // Of the latest operation that ended.
  [[nodiscard]] std::optional<Decision> decision() const { return decision_; }
  [[nodiscard]] const Node& node(int server) const {
    return *nodes_[static_cast<std::size_t>(server)];
  }
  // Mask of the servers that would be left alone if they were asked now, or after their connection
  // is given up.
  [[nodiscard]] unsigned left_alone();
  // In which order a turn deals with the servers: those with a connection as the reactor lists
  // them.
  [[nodiscard]] std::array<Byte, kServersMax> order() const;
  // Removals for the next connection.
  [[nodiscard]] std::vector<Code> carried(int server) const;
  // Ticks until the loop wants to be woken; nothing: not in any near future.
  [[nodiscard]] std::optional<int> due();
  // What the operations were told since this was asked last.
  [[nodiscard]] std::vector<Input> take_told() { return std::exchange(told_, {}); }

 private:
  void take_done();

  const Settings& settings_;
  const CommandBook& book_;
  Dictionary& dictionary_;
  test::FakeClock clock_;
  test::SeededEntropy chance_;
  RequestEncoder encoder_;
  ProductWire wire_;
  // One for each operation, which may outlive the next.
  std::vector<std::unique_ptr<CountingEntropy>> entropies_;
  NodeList nodes_;
  Reactor reactor_;
  OperationId operation_ = 0;
  std::optional<Decision> decision_;
  std::vector<Input> told_;
};

}  // namespace redlock::exhaustive
