// RedLock's quorum lock: SET NX PX and scripts that compare the token.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "redlock/algorithm/fence.hpp"
#include "redlock/algorithm/lock_kind.hpp"
#include "redlock/algorithm/resources.hpp"

namespace redlock {

inline constexpr char kOwnerSeparator = ':';
inline constexpr std::size_t kOwnerBytesMax = 256;

// The owner's name in a token; empty where there is none.
[[nodiscard]] std::string_view owner_of(const Token& token);

class QuorumKind final : public LockKind {
 public:
  // Requires 0 < ttl <= kTtlMax and a drift that leaves some of it, except for verbs that only
  // release and check: to those the ttl is nothing.
  // A fresh token begins with the owner's name and a colon, where there is one.
  // With `fences` an acquire proposes one.
  QuorumKind(Resources resources, Duration ttl, double drift_factor, std::string owner = {},
             std::optional<FenceProposals> fences = {});

  // The same, whose every attempt has this token.
  [[nodiscard]] QuorumKind with_token(Token token) const;
  // Of several resources the one at that place, from 0, and without a fence.
  [[nodiscard]] QuorumKind of_one(std::size_t place) const;

  [[nodiscard]] QuorumRule quorum(std::size_t node_count) const override {
    return QuorumRule::majority(node_count);
  }
  [[nodiscard]] Token fresh_token(Entropy& entropy) const override;
  [[nodiscard]] Command acquire(const Token& fresh) const override;
  [[nodiscard]] std::optional<Command> enqueue(const Token& fresh,
                                               const LineEntry& entry) const override;
  [[nodiscard]] Token proof(const Token& fresh, const ReplyPayload& said) const override;
  [[nodiscard]] Command release(const Token& proof) const override;
  [[nodiscard]] Command check(const Token& proof) const override;
  [[nodiscard]] std::optional<Command> extend(const Token& proof) const override;
  [[nodiscard]] std::optional<Command> rotate(const Token& proof,
                                              const Token& fresh) const override;
  [[nodiscard]] std::optional<Command> raise_fence(const Token& proof,
                                                   std::int64_t proposal) const override;
  [[nodiscard]] std::optional<Command> inspect() const override;
  [[nodiscard]] std::optional<Command> check_endless() const override;
  [[nodiscard]] Duration validity(Duration elapsed) const override;
  [[nodiscard]] Duration life_max() const override;

 private:
  [[nodiscard]] std::optional<FenceProposal> first_proposal() const;

  Resources resources_;
  Duration ttl_;
  double drift_factor_;
  std::string owner_;
  std::optional<FenceProposals> fences_;
  std::optional<Token> token_;  // nothing: a random one for each attempt
};

}  // namespace redlock
