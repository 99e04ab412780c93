// No key outlives the time that its client asked for, and drift.
#pragma once
#include "sim/record/record.hpp"

namespace redlock::sim {

class Expiry {
 public:
  // The record must outlive it.
  explicit Expiry(Record& record) : record_(record) {}

  // The key is its owner's from now on, and notes by when it is to be gone. `same`: that value
  // stood there already.
  void created(Contender owner, std::uint32_t server, std::string_view value, bool same,
               bool legacy);
  void after_event();

 private:
  [[nodiscard]] std::int64_t gone_by(Contender party, std::uint64_t value,
                                     const Owned* known) const;
  // For `value`, and whether it stood there already.
  [[nodiscard]] std::int64_t ttl_asked_for(Contender party, std::uint64_t value, bool known) const;

  Record& record_;
  std::int64_t earliest_ns_ = kForever;  // no key can be overdue before
};

}  // namespace redlock::sim
