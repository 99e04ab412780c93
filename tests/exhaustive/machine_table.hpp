// What the production machines do, looked up: every entry is a machine that was really run.
//
// A machine is a deterministic function of its inputs, so a state of the world need not carry a
// machine, only the number of one. The first time an input meets an entry, a fresh machine is fed
// the entry's history and then the input; what it asks for is written down, and the machine it has
// become is entered under the bytes of its private state. Two histories that lead to the same
// bytes share an entry. That this merges only machines with the same future does not rest on the
// list of members alone: each merge is audited, by running both histories on through the same
// random further inputs and comparing all that they ask for and come to.
// One thread.
#pragma once
#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "exhaustive/command_book.hpp"
#include "exhaustive/settings.hpp"
#include "exhaustive/state.hpp"
#include "redlock/algorithm/outcome.hpp"

namespace redlock::exhaustive {

enum class Heard : Byte { granted, denied, timeout, closed, connect };
inline constexpr int kHeardKinds = 5;
inline constexpr int kAttemptsMax = 3;

enum class InputKind : Byte { tick, on_time, reply, suspicion, delay };

struct Input {
  InputKind kind = InputKind::tick;
  Byte node = 0;
  Byte attempt = 0;
  Heard heard = Heard::granted;
  Byte ticks = 0;  // of a delay: until the answer is due, when the connection is made last
  bool operator==(const Input&) const = default;
};
inline constexpr int kDelayTicksMax = 8;
// What a node's attempt may be told: an answer, a doubt, or a delay.
inline constexpr int kTidings = kHeardKinds + 1 + kDelayTicksMax + 1;
inline constexpr std::size_t kInputCodes = 2 + kServersMax * kAttemptsMax * kTidings;

// A request, as a state of the world needs it.
struct Emission {
  Byte node = 0;
  Byte attempt = 0;
  Byte command = 0;
  Byte answer_ticks = 0;
  bool wants_answer = false;
  bool operator==(const Emission&) const = default;
};

// Which machine, and what for; `token` is what an extend or a release is about.
struct Root {
  enum class Kind : Byte { acquire, extend, release } kind = Kind::acquire;
  Byte token = 0;
  // PidLock: the option mixedFleet, while the lease runs.
  bool accepts_plain = false;
  auto operator<=>(const Root&) const = default;
};

struct Machine {
  Root root;
  std::vector<Input> history;
  std::string state;
  // What it knows of each node: by what to sort the nodes, no more.
  std::array<Byte, kServersMax> view{};
  Byte granted = 0;  // mask of nodes whose grant came in this attempt, counted by us
  Byte attempt = 0;
  Byte elapsed = 0;         // ticks since the attempt began
  std::optional<Byte> due;  // ticks until it wants to be told the time
  bool done = false;
  Decision decision = Decision::aborted;
  Byte validity = 0;                              // ticks, rounded up
  Byte token = 0;                                 // of the current attempt, or of the outcome
  std::array<std::uint32_t, kInputCodes> next{};  // transition + 1
  std::array<std::uint16_t, 6> permuted{};
};

struct Transition {
  std::uint16_t target = 0;
  std::vector<Emission> emissions;
  std::string wrong;  // what a machine must never do
};

class MachineTable {
 public:
  MachineTable(const Settings& settings, CommandBook& book);
  ~MachineTable();

  // The beginning of an operation, as a transition from nothing.
  const Transition& start(const Root& root);
  const Transition& step(std::uint16_t machine, const Input& input);
  [[nodiscard]] const Machine& at(std::uint16_t machine) const { return machines_[machine]; }
  // The machine that the same history leads to when node i is called order[i]. Throws
  // std::logic_error when the code treats the nodes differently.
  std::uint16_t permuted(std::uint16_t machine, int permutation);

  [[nodiscard]] std::size_t size() const { return machines_.size() - 1; }
  [[nodiscard]] std::uint64_t runs() const { return run_count_; }
  [[nodiscard]] std::uint64_t merges() const { return merge_count_; }

 private:
  class Run;
  struct Lookup;
  std::uint16_t enter(const Run& run, std::string& wrong);
  void audit(const Machine& known, const Run& run);
  [[nodiscard]] std::unique_ptr<Run> replay(const Root& root, const std::vector<Input>& history,
                                            std::int64_t epoch_ns);

  const Settings& settings_;
  CommandBook& book_;
  std::deque<Machine> machines_;  // entries stay where they are
  std::deque<Transition> transitions_;
  std::unordered_map<std::string, std::uint16_t> by_state_;
  std::unordered_map<std::uint32_t, std::uint32_t> roots_;
  std::uint64_t run_count_ = 0;
  std::uint64_t merge_count_ = 0;
  std::uint64_t audit_seed_ = 1;
};

// The six orders of three servers.
inline constexpr std::array<std::array<Byte, kServersMax>, 6> kOrders{
    {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}};

}  // namespace redlock::exhaustive
