// When a waiter who has a few votes, and gets no more, offers them to those before him in line.
//
// He may be in the way of an earlier ticket, which has the others: a join gives such a vote away.
// Pure. One thread; owned by a wait.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "redlock/algorithm/time.hpp"

namespace redlock {

// Votes that are too few to win are offered to earlier tickets: at first after so many round trips,
// then twice as late each time.
inline constexpr std::int64_t kOfferAfterRoundTrips = 3;
// The last of so many, of which nobody claimed one, gives them back while others have a majority:
// then they are no split that dissolves, and a lease that is renewed may need them.
inline constexpr int kOffersMax = 4;
inline constexpr Duration kOfferPauseMin = Duration::ms(1);
inline constexpr Duration kOfferPauseMax = Duration::seconds(1);

class VoteOffers {
 public:
  // He has none, and none is on its way.
  void note_none() {
    most_votes_ = 0;
    at_ = Instant::never();
  }
  // He has so many. True: they are to be offered now.
  [[nodiscard]] bool are_due(std::size_t votes, Duration round_trip, Instant now) {
    if (votes > most_votes_) {
      most_votes_ = votes;
      offers_ = 0;
      pause_ = std::clamp(round_trip * kOfferAfterRoundTrips, kOfferPauseMin, kOfferPauseMax);
      at_ = now + pause_;
      return false;
    }
    if (now < at_) return false;
    pause_ = std::min(pause_ * 2, kOfferPauseMax);
    at_ = now + pause_;
    ++offers_;
    return true;
  }
  [[nodiscard]] Instant next_at() const { return at_; }
  // So often has nobody claimed one that they are given back.
  [[nodiscard]] bool in_vain() const { return offers_ >= kOffersMax; }

 private:
  std::size_t most_votes_ = 0;  // since there were none
  Duration pause_;
  int offers_ = 0;
  Instant at_ = Instant::never();
};

}  // namespace redlock
