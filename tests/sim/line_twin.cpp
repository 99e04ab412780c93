// Who must be served, told and struck out, claim by claim.
#include "sim/line_twin.hpp"

#include <algorithm>
#include <charconv>
#include <tuple>

namespace redlock::sim {

namespace {

constexpr std::string_view kRefused{"-"};

std::int64_t number_in(std::string_view text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string standing(const LineView& after, std::string_view me, std::int64_t now_ms) {
  std::int64_t left_ms = after.held ? -1 : -2;
  if (after.held_until_ms) left_ms = *after.held_until_ms - now_ms;
  const bool first = after.first() != nullptr && after.first()->token == me;
  return std::to_string(left_ms) + (first ? " 1 " : " 0 ") + std::to_string(now_ms);
}

}  // namespace

void LineTwin::begins(const Deed& deed, LineView before, std::int64_t now_ms, bool serves) {
  me_ = deed.token;
  joins_ = deed.joins;
  before_ = std::move(before);
  now_ms_ = now_ms;
  serves_ = serves;
  published_.clear();
  handed_.reset();
  stays_ = false;
  own_ = {me_, number_in(deed.ticket), std::nullopt};
  own_.told = {std::string(deed.channel), std::string(deed.echo), number_in(deed.ttl),
               now_ms / 1000};
}

void LineTwin::published(std::string_view channel, std::string_view message,
                         std::int64_t receivers) {
  published_.push_back({std::string(channel), std::string(message), receivers});
}

std::string LineTwin::ends(std::string_view answer, const LineView& after) {
  std::string wrong = judge_keys(after);
  if (!wrong.empty() || answer.starts_with(kRefused)) return wrong;
  if (after.held && after.held != before_.held && *after.held != me_) handed_ = after.held;
  stays_ = !joins_ && after.find(me_) != nullptr;
  for (const auto& judge : {&LineTwin::judge_struck_out, &LineTwin::judge_service,
                            &LineTwin::judge_handed, &LineTwin::judge_first}) {
    wrong = (this->*judge)(after);
    if (!wrong.empty()) return wrong;
  }
  return judge_own_place(answer, after);
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

bool LineTwin::stood_before(const Stander& stander, const Stander& other) const {
  return std::tie(stander.ticket, stander.token) < std::tie(other.ticket, other.token);
}

std::string LineTwin::judge_keys(const LineView& after) const {
  for (const auto& ends_ms : after.key_ends_ms) {
    if (!ends_ms || *ends_ms > now_ms_ + kLineMs) return "a line's key that outlasts 15 s";
  }
  return {};
}

std::string LineTwin::judge_struck_out(const LineView& after) const {
  for (const Stander& one : before_.line) {
    if (one.token == me_ || after.find(one.token) != nullptr) continue;
    if (one.token == handed_ || unreachable(one)) continue;
    return "somebody who can be reached was struck out";
  }
  return {};
}

// The lock was free: who has it now?
std::string LineTwin::judge_service(const LineView& after) const {
  if (!was_free() || !serves_) return {};
  if (!after.held) {
    const Stander* first = after.first();
    if (first == nullptr || anything_refused()) return {};
    return "the lock is free, and somebody waits for it";
  }
  const Stander* served = *after.held == me_ ? (joins_ ? &own_ : nullptr) : before_.find(*after.held);
  if (served == nullptr) return "the lock was given to somebody who does not wait";
  for (const Stander& one : after.line) {
    if (one.token != served->token && stood_before(one, *served)) {
      return "the lock was given to somebody who was not the first";
    }
  }
  return {};
}

std::string LineTwin::judge_handed(const LineView& after) const {
  for (const Published& push : published_) {
    if (!push.message.starts_with("granted ") || push.receivers <= 0) continue;
    if (handed_ && push.message.ends_with(' ' + *handed_)) continue;
    return "somebody was told that he has the lock, and has not";
  }
  if (!handed_) return {};
  const Stander* to = before_.find(*handed_);
  if (!was_free() || to == nullptr || !to->heard_of(now_ms_)) return "a lock was handed on wrongly";
  const Published* push = told(*to, "granted ");
  if (push == nullptr || push->receivers <= 0 || push->channel != to->told->channel ||
      push->message != "granted " + to->told->echo + ' ' + to->token) {
    return "a lock was handed on, and the one who has it was not told of which join";
  }
  if (after.held_until_ms != now_ms_ + to->told->ttl_ms) return "a lock was handed on for another ttl";
  return after.find(*handed_) == nullptr ? "" : "who has the lock stands in line for it";
}

// Whoever has become the first, or may have, was told.
std::string LineTwin::judge_first(const LineView& after) const {
  const Stander* first = after.first();
  if (first == nullptr || first->token == me_ || anything_refused() || !serves_) return {};
  const bool led = before_.first() != nullptr && before_.first()->token == me_;
  if (!was_free() && (joins_ || !led || stays_)) return {};
  const Published* push = told(*first, "next ");
  if (push != nullptr && push->receivers > 0 && push->channel == first->told->channel) return {};
  return "whoever is the first now was not told";
}

std::string LineTwin::judge_own_place(std::string_view answer, const LineView& after) const {
  const Stander* own = after.find(me_);
  if (!joins_ || answer == ":1\r\n") {
    if (joins_ && (after.held != me_ || after.held_until_ms != now_ms_ + own_.told->ttl_ms)) {
      return "a join was granted, and the lock is not set for its ttl";
    }
    if (own == nullptr) return {};
    if (joins_) return "who was granted the lock stands in line for it";
    return serves_ ? "who has left the line stands in it" : "";
  }
  const std::size_t begin = answer.find('\n') + 1;
  const std::string_view text = answer.substr(begin, answer.find('\r', begin) - begin);
  if (own == nullptr || !own->told || own->ticket != own_.ticket ||
      std::tie(own->told->channel, own->told->echo, own->told->ttl_ms, own->told->heard_s) !=
          std::tie(own_.told->channel, own_.told->echo, own_.told->ttl_ms, own_.told->heard_s)) {
    return "a join was not granted, and does not stand in line as it asked";
  }
  return text == standing(after, me_, now_ms_) ? "" : "a join was told something else than is so";
}

}  // namespace redlock::sim
