// The entries, and the line in which they leave.
#include "redlock/locks/stamp_ledger.hpp"

namespace redlock {

bool StampLedger::write(const std::string& server, const Resources& keys, Entry entry,
                        Instant now) {
  notice_fork();
  drop_gone(now);
  const auto before = entries_.find({server, keys});
  if (before != entries_.end()) {
    if (before->second.taken_at > entry.taken_at) return false;
    erase(before);
  }
  entry.serial = ++latest_serial_;
  const auto place = entries_.emplace(Name{server, keys}, std::move(entry)).first;
  try {
    line_.emplace(std::pair{place->second.gone_by, place->second.serial}, &place->first);
  } catch (...) {
    // What stands in no line would never leave.
    entries_.erase(place);
    throw;
  }
  return true;
}

void StampLedger::strike(const std::string& server, const Resources& keys, Serial serial) {
  notice_fork();
  const auto found = entries_.find({server, keys});
  if (found != entries_.end() && found->second.serial == serial) erase(found);
}

StampLedger::Entry* StampLedger::find(const std::string& server, const Resources& keys) {
  notice_fork();
  const auto found = entries_.find({server, keys});
  return found == entries_.end() ? nullptr : &found->second;
}

void StampLedger::clear() {
  line_.clear();
  entries_.clear();
}

void StampLedger::notice_fork() {
  if (!watch_.forked()) return;
  watch_.start_over();
  clear();
}

void StampLedger::erase(Entries::iterator entry) {
  line_.erase({entry->second.gone_by, entry->second.serial});
  entries_.erase(entry);
}

void StampLedger::drop_gone(Instant now) {
  for (int i = 0; i < kLedgerDropsPerWrite && !line_.empty(); ++i) {
    const auto& [first, name] = *line_.begin();
    if (first.first > now) return;
    erase(entries_.find(*name));
  }
}

}  // namespace redlock
