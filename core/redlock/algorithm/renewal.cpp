// The schedule of a lease that is renewed.
#include "redlock/algorithm/renewal.hpp"

#include <algorithm>
#include <bit>

#include "redlock/algorithm/invariant.hpp"

namespace redlock {

namespace {

constexpr std::int64_t kEarlinessMax = 1000;
// Of a lease that came from elsewhere little may be left: it is due when half of that is over.
constexpr std::int64_t kSoonPart = 2;

Duration part_of(Duration whole, std::int64_t parts) {
  return Duration::ns(whole.count_ns() / parts);
}

}  // namespace

Renewal::Renewal(RenewalTerms terms, Instant acquired_at, Instant valid_until, Entropy& entropy)
    : terms_(terms),
      acquired_at_(acquired_at),
      valid_until_(std::min(valid_until, acquired_at + terms.renew_max)),
      earliness_(random_between(entropy, 0, kEarlinessMax)),
      due_(after(acquired_at, std::min(part_of(terms.ttl, kRenewalPart),
                                       part_of(valid_until_ - acquired_at, kSoonPart)))) {}

Duration Renewal::a_little_less(Duration pause) const {
  const Duration tenth = part_of(pause, 10);
  return pause - part_of(tenth * static_cast<std::int64_t>(earliness_), kEarlinessMax);
}

Instant Renewal::after(Instant now, Duration pause) const {
  const auto ttl_ns = static_cast<std::uint64_t>(terms_.ttl.count_ns());
  const auto step_ns = static_cast<std::int64_t>(std::bit_floor(ttl_ns / kGridPart));
  const std::int64_t over_ns = (now + a_little_less(pause)).since_epoch_ns();
  return Instant::from_ns(step_ns == 0 ? over_ns : over_ns - over_ns % step_ns);
}

Instant Renewal::worth_from() const { return valid_until_ + part_of(terms_.ttl, kTroublePart); }

// Not where the end of the renewal is so near that an extend would end no later than what is
// trusted already.
bool Renewal::gains(Instant now) const {
  return std::min(now + terms_.ttl, renewed_until()) > worth_from();
}

std::optional<Instant> Renewal::next_event(Instant now) const {
  if (loss(now) != Loss::none) return std::nullopt;
  if (under_way_ || renewed_until() <= worth_from()) return valid_until_;
  // Its owner may have extended it for so long that an extend gains nothing for a while.
  const Instant gaining = worth_from() - terms_.ttl + Duration::ns(1);
  return std::min(std::max(due_, gaining), valid_until_);
}

std::optional<Duration> Renewal::extend_by(Instant now) {
  if (under_way_ || now < due_ || loss(now) != Loss::none || !gains(now)) return std::nullopt;
  under_way_ = true;
  return std::min(terms_.ttl, renewed_until() - now);
}

void Renewal::extended(Instant valid_until, Instant now) {
  REDLOCK_INVARIANT(under_way_);
  under_way_ = false;
  // What was lost meanwhile stays lost, for its owner may have been told.
  if (loss(now) != Loss::none) return;
  valid_until_ = std::max(valid_until_, std::min(valid_until, renewed_until()));
  due_ = after(now, part_of(terms_.ttl, kRenewalPart));
}

void Renewal::failed(Instant now) {
  REDLOCK_INVARIANT(under_way_);
  under_way_ = false;
  due_ = after(now, part_of(terms_.ttl, kTroublePart));
}

void Renewal::denied() {
  REDLOCK_INVARIANT(under_way_);
  denied_ = true;
}

void Renewal::trusted(Instant until) { valid_until_ = std::max(valid_until_, until); }

Loss Renewal::loss(Instant now) const {
  if (denied_) return Loss::denied;
  if (now < valid_until_) return Loss::none;
  // What an extend is trusted for is less than it asked for.
  return worth_from() >= renewed_until() ? Loss::renew_max : Loss::silence;
}

}  // namespace redlock
