// The production operations that the clients of a small world run.
//
// Pure but for the entropy that is handed in, which must outlive the operation.
#pragma once
#include <memory>
#include <string>

#include "exhaustive/machine_table.hpp"
#include "redlock/algorithm/acquire.hpp"
#include "redlock/algorithm/quorum_query.hpp"

namespace redlock::exhaustive {

// The key of a client's turn; the world itself knows only the first.
[[nodiscard]] std::string key_of_round(int round);

// Bytes that say how often they were asked for: every draw is another, and the same in every run.
class CountingEntropy final : public Entropy {
 public:
  void fill(std::span<std::byte> bytes) override;
  [[nodiscard]] int draws() const { return draws_; }

 private:
  int draws_ = 0;
};

[[nodiscard]] std::unique_ptr<Acquire> make_acquire(const Settings& settings, int round,
                                                    Entropy& entropy);
// An extend or a release.
[[nodiscard]] std::unique_ptr<QuorumQuery> make_query(const Settings& settings,
                                                      const CommandBook& book, const Root& root,
                                                      int round);

}  // namespace redlock::exhaustive
