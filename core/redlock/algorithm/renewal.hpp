// When a lease that is renewed is extended next, and when and why it is lost.
//
//   resting ──due──▶ extending ──extended────▶ resting, due a third of the ttl later
//      ▲                 │ ├─────no majority──▶ resting, due soon: trouble never ends the renewal
//      │                 │ └─────denied───────▶ lost
//      └─────────────────┘
//   resting, extending ──nothing can be trusted any more──▶ lost
//
// Whoever drives it asks next_event(), waits until then, asks extend_by(), and tells what came of
// the extend. Leases acquired in one moment do not ask in one moment: each draws how early it is.
// But the moments form a grid that all leases of about one ttl share, so that many extends travel
// together.
// Invariants: what is trusted never ends later than renew_max after the lease was acquired; a lease
// that is lost stays lost. Pure. One thread.
#pragma once
#include <cstdint>
#include <optional>

#include "redlock/algorithm/entropy.hpp"
#include "redlock/algorithm/time.hpp"

namespace redlock {

// A pause is this part of the ttl: after a success, and after trouble.
inline constexpr std::int64_t kRenewalPart = 3;
inline constexpr std::int64_t kTroublePart = 16;
// Two moments of the grid are at most this part of the ttl apart. It is a power of two of
// nanoseconds, so that every moment of a long ttl is one of a short ttl too.
inline constexpr std::int64_t kGridPart = 256;

struct RenewalTerms {
  Duration ttl;
  Duration renew_max;  // from when it was acquired; at least the ttl
};

enum class Loss {
  none,
  denied,     // a majority says that the lock is not ours
  silence,    // no majority has confirmed it for as long as it may be trusted
  renew_max,  // it was renewed for as long as its owner allowed
};

class Renewal {
 public:
  // Throws where there is no randomness; nothing later does.
  Renewal(RenewalTerms terms, Instant acquired_at, Instant valid_until, Entropy& entropy);

  // Until then nothing need be done; nothing where the lease is lost.
  [[nodiscard]] std::optional<Instant> next_event(Instant now) const;
  // For how long it is to be extended now; nothing while it is not due, or would gain nothing.
  // Where there is something, an extend is under way from now on, and one of the three below must
  // follow.
  [[nodiscard]] std::optional<Duration> extend_by(Instant now);
  void extended(Instant valid_until, Instant now);
  // No majority could be asked, or it answered too late: the lease is as good as before.
  void failed(Instant now);
  void denied();
  // Its owner extended it by itself. That takes nothing away.
  void trusted(Instant until);

  // Of the lease as a whole: silence is loss from the moment when the deadline comes.
  [[nodiscard]] Loss loss(Instant now) const;
  [[nodiscard]] Instant valid_until() const { return valid_until_; }

  // What tells two renewals of one lease apart.
  struct Snapshot {
    Instant valid_until;
    Instant due;
    bool under_way;
    bool denied;

    bool operator==(const Snapshot&) const = default;
  };
  [[nodiscard]] Snapshot snapshot() const { return {valid_until_, due_, under_way_, denied_}; }

 private:
  [[nodiscard]] Instant renewed_until() const { return acquired_at_ + terms_.renew_max; }
  // An extend must end later than that to be worth its way.
  [[nodiscard]] Instant worth_from() const;
  [[nodiscard]] bool gains(Instant now) const;
  // Between nine tenths and the whole.
  [[nodiscard]] Duration a_little_less(Duration pause) const;
  // When a pause that begins now is over, or at the last moment of the grid before that.
  [[nodiscard]] Instant after(Instant now, Duration pause) const;

  RenewalTerms terms_;
  Instant acquired_at_;
  Instant valid_until_;
  std::uint64_t earliness_;  // 0 to 1000
  Instant due_;
  bool under_way_ = false;
  bool denied_ = false;
};

}  // namespace redlock
