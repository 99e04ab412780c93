// The quorum lock's verbs and validity.
#include "redlock/algorithm/quorum_kind.hpp"

#include <algorithm>

#include "redlock/algorithm/invariant.hpp"
#include "redlock/algorithm/permit.hpp"
#include "redlock/algorithm/validity.hpp"

namespace redlock {

std::string_view owner_of(const Token& token) {
  constexpr std::size_t kRandomDigits = 2 * kTokenRandomBytes;
  const std::string_view text = token.view();
  const std::size_t separator = text.rfind(kOwnerSeparator);
  if (separator == std::string_view::npos) return {};
  const std::string_view random = text.substr(separator + 1);
  const bool ours = random.size() == kRandomDigits &&
                    random.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  return ours ? text.substr(0, separator) : std::string_view();
}

QuorumKind::QuorumKind(Resources resources, Duration ttl, double drift_factor, std::string owner,
                       std::optional<FenceProposals> fences, LockMode mode)
    : resources_(std::move(resources)),
      ttl_(ttl),
      drift_factor_(drift_factor),
      owner_(std::move(owner)),
      fences_(fences),
      mode_(mode) {
  REDLOCK_INVARIANT(mode == LockMode::exclusive || resources_.single());
}

QuorumKind QuorumKind::with_token(Token token) const {
  QuorumKind same = *this;
  same.token_ = std::move(token);
  return same;
}

QuorumKind QuorumKind::promoting(Token held) const {
  QuorumKind same = *this;
  same.mode_ = LockMode::exclusive;
  same.promoted_ = std::move(held);
  return same;
}

QuorumKind QuorumKind::of_one(std::size_t place) const {
  return {resources_.all()[place], ttl_, drift_factor_, owner_};
}

QuorumKind QuorumKind::of_slot(std::size_t slot, std::size_t permits) const {
  QuorumKind one(slot_of(resources_.only(), slot), ttl_, drift_factor_, owner_);
  one.permits_ = permits;
  return one;
}

Command QuorumKind::stand_for_permit(const Token& fresh, const LineEntry& entry,
                                     std::size_t permits) const {
  return StandForPermit{permit_line_of(resources_.only()), fresh, ttl_, entry, permits};
}

Token QuorumKind::fresh_token(Entropy& entropy) const {
  if (token_) return *token_;
  Token random = random_token(entropy);
  if (owner_.empty()) return random;
  return Token(owner_ + kOwnerSeparator + std::string(random.view()));
}

std::optional<FenceProposal> QuorumKind::first_proposal() const {
  if (!fences_) return std::nullopt;
  return FenceProposal{fences_->first(), fences_->ttl};
}

Command QuorumKind::acquire(const Token& fresh) const {
  if (promoted_) return Promote{resources_, *promoted_, fresh, ttl_};
  if (mode_ == LockMode::shared) return ShareIfFree{resources_, fresh, ttl_, first_proposal()};
  if (permits_ > 0) return TakeSlot{resources_, fresh, ttl_, permits_};
  if (fences_ || !resources_.single()) {
    return SetAllIfAbsent{resources_, fresh, ttl_, first_proposal()};
  }
  return SetIfAbsent{resources_, fresh, ttl_};
}

std::optional<Command> QuorumKind::enqueue(const Token& fresh, const LineEntry& entry) const {
  return Enqueue{resources_, fresh, ttl_, entry, mode_};
}

Token QuorumKind::proof(const Token& fresh, const ReplyPayload& /*said*/) const { return fresh; }

Command QuorumKind::release(const Token& proof) const {
  return ReleaseAndHandOver{resources_, proof};
}

Command QuorumKind::check(const Token& proof) const { return CheckEqual{resources_, proof}; }

std::optional<Command> QuorumKind::extend(const Token& proof) const {
  return ExtendIfEqual{resources_, proof, ttl_};
}

std::optional<Command> QuorumKind::rotate(const Token& proof, const Token& fresh) const {
  return RotateIfEqual{resources_, proof, fresh, ttl_};
}

std::optional<Command> QuorumKind::raise_fence(const Token& proof, std::int64_t proposal) const {
  if (!fences_) return std::nullopt;
  return RaiseFence{resources_, proof, {proposal, fences_->ttl}};
}

std::optional<Command> QuorumKind::inspect() const { return Inspect{resources_}; }

std::optional<Command> QuorumKind::check_endless() const { return CheckEndless{resources_}; }

Duration QuorumKind::validity(Duration elapsed) const {
  return validity_of(ttl_, elapsed, drift_factor_);
}

Duration QuorumKind::life_max() const { return longest_life(ttl_, drift_factor_); }

bool is_lost_promotion(const Outcome& promotion) {
  if (promotion.decision != Decision::denied && promotion.decision != Decision::split) return false;
  const auto strangers = std::ranges::count_if(promotion.nodes, [](const NodeReport& node) {
    return node.reply.answer == Answer::denied && node.reply.said<BusyResource>() == nullptr;
  });
  return promotion.quorum.fails_without(static_cast<std::size_t>(strangers));
}

}  // namespace redlock
