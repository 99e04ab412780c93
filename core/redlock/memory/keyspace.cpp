// A flat list of keys: a schedule never has more than a handful.
#include "redlock/memory/keyspace.hpp"

#include <algorithm>
#include <stdexcept>

namespace redlock::memory {

namespace {
constexpr std::size_t kChangesUsual = 16;
}

Entry* Keyspace::locate(std::uint32_t database, std::string_view name) {
  for (Entry& entry : entries_) {
    if (entry.database == database && entry.name == name) return &entry;
  }
  return nullptr;
}

const Entry* Keyspace::find(std::uint32_t database, std::string_view name) {
  return locate_alive(database, name);
}

Entry* Keyspace::locate_alive(std::uint32_t database, std::string_view name) {
  Entry* entry = locate(database, name);
  if (entry == nullptr || alive(*entry, now_ms_)) return entry;
  entries_.erase(entries_.begin() + (entry - entries_.data()));
  return nullptr;
}

void Keyspace::note(std::uint32_t database, std::string_view name, const Entry* before) {
  if (!journaled_) return;
  if (journal_.empty()) journal_.reserve(kChangesUsual);
  journal_.push_back({true_ns_, database, std::string(name),
                      before == nullptr ? std::nullopt : std::optional<Entry>(*before)});
}

void Keyspace::put(Entry entry) {
  Entry* const before = locate_alive(entry.database, entry.name);
  if (observer_ != nullptr) observer_->key_changes(before, &entry);
  note(entry.database, entry.name, before);
  if (before != nullptr) {
    *before = std::move(entry);
  } else {
    entries_.push_back(std::move(entry));
  }
}

void Keyspace::set_expiry(std::uint32_t database, std::string_view name, std::int64_t expires_ms) {
  const Entry* before = find(database, name);
  Entry after = *before;
  after.expires_ms = expires_ms;
  put(std::move(after));
}

bool Keyspace::erase(std::uint32_t database, std::string_view name) {
  const Entry* before = find(database, name);
  if (before == nullptr) return false;
  if (observer_ != nullptr) observer_->key_changes(before, nullptr);
  note(database, name, before);
  entries_.erase(entries_.begin() + (before - entries_.data()));
  return true;
}

void Keyspace::clear() {
  while (!entries_.empty()) {
    const Entry& last = entries_.back();
    if (observer_ != nullptr && alive(last, now_ms_)) observer_->key_changes(&last, nullptr);
    note(last.database, last.name, &last);
    entries_.pop_back();
  }
}

void Keyspace::drop_expired() {
  std::erase_if(entries_, [this](const Entry& entry) { return !alive(entry, now_ms_); });
}

void Keyspace::roll_back(std::int64_t true_ns) {
  if (!journaled_) throw std::logic_error("a keyspace without a journal cannot go back");
  while (!journal_.empty() && journal_.back().true_ns > true_ns) {
    Change change = std::move(journal_.back());
    journal_.pop_back();
    Entry* place = locate(change.database, change.name);
    if (observer_ != nullptr) {
      observer_->key_changes(place, change.before ? &*change.before : nullptr);
    }
    if (place != nullptr) entries_.erase(entries_.begin() + (place - entries_.data()));
    if (change.before) entries_.push_back(std::move(*change.before));
  }
}

}  // namespace redlock::memory
