// Reading a line's keys.
#include "sim/record/line_view.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace redlock::sim {

namespace {

template <class Number>
bool read_digits(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number >= 0;
}

// False: the text is not of so many words with one blank between two.
template <std::size_t kCount>
bool split(std::string_view text, std::array<std::string_view, kCount>& words) {
  for (std::size_t i = 0; i < kCount; ++i) {
    const std::size_t size = std::min(text.find(' '), text.size());
    words[i] = text.substr(0, size);
    if (words[i].empty() || (size == text.size()) != (i + 1 == kCount)) return false;
    text.remove_prefix(std::min(size + 1, text.size()));
  }
  return true;
}

// Where, of which join, for how long, when; behind that a sign of who is passed over.
std::optional<Stander::Told> read_told(std::string_view text) {
  constexpr std::string_view kPassedOver = " -";
  std::array<std::string_view, 4> words;
  const bool skipped = text.ends_with(kPassedOver);
  if (skipped) text.remove_suffix(kPassedOver.size());
  if (!split(text, words)) return std::nullopt;
  Stander::Told told{.channel = std::string(words[0]), .skipped = skipped};
  const bool whole = read_digits(words[1], told.echo) && read_digits(words[2], told.ttl_ms) &&
                     read_digits(words[3], told.heard_s);
  return whole ? std::optional(told) : std::nullopt;
}

std::optional<Stander::Told> told_of(const Entry& waiters, const std::string& token) {
  const auto told = std::ranges::find(waiters.items, token, &Item::name);
  return told == waiters.items.end() ? std::nullopt : read_told(told->value);
}

}  // namespace

const Stander* LineView::find(std::string_view token) const {
  const auto place = std::ranges::find(line, token, &Stander::token);
  return place == line.end() ? nullptr : &*place;
}

const Entry* alive_entry(const Keyspace& keyspace, std::string_view name, std::int64_t now_ms) {
  for (const Entry& entry : keyspace.entries()) {
    if (entry.name == name && keyspace.alive(entry, now_ms)) return &entry;
  }
  return nullptr;
}

std::string_view held_by(const Entry& lock) {
  return lock.type == ValueType::string ? std::string_view(lock.value) : "(no lock)";
}

std::string line_key_of(std::string_view key) { return std::string(key) + ":redlock:line"; }

LineView look_at_line(const Keyspace& keyspace, std::string_view key, std::int64_t now_ms) {
  LineView view;
  const std::string name(key);
  if (const Entry* lock = alive_entry(keyspace, name, now_ms)) {
    view.held = held_by(*lock);
    view.held_until_ms = lock->expires_ms;
  }
  const Entry* waiters = alive_entry(keyspace, name + ":redlock:waiters", now_ms);
  if (waiters != nullptr) {
    view.waiters_key = {true, waiters->expires_ms};
    const auto given = std::ranges::find(waiters->items, "", &Item::name);
    if (given != waiters->items.end()) {
      const std::string_view text = given->value;
      const std::size_t blank = std::min(text.find(' '), text.size() - 1);
      if (read_digits(text.substr(0, blank), view.given_by)) view.given_to = text.substr(blank + 1);
    }
  }
  const Entry* line = alive_entry(keyspace, line_key_of(key), now_ms);
  if (line == nullptr) return view;
  view.line_key = {true, line->expires_ms};
  for (const Item& item : line->items) {
    view.line.push_back({item.name, static_cast<std::int64_t>(item.score),
                         waiters == nullptr ? std::nullopt : told_of(*waiters, item.name)});
  }
  return view;
}

}  // namespace redlock::sim
