// RedLock's quorum lock: SET NX PX and scripts that compare the token.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "redlock/algorithm/fence.hpp"
#include "redlock/algorithm/lock_kind.hpp"
#include "redlock/algorithm/outcome.hpp"
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
  // A shared lock is one on one resource.
  QuorumKind(Resources resources, Duration ttl, double drift_factor, std::string owner = {},
             std::optional<FenceProposals> fences = {}, LockMode mode = LockMode::exclusive);

  // The same, whose every attempt has this token.
  [[nodiscard]] QuorumKind with_token(Token token) const;
  // The same, exclusive, and acquired where nobody but `held` shares the lock: its promotion.
  [[nodiscard]] QuorumKind promoting(Token held) const;
  // Of several resources the one at that place, from 0, and without a fence.
  [[nodiscard]] QuorumKind of_one(std::size_t place) const;
  // Requires one resource.
  [[nodiscard]] const Resource& only() const { return resources_.only(); }
  // Of one resource with so many permits that slot's, and without a fence.
  [[nodiscard]] QuorumKind of_slot(std::size_t slot, std::size_t permits) const;
  // What waits in one node's line for one of so many permits.
  [[nodiscard]] Command stand_for_permit(const Token& fresh, const LineEntry& entry,
                                         std::size_t permits) const;

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
  LockMode mode_;
  std::optional<Token> token_;     // nothing: a random one for each attempt
  std::optional<Token> promoted_;  // what it is acquired from
  std::size_t permits_ = 0;        // of a slot: how many there are
};

// Of a promotion that was not granted: so many do not know who is to be promoted that no majority
// can have him as a reader. Else the shared lock is what it was.
[[nodiscard]] bool is_lost_promotion(const Outcome& promotion);

}  // namespace redlock
