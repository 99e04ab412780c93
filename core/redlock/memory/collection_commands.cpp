// The commands on hashes and sorted sets, as far as lines need them, with the texts of Redis 7.0.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>
#include <tuple>

#include "redlock/memory/server.hpp"

namespace redlock::memory {

namespace {

auto item_named(auto& items, std::string_view name) {
  return std::ranges::find(items, name, &Item::name);
}

// A sign, and digits to the base of ten or, behind 0x, of sixteen.
bool parse_score(std::string_view text, double& score) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  if (hex) text.remove_prefix(2);
  const char* const end = text.data() + text.size();
  const auto format = hex ? std::chars_format::hex : std::chars_format::general;
  const auto [last, error] = std::from_chars(text.data(), end, score, format);
  if (text.starts_with('-') || error != std::errc() || last != end) return false;
  if (negative) score = -score;
  return !std::isnan(score);
}

// The ends of a range of scores, each of which a bracket in front leaves out.
struct ScoreRange {
  double low = 0;
  double high = 0;
  bool without_low = false;
  bool without_high = false;

  [[nodiscard]] bool holds(const Item& item) const {
    return (without_low ? item.score > low : item.score >= low) &&
           (without_high ? item.score < high : item.score <= high);
  }
};

bool parse_score_range(std::string_view low, std::string_view high, ScoreRange& range) {
  range.without_low = low.starts_with('(');
  range.without_high = high.starts_with('(');
  return parse_score(low.substr(range.without_low ? 1 : 0), range.low) &&
         parse_score(high.substr(range.without_high ? 1 : 0), range.high);
}

// As Redis writes it: whole numbers without a point.
std::string score_text(double score) {
  std::array<char, 32> text;
  const auto written = std::to_chars(text.begin(), text.end(), score);
  const bool whole = std::abs(score) < 1e17 && score == std::floor(score);
  if (!whole) return {text.begin(), written.ptr};
  return std::to_string(static_cast<std::int64_t>(score));
}

constexpr std::string_view kNoRange = "ERR min or max is not a float";

// By score, and those of one score by their bytes.
bool stands_before(const Item& a, const Item& b) {
  return std::tie(a.score, a.name) < std::tie(b.score, b.name);
}

}  // namespace

Entry Server::copy_or_new(const Entry* entry, std::string_view name, ValueType type) const {
  if (entry != nullptr) return *entry;
  return Entry{session_->database, std::string(name), {}, type, std::nullopt};
}

// What has no items is not there.
void Server::put_or_erase(Entry entry) {
  if (!entry.items.empty()) return keyspace_.put(std::move(entry));
  keyspace_.erase(entry.database, entry.name);
}

void Server::hset(const Arguments& arguments, std::string& out) {
  if (arguments.size() % 2 != 0) {
    return append_error(out, "ERR wrong number of arguments for 'hset' command");
  }
  const Entry* entry = nullptr;
  if (!find_typed(arguments[1], ValueType::hash, entry, out)) return;
  Entry hash = copy_or_new(entry, arguments[1], ValueType::hash);
  std::int64_t added = 0;
  for (std::size_t i = 2; i < arguments.size(); i += 2) {
    auto place = item_named(hash.items, arguments[i]);
    if (place == hash.items.end()) {
      place = hash.items.insert(place, {.name = std::string(arguments[i])});
      ++added;
    }
    place->value = arguments[i + 1];
  }
  keyspace_.put(std::move(hash));
  append_integer(out, added);
}

void Server::hget(const Arguments& arguments, std::string& out) {
  const Entry* entry = nullptr;
  if (!find_typed(arguments[1], ValueType::hash, entry, out)) return;
  if (entry == nullptr) return append_nil(out);
  const auto item = item_named(entry->items, arguments[2]);
  if (item == entry->items.end()) return append_nil(out);
  append_bulk(out, item->value);
}

void Server::count_items(std::string_view name, ValueType type, std::string& out) {
  const Entry* entry = nullptr;
  if (!find_typed(name, type, entry, out)) return;
  append_integer(out, entry == nullptr ? 0 : static_cast<std::int64_t>(entry->items.size()));
}

void Server::hlen(const Arguments& arguments, std::string& out) {
  count_items(arguments[1], ValueType::hash, out);
}

void Server::remove_items(const Arguments& arguments, ValueType type, std::string& out) {
  const Entry* entry = nullptr;
  if (!find_typed(arguments[1], type, entry, out)) return;
  if (entry == nullptr) return append_integer(out, 0);
  Entry left = *entry;
  for (std::size_t i = 2; i < arguments.size(); ++i) {
    std::erase_if(left.items, [&](const Item& item) { return item.name == arguments[i]; });
  }
  const std::size_t removed = entry->items.size() - left.items.size();
  if (removed > 0) put_or_erase(std::move(left));
  append_integer(out, static_cast<std::int64_t>(removed));
}

