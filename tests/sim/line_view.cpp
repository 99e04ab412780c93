// Reading a line's keys.
#include "sim/line_view.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace redlock::sim {

namespace {

const Entry* alive_entry(const Keyspace& keyspace, const std::string& name, std::int64_t now_ms) {
  for (const Entry& entry : keyspace.entries()) {
    if (entry.name == name && keyspace.alive(entry, now_ms)) return &entry;
  }
  return nullptr;
}

bool read_digits(std::string_view text, std::int64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number >= 0;
}

// Four words: where, of which join, for how long, when.
std::optional<Stander::Told> read_told(std::string_view text) {
  std::array<std::string_view, 4> words;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t size = std::min(text.find(' '), text.size());
    words[i] = text.substr(0, size);
    if (words[i].empty() || (size == text.size()) != (i + 1 == words.size())) return std::nullopt;
    text.remove_prefix(std::min(size + 1, text.size()));
  }
  Stander::Told told{std::string(words[0]), std::string(words[1])};
  if (words[1].find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  if (!read_digits(words[2], told.ttl_ms) || !read_digits(words[3], told.heard_s)) {
    return std::nullopt;
  }
  return told;
}

}  // namespace

const Stander* LineView::find(std::string_view token) const {
  const auto place = std::ranges::find(line, token, &Stander::token);
  return place == line.end() ? nullptr : &*place;
}

LineView look_at_line(const Keyspace& keyspace, std::string_view key, std::int64_t now_ms) {
  LineView view;
  const std::string name(key);
  if (const Entry* lock = alive_entry(keyspace, name, now_ms)) {
    view.held = lock->type == ValueType::string ? lock->value : "(no lock)";
    view.held_until_ms = lock->expires_ms;
  }
  const Entry* line = alive_entry(keyspace, name + ":redlock:line", now_ms);
  const Entry* waiters = alive_entry(keyspace, name + ":redlock:waiters", now_ms);
  for (const Entry* one : {line, waiters}) {
    if (one != nullptr) view.key_ends_ms.push_back(one->expires_ms);
  }
  if (waiters != nullptr) view.told = waiters->items.size();
  if (line == nullptr) return view;
  for (const Item& item : line->items) {
    Stander stander{item.name, static_cast<std::int64_t>(item.score), std::nullopt};
    if (waiters != nullptr) {
      const auto told = std::ranges::find(waiters->items, item.name, &Item::name);
      if (told != waiters->items.end()) stander.told = read_told(told->value);
    }
    view.line.push_back(std::move(stander));
  }
  return view;
}

}  // namespace redlock::sim
