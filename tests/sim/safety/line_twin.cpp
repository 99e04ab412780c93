// Who must be served, told and struck out, claim by claim.
#include "sim/safety/line_twin.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <tuple>

namespace redlock::sim {

namespace {

template <class Number = std::int64_t>
Number number_in(std::string_view text) {
  Number number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string standing(const LineView& view, std::size_t place, std::int64_t now_ms) {
  std::int64_t left_ms = view.held ? -1 : -2;
  if (view.held_until_ms) left_ms = *view.held_until_ms - now_ms;
  return std::to_string(left_ms) + ' ' + std::to_string(place) + ' ' + std::to_string(now_ms);
}

std::string_view text_of(std::string_view bulk) {
  bulk.remove_prefix(std::min(bulk.find('\n') + 1, bulk.size()));
  return bulk.substr(0, bulk.find('\r'));
}

bool stands_before(const Stander& one, const Stander& other) {
  return std::tie(one.ticket, one.token) < std::tie(other.ticket, other.token);
}

bool skipped(const Stander& one) { return one.told && one.told->skipped; }

bool lasts(const LineView::Key& key, std::int64_t until_ms) {
  return key.exists && (!key.until_ms || *key.until_ms > until_ms);
}

}  // namespace

void LineTwin::begins(const Deed& deed, LineView before, std::int64_t now_ms, bool serves) {
  joins_ = deed.joins;
  wish_ = deed.policy;
  before_ = std::move(before);
  now_ms_ = now_ms;
  serves_ = serves;
  published_.clear();
  handed_.reset();
  stays_ = false;
  own_ = {std::string(deed.token), number_in(deed.ticket)};
  own_.told = {std::string(deed.channel), number_in<std::uint64_t>(deed.echo), number_in(deed.ttl),
               now_ms / 1000, wish_ == "2" && was_free()};
}

void LineTwin::published(std::string_view channel, std::string_view message,
                         std::int64_t receivers) {
  // A join asks whether it may, and tells nobody anything.
  if (message.empty()) return;
  published_.push_back({std::string(channel), std::string(message), receivers});
}

std::string LineTwin::ends(std::string_view answer, const LineView& after) {
  const bool changed = after.held && after.held != before_.held;
  if (changed && *after.held != own_.token) handed_ = after.held;
  stays_ = !joins_ && after.find(own_.token) != nullptr;
  std::string wrong = judge_ends(after);
  if (!wrong.empty() || answer.starts_with('-')) return wrong;
  if (joins_ && overtaken()) return judge_overtaken(answer, after);
  for (const auto judge : {&LineTwin::judge_struck_out, &LineTwin::judge_service,
                           &LineTwin::judge_handed, &LineTwin::judge_first}) {
    wrong = (this->*judge)(after);
    if (!wrong.empty()) return wrong;
  }
  if (joins_) return answer == kGranted ? judge_granted(after) : judge_standing(answer, after);
  return stays_ && serves_ ? "who has left the line stands in it" : "";
}

void LineTwin::count(const LineView& after, LineCounts& counts) const {
  counts.handed += handed_ ? 1 : 0;
  counts.yielded += handed_ && joins_ ? 1 : 0;
  counts.overtaken += joins_ && overtaken() ? 1 : 0;
  for (const Published& push : published_) counts.unheard += push.receivers == 0 ? 1 : 0;
  for (const Stander& one : before_.line) {
    const bool gone = one.token != own_.token && one.token != handed_;
    counts.struck_out += gone && after.find(one.token) == nullptr ? 1 : 0;
  }
}

bool LineTwin::to_be_served() const {
  return wish_ == "1" || (wish_ != "0" && before_.held == own_.token);
}

// By a later join, or by nobody knows which.
bool LineTwin::overtaken() const {
  if (before_.given_to == own_.token) return before_.given_by > own_.told->echo;
  if (before_.held == own_.token) return true;
  const Stander* const stood = before_.find(own_.token);
  return stood != nullptr && stood->told && stood->told->echo > own_.told->echo;
}

bool LineTwin::anything_refused() const {
  return std::ranges::any_of(published_, [](const Published& one) { return one.receivers < 0; });
}

// `next` tells how long first, `granted` of which join: behind both comes the token.
const LineTwin::Published* LineTwin::told(const Stander& stander, std::string_view word) const {
  const auto one = std::ranges::find_if(published_, [&](const Published& push) {
    return push.message.starts_with(word) && push.message.ends_with(' ' + stander.token);
  });
  return one == published_.end() ? nullptr : &*one;
}

bool LineTwin::unreachable(const Stander& stander) const {
  if (!stander.heard_of(now_ms_)) return true;
  return std::ranges::any_of(published_, [&](const Published& push) {
    return push.receivers == 0 && push.channel == stander.told->channel &&
           push.message.ends_with(' ' + stander.token);
  });
}

// The waiters' key lasts as long as the lock that was given last.
std::string LineTwin::judge_ends(const LineView& after) const {
  std::int64_t until_ms = now_ms_ + kLineMs;
  if (lasts(after.line_key, until_ms)) return "a line that outlasts its 15 s";
  if (after.held_until_ms) until_ms = std::max(until_ms, *after.held_until_ms);
  until_ms = std::max(until_ms, before_.waiters_key.until_ms.value_or(0));
  return lasts(after.waiters_key, until_ms) ? "waiters that are known for too long" : "";
}

std::string LineTwin::judge_overtaken(std::string_view answer, const LineView& after) const {
  const bool same = after.line == before_.line && after.held == before_.held &&
                    after.held_until_ms == before_.held_until_ms && published_.empty();
  if (!same) return "a join that was overtaken has changed something";
  return text_of(answer) == standing(after, 1, now_ms_)
             ? ""
             : "a join that was overtaken was told something else";
}

std::string LineTwin::judge_struck_out(const LineView& after) const {
  for (const Stander& one : before_.line) {
    if (one.token == own_.token || after.find(one.token) != nullptr) continue;
    if (one.token == handed_ || unreachable(one)) continue;
    return "somebody who can be reached was struck out";
  }
  return {};
}

// If the lock was free: who has it now?
std::string LineTwin::judge_service(const LineView& after) const {
  if (!was_free()) return after.held == before_.held ? "" : "somebody else's lock was touched";
  if (!serves_) return {};
  if (!to_be_served()) return after.held ? "who only stands in line had the lock served" : "";
  if (!after.held) {
    const bool nobody = anything_refused() || std::ranges::all_of(after.line, skipped);
    return nobody ? "" : "the lock is free, and somebody waits for it";
  }
  const bool own = *after.held == own_.token;
  const Stander* const served = own && joins_ ? &own_ : before_.find(*after.held);
  if (served == nullptr || (own && !joins_))
    return "somebody has the lock who does not wait for it";
  const bool first = std::ranges::none_of(after.line, [&](const Stander& one) {
    return one.token != served->token && stands_before(one, *served) && !skipped(one);
  });
  if (skipped(*served)) return "somebody has the lock who yields";
  return first ? "" : "somebody has the lock who was not the first";
}

std::string LineTwin::judge_handed(const LineView& after) const {
  for (const Published& push : published_) {
    if (!push.message.starts_with("granted ") || push.receivers <= 0) continue;
    if (handed_ && push.message.ends_with(' ' + *handed_)) continue;
    return "somebody was told that he has the lock, and has not";
  }
  if (!handed_) return {};
  const Stander* const to = before_.find(*handed_);
  if (!was_free() || to == nullptr || !to->heard_of(now_ms_)) return "a lock was handed on wrongly";
  const Published* const push = told(*to, "granted ");
  if (push == nullptr || push->receivers <= 0 || push->channel != to->told->channel ||
      push->message != "granted " + std::to_string(to->told->echo) + ' ' + to->token) {
    return "a lock was handed on, and the one who has it was not told of which join";
  }
  if (after.held_until_ms != now_ms_ + to->told->ttl_ms)
    return "a lock is handed on for another ttl";
  if (after.find(*handed_) != nullptr) return "who has the lock stands in line for it";
  const bool known = after.given_to == to->token && after.given_by == to->told->echo;
  return known ? "" : "it is not known behind which join the lock was handed on";
}

// Of a key that stays free: whoever would have got it, and where all yield the first of them.
const Stander* LineTwin::first_to_ask(const LineView& after) {
  const auto one = std::ranges::find_if_not(after.line, skipped);
  return one == after.line.end() ? after.first() : &*one;
}

// Whoever has become the first, or may have, was told.
std::string LineTwin::judge_first(const LineView& after) const {
  const Stander* first = after.first();
  if (!joins_ && wish_ == "0" && was_free()) first = first_to_ask(after);
  // Who yields in vain knows it; the next one may not.
  const bool in_vain = joins_ && wish_ == "2" && first != nullptr && !after.held;
  if (in_vain && first->token == own_.token) {
    first = after.line.size() > 1 ? &after.line[1] : nullptr;
  }
  if (first == nullptr || first->token == own_.token || anything_refused() || !serves_) return {};
  const bool led = before_.first() != nullptr && before_.first()->token == own_.token;
  // Of what is no lock nobody will be told that it is free.
  const bool lock = before_.held != "(no lock)";
  const bool freed = was_free() && (to_be_served() || !joins_);
  if (!freed && (joins_ || !led || !lock)) return {};
  const Published* const push = told(*first, "next ");
  if (push != nullptr && push->receivers > 0 && push->channel == first->told->channel) return {};
  return "whoever is the first now was not told";
}

std::string LineTwin::judge_granted(const LineView& after) const {
  if (after.held != own_.token || after.held_until_ms != now_ms_ + own_.told->ttl_ms) {
    return "a join was granted, and the lock is not set for its ttl";
  }
  if (after.find(own_.token) != nullptr) return "who has the lock stands in line for it";
  const bool known = after.given_to == own_.token && after.given_by == own_.told->echo;
  return known ? "" : "it is not known behind which join the lock was granted";
}

std::string LineTwin::judge_standing(std::string_view answer, const LineView& after) const {
  const Stander* const own = after.find(own_.token);
  if (own == nullptr || *own != own_) {
    return "a join was not granted, and does not stand in line as it asked";
  }
  if (after.given_to == own_.token) {
    return "who has not the lock any more is known as the one to whom it was given";
  }
  const auto place = static_cast<std::size_t>(own - after.line.data());
  const bool right = text_of(answer) == standing(after, place, now_ms_);
  return right ? judge_neighbours(after) : "a join was told something else than is so";
}

// Of one who stands in line: they were heard of, or would be struck out by now.
std::string LineTwin::judge_neighbours(const LineView& after) const {
  const auto place = after.find(own_.token) - after.line.data();
  for (const std::ptrdiff_t next : {place - 1, place + 1}) {
    if (next < 0 || next >= std::ssize(after.line)) continue;
    if (after.line[static_cast<std::size_t>(next)].heard_of(now_ms_)) continue;
    return "a neighbour of whoever joined was not heard of, and is still there";
  }
  return {};
}

}  // namespace redlock::sim
