// Building operations as the managers do.
#include "exhaustive/machine_operation.hpp"

#include "redlock/algorithm/extend.hpp"
#include "redlock/algorithm/quorum_kind.hpp"
#include "redlock/algorithm/stamp_kind.hpp"

namespace redlock::exhaustive {

namespace {

AnswerTimes times_of(const Settings& settings) {
  return std::make_shared<const std::vector<Duration>>(static_cast<std::size_t>(settings.servers),
                                                       settings.tick() * settings.answer);
}

StampUnit unit_of(const Settings& settings) {
  return settings.unit_ticks > 0 ? StampUnit::seconds : StampUnit::milliseconds;
}

}  // namespace

std::string key_of_round(int round) { return "k" + std::to_string(round); }

void CountingEntropy::fill(std::span<std::byte> bytes) {
  ++draws_;
  for (std::byte& b : bytes) b = static_cast<std::byte>(draws_);
}

std::unique_ptr<Acquire> make_acquire(const Settings& settings, int round, Entropy& entropy) {
  const Resource key(key_of_round(round));
  const Duration ttl = settings.tick() * settings.ttl;
  std::shared_ptr<const redlock::LockKind> kind;
  if (settings.lock == LockKind::quorum) {
    kind = std::make_shared<QuorumKind>(key, ttl, settings.drift_factor());
  } else {
    const StampRules rules{unit_of(settings), settings.drift_factor()};
    kind = std::make_shared<StampKind>(key, ttl, settings.tick(), rules);
  }
  return std::make_unique<Acquire>(
      times_of(settings), std::move(kind),
      RetryPolicy::exact(settings.attempts, settings.tick() * settings.pause), entropy);
}

std::unique_ptr<QuorumQuery> make_query(const Settings& settings, const CommandBook& book,
                                        const Root& root, int round) {
  const Resource key(key_of_round(round));
  const Token token(book.token(root.token));
  if (root.kind == Root::Kind::extend) {
    const Duration ttl =
        settings.tick() * (settings.extend_ttl > 0 ? settings.extend_ttl : settings.ttl);
    return std::make_unique<Extend>(
        times_of(settings), std::make_shared<QuorumKind>(key, ttl, settings.drift_factor()), token);
  }
  const auto rule = QuorumRule::majority(static_cast<std::size_t>(settings.servers));
  if (settings.lock == LockKind::quorum) {
    return std::make_unique<QuorumQuery>(times_of(settings), rule, ReleaseAndHandOver{key, token},
                                         LossDetail::none);
  }
  const StampProof proof = root.accepts_plain ? StampProof::exact_or_plain : StampProof::exact;
  // One millisecond below a tick, so that a stamp with a whole tick left is still released.
  const Duration margin = settings.tick() - Duration::ms(1);
  const StampKind kind(key, {}, margin, StampRules{unit_of(settings)}, proof);
  return std::make_unique<QuorumQuery>(times_of(settings), rule,
                                       kind.release(Token(book.stamp(root.token, settings))),
                                       LossDetail::none);
}

}  // namespace redlock::exhaustive
