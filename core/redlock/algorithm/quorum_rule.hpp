// How many of a lock's servers decide about it.
//
// A kind of lock has one (LockKind::quorum). Who counts votes asks for it, and does no arithmetic.
// Invariant: any two sets of servers that grant a lock share one; the kind sees to it.
// Pure values.
#pragma once
#include <cstddef>
#include <cstdint>

namespace redlock {

class QuorumRule {
 public:
  // Of no servers: nothing is decided.
  constexpr QuorumRule() = default;
  // More than half of the configured servers, reachable or not. Requires node_count <= kNodesMax.
  [[nodiscard]] static constexpr QuorumRule majority(std::size_t node_count) {
    const std::size_t most = node_count / 2 + 1;
    return {node_count, most, most};
  }
  // Requires 1 <= grants, denials <= node_count <= kNodesMax.
  constexpr QuorumRule(std::size_t node_count, std::size_t grants, std::size_t denials)
      : node_count_(static_cast<std::uint8_t>(node_count)),
        grants_(static_cast<std::uint8_t>(grants)),
        denials_(static_cast<std::uint8_t>(denials)) {}

  [[nodiscard]] constexpr std::size_t node_count() const { return node_count_; }
  // So many grants are success. As many must have answered before their refusal is certain.
  [[nodiscard]] constexpr std::size_t grants() const { return grants_; }
  // So many denials say that somebody else has it.
  [[nodiscard]] constexpr std::size_t denials() const { return denials_; }
  constexpr bool operator==(const QuorumRule&) const = default;
  // Can it no longer succeed where so many do not grant it?
  [[nodiscard]] constexpr bool fails_without(std::size_t node_count) const {
    return node_count + grants_ > node_count_ && node_count_ > 0;
  }

 private:
  std::uint8_t node_count_ = 0;
  std::uint8_t grants_ = 0;
  std::uint8_t denials_ = 0;
};

}  // namespace redlock