void Server::hdel(const Arguments& arguments, std::string& out) {
  remove_items(arguments, ValueType::hash, out);
}

void Server::zrem(const Arguments& arguments, std::string& out) {
  remove_items(arguments, ValueType::sorted_set, out);
}

// Without options.
void Server::zadd(const Arguments& arguments, std::string& out) {
  if (arguments.size() % 2 != 0) return append_error(out, "ERR syntax error");
  std::vector<Item> given;
  for (std::size_t i = 2; i < arguments.size(); i += 2) {
    Item& item = given.emplace_back(Item{.name = std::string(arguments[i + 1])});
    if (!parse_score(arguments[i], item.score)) {
      return append_error(out, "ERR value is not a valid float");
    }
  }
  const Entry* entry = nullptr;
  if (!find_typed(arguments[1], ValueType::sorted_set, entry, out)) return;
  Entry set = copy_or_new(entry, arguments[1], ValueType::sorted_set);
  const std::size_t before = set.items.size();
  for (Item& item : given) {
    const auto place = item_named(set.items, item.name);
    if (place == set.items.end()) {
      set.items.push_back(std::move(item));
    } else {
      place->score = item.score;
    }
  }
  std::ranges::sort(set.items, stands_before);
  const std::size_t added = set.items.size() - before;
  keyspace_.put(std::move(set));
  append_integer(out, static_cast<std::int64_t>(added));
}

// By rank, and with no option but the scores.
void Server::zrange(const Arguments& arguments, std::string& out) {
  const bool with_scores =
      arguments.size() == 5 && equals_ignoring_case(arguments[4], "withscores");
  if (arguments.size() > 4 && !with_scores) return append_error(out, "ERR syntax error");
  std::int64_t first = 0;
  std::int64_t last = 0;
  if (!parse_integer(arguments[2], first) || !parse_integer(arguments[3], last)) {
    return append_error(out, "ERR value is not an integer or out of range");
  }
  const Entry* entry = nullptr;
  if (!find_typed(arguments[1], ValueType::sorted_set, entry, out)) return;
  const std::int64_t size = entry == nullptr ? 0 : static_cast<std::int64_t>(entry->items.size());
  if (first < 0) first = std::max<std::int64_t>(0, first + size);
  if (last < 0) last += size;
  last = std::min(last, size - 1);
  const std::int64_t found = std::max<std::int64_t>(last - first + 1, 0);
  append_array_header(out, static_cast<std::size_t>(with_scores ? 2 * found : found));
  for (; first <= last; ++first) {
    const auto& item = entry->items[static_cast<std::size_t>(first)];
    append_bulk(out, item.name);
    if (with_scores) append_bulk(out, score_text(item.score));
  }
}

void Server::zrank(const Arguments& arguments, std::string& out) {
  const Entry* entry = nullptr;
  if (!find_typed(arguments[1], ValueType::sorted_set, entry, out)) return;
  if (entry == nullptr) return append_nil(out);
  const auto place = item_named(entry->items, arguments[2]);
  if (place == entry->items.end()) return append_nil(out);
  append_integer(out, place - entry->items.begin());
}

void Server::zcard(const Arguments& arguments, std::string& out) {
  count_items(arguments[1], ValueType::sorted_set, out);
}

void Server::zscore(const Arguments& arguments, std::string& out) {
  const Entry* entry = nullptr;
  if (!find_typed(arguments[1], ValueType::sorted_set, entry, out)) return;
  if (entry == nullptr) return append_nil(out);
  const auto item = item_named(entry->items, arguments[2]);
  if (item == entry->items.end()) return append_nil(out);
  append_bulk(out, score_text(item->score));
}

void Server::zcount(const Arguments& arguments, std::string& out) {
  ScoreRange range;
  if (!parse_score_range(arguments[2], arguments[3], range)) return append_error(out, kNoRange);
  const Entry* entry = nullptr;
  if (!find_typed(arguments[1], ValueType::sorted_set, entry, out)) return;
  if (entry == nullptr) return append_integer(out, 0);
  append_integer(out, std::ranges::count_if(entry->items,
                                            [&](const Item& item) { return range.holds(item); }));
}

void Server::zremrangebyscore(const Arguments& arguments, std::string& out) {
  ScoreRange range;
  if (!parse_score_range(arguments[2], arguments[3], range)) return append_error(out, kNoRange);
  const Entry* entry = nullptr;
  if (!find_typed(arguments[1], ValueType::sorted_set, entry, out)) return;
  if (entry == nullptr) return append_integer(out, 0);
  Entry left = *entry;
  const auto removed =
      std::erase_if(left.items, [&](const Item& item) { return range.holds(item); });
  if (removed > 0) put_or_erase(std::move(left));
  append_integer(out, static_cast<std::int64_t>(removed));
}

}  // namespace redlock::memory
