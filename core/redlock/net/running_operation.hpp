// One operation under way, and what the loop knows of it.
//
// Its outcome is its own: it stays here until its caller collects it, who may be told of its end.
// One thread.
#pragma once
#include <array>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "redlock/algorithm/operation.hpp"
#include "redlock/net/completions.hpp"
#include "redlock/net/hedged_requests.hpp"
#include "redlock/net/node.hpp"

namespace redlock {

struct RunningOperation {
  RunningOperation(OperationId number, std::unique_ptr<Operation> begun, NodeList its_nodes)
      : id(number), operation(std::move(begun)), nodes(std::move(its_nodes)) {}

  [[nodiscard]] bool decided() const { return operation->outcome() != nullptr; }
  // Decided, or failed by an exception.
  [[nodiscard]] bool done() const { return failure || decided(); }
  [[nodiscard]] bool listens() const { return !failure && operation->listens(); }
  // Tells that it is done, once.
  void tell_if_done() noexcept {
    if (done()) tell();
  }
  void tell() noexcept {
    if (completions != nullptr) std::exchange(completions, nullptr)->add(id);
  }
  // Nobody will collect it.
  void end() noexcept {
    ended = true;
    if (completions != nullptr) std::exchange(completions, nullptr)->leave_out();
  }

  OperationId id;
  std::unique_ptr<Operation> operation;
  NodeList nodes;  // node i of the operation is nodes[i]
  HedgedRequests hedged;
  // Pulled from the operation and not handed on yet.
  std::optional<Request> pending;
  // What it threw before it was decided: it is given up.
  std::exception_ptr failure;
  // Something was thrown before all its requests were handed on.
  bool interrupted = false;
  // It goes as soon as nothing of it is left to send.
  bool ended = false;
  Completions* completions = nullptr;  // where its caller is told that it is done
  bool withdrawn = false;
  bool has_listened = false;
  Instant began;
  // By node: which of the changes in what can be heard it was told last.
  std::array<std::uint64_t, kNodesMax> told{};
};

}  // namespace redlock
