// The acquiring machine against a deliberately dumb twin, over random schedules.
//
// The twin moves in ticks of one millisecond and counts everything anew on every occasion. Both
// write down what they send and what they decide; the two diaries must be equal.
#include <gtest/gtest.h>

#include <sstream>

#include "redlock/algorithm/acquire.hpp"
#include "redlock/algorithm/quorum_kind.hpp"
#include "support/machine.hpp"
#include "support/seeded_entropy.hpp"

namespace redlock::acquire_twin_test {
namespace {

constexpr std::int64_t kNever = 1'000'000;

struct PlannedReply {
  std::int64_t after_ms = kNever;
  Reply reply;
};

struct Schedule {
  std::size_t node_count = 1;
  std::vector<std::int64_t> times_ms;
  std::size_t attempts = 1;
  std::int64_t pause_ms = 0;
  std::int64_t ttl_ms = 10;
  std::int64_t abort_at_ms = kNever;
  std::vector<std::vector<PlannedReply>> replies;  // by attempt, then node
  std::vector<std::vector<bool>> doubts;           // likewise
};

Reply random_reply(test::SeededEntropy& random) {
  constexpr Fault kFaults[] = {Fault::connect, Fault::resolve,  Fault::bound,
                               Fault::closed,  Fault::protocol, Fault::rejected};
  switch (random.between(0, 4)) {
    case 0:
    case 1:
      return Reply::granted();
    case 2:
    case 3:
      return Reply::denied();
    default:
      return Reply::unknown(kFaults[random.between(0, 5)], "");
  }
}

Schedule random_schedule(std::uint64_t seed) {
  test::SeededEntropy random(seed);
  const auto ms = [&](std::uint64_t low, std::uint64_t high) {
    return static_cast<std::int64_t>(random.between(low, high));
  };
  Schedule plan;
  plan.node_count = random.between(1, 7);
  plan.attempts = random.between(1, 4);
  plan.pause_ms = ms(0, 5);
  plan.ttl_ms = ms(3, 20);
  if (random.between(0, 9) == 0) plan.abort_at_ms = ms(1, 60);
  for (std::size_t i = 0; i < plan.node_count; ++i) plan.times_ms.push_back(ms(1, 20));
  plan.doubts.resize(plan.attempts);
  for (auto& round : plan.doubts) {
    for (std::size_t i = 0; i < plan.node_count; ++i) round.push_back(random.between(0, 3) == 0);
  }
  plan.replies.resize(plan.attempts);
  for (auto& round : plan.replies) {
    round.resize(plan.node_count);
    for (PlannedReply& planned : round) {
      if (random.between(0, 7) == 0) continue;
      planned = {ms(1, 25), random_reply(random)};
    }
  }
  return plan;
}

constexpr const char* name_of(Decision decision) {
  constexpr const char* kNames[] = {"granted",           "denied",      "split",   "late",
                                    "expired_unclaimed", "unreachable", "foreign", "aborted"};
  return kNames[static_cast<int>(decision)];
}

class Twin {
 public:
  explicit Twin(const Schedule& plan) : plan_(plan) {}

  std::string run() {
    begin(0);
    for (std::int64_t now = 1; !done_ && now < 1000; ++now) {
      for (std::size_t i = 0; i < plan_.node_count && !done_; ++i) take_planned(i, now);
      if (!done_ && resume_ms_ < 0) time_out(now);
      while (!done_ && resume_ms_ >= 0 && now >= resume_ms_) begin(now);
      if (!done_ && now == plan_.abort_at_ms) abort(now);
    }
    return diary_.str();
  }

 private:
  void begin(std::int64_t now) {
    ++attempt_;
    start_ms_ = now;
    resume_ms_ = -1;
    failed_ = false;
    late_ = false;
    answers_.assign(plan_.node_count, std::nullopt);
    for (std::size_t i = 0; i < plan_.node_count; ++i) {
      diary_ << now << " SET " << i << " of attempt " << attempt_ << '\n';
    }
  }
  void take_planned(std::size_t node, std::int64_t now) {
    const PlannedReply& planned = plan_.replies[attempt_ - 1][node];
    if (resume_ms_ >= 0 || answers_[node] || start_ms_ + planned.after_ms != now) return;
    answers_[node] = planned.reply;
    judge(now);
  }
  void time_out(std::int64_t now) {
    bool any = false;
    for (std::size_t i = 0; i < plan_.node_count; ++i) {
      if (answers_[i] || now < start_ms_ + plan_.times_ms[i]) continue;
      answers_[i] = Reply::unknown(Fault::timeout, "");
      any = true;
    }
    if (any) judge(now);
  }
  [[nodiscard]] std::size_t count(std::optional<Answer> wanted) const {
    std::size_t found = 0;
    for (const auto& answer : answers_) {
      const auto said = answer ? std::optional(answer->answer) : std::nullopt;
      if (said == wanted) ++found;
    }
    return found;
  }
  void judge(std::int64_t now) {
    const std::size_t silent = count(std::nullopt);
    const std::size_t granted = count(Answer::granted);
    if (!failed_) {
      const std::int64_t left_ms = plan_.ttl_ms - (now - start_ms_) - 2;
      late_ = 2 * granted > plan_.node_count;
      if (late_ && left_ms > 0) return finish(Decision::granted, now);
      if (!late_ && 2 * (granted + silent) > plan_.node_count && !hopeless(granted)) return;
      fail(now);
    }
    if (attempt_ < plan_.attempts) return;
    const std::size_t denied = count(Answer::denied);
    if (late_) return finish(Decision::expired_in_flight, now);
    if (2 * denied > plan_.node_count) return finish(Decision::denied, now);
    if (2 * (granted + denied) > plan_.node_count) return finish(Decision::split, now);
    if (2 * (granted + denied + silent) <= plan_.node_count) finish(Decision::unreachable, now);
  }
  // A majority has answered plainly, and those whose silence is to be waited for are too few.
  [[nodiscard]] bool hopeless(std::size_t granted) const {
    std::size_t expected = 0;
    for (std::size_t i = 0; i < plan_.node_count; ++i) {
      if (!answers_[i] && !plan_.doubts[attempt_ - 1][i]) ++expected;
    }
    const std::size_t reached = granted + count(Answer::denied);
    return 2 * reached > plan_.node_count && 2 * (granted + expected) <= plan_.node_count;
  }
  void fail(std::int64_t now) {
    failed_ = true;
    undo(now);
    if (attempt_ < plan_.attempts) resume_ms_ = now + plan_.pause_ms;
  }
  void undo(std::int64_t now) {
    for (std::size_t i = 0; i < plan_.node_count; ++i) {
      const bool clean =
          answers_[i] &&
          (answers_[i]->answer == Answer::denied || answers_[i]->fault == Fault::connect ||
           answers_[i]->fault == Fault::resolve || answers_[i]->fault == Fault::bound);
      if (!clean) diary_ << now << " DEL " << i << " of attempt " << attempt_ << '\n';
    }
  }
  void abort(std::int64_t now) {
    if (resume_ms_ < 0 && !failed_) undo(now);
    finish(Decision::aborted, now);
  }
  void finish(Decision decision, std::int64_t now) {
    done_ = true;
    diary_ << now << ' ' << name_of(decision);
    if (decision == Decision::granted) diary_ << ' ' << plan_.ttl_ms - (now - start_ms_) - 2;
    diary_ << '\n';
  }

  const Schedule& plan_;
  std::ostringstream diary_;
  std::vector<std::optional<Reply>> answers_;
  std::size_t attempt_ = 0;
  std::int64_t start_ms_ = 0;
  std::int64_t resume_ms_ = -1;
  bool failed_ = false;
  bool late_ = false;
  bool done_ = false;
};

class Original {
 public:
  explicit Original(const Schedule& plan)
      : plan_(plan), acquire_(times(plan), kind(plan), retry(plan), entropy_) {}

  std::string run() {
    acquire_.start(test::t(0));
    collect(0);
    for (std::int64_t now = 1; acquire_.outcome() == nullptr && now < 1000; ++now) tick(now);
    if (const Outcome* outcome = acquire_.outcome()) {
      diary_ << (outcome->decided_at - test::t(0)).count_ms() << ' ' << name_of(outcome->decision);
      if (outcome->decision == Decision::granted) diary_ << ' ' << outcome->validity.count_ms();
      diary_ << '\n';
    }
    return diary_.str();
  }

 private:
  struct Due {
    std::int64_t at_ms;
    NodeIndex node;
    AttemptNumber attempt;
    Reply reply;
  };
  static AnswerTimes times(const Schedule& plan) {
    std::vector<Duration> spans;
    for (const std::int64_t ms : plan.times_ms) spans.push_back(Duration::ms(ms));
    return std::make_shared<const std::vector<Duration>>(std::move(spans));
  }
  static std::shared_ptr<const LockKind> kind(const Schedule& plan) {
    return std::make_shared<QuorumKind>(Resource("r"), Duration::ms(plan.ttl_ms), 0);
  }
  static RetryPolicy retry(const Schedule& plan) {
    return RetryPolicy::exact(static_cast<std::int64_t>(plan.attempts),
                              Duration::ms(plan.pause_ms));
  }
  void tick(std::int64_t now) {
    const std::vector<Due> due = due_;
    for (const Due& reply : due) {
      // Every reply comes twice, the second time too late to matter.
      if (now != reply.at_ms && now != reply.at_ms + 1) continue;
      acquire_.on_reply(reply.node, reply.attempt, reply.reply, test::t(now));
      collect(now);
    }
    for (auto at = acquire_.next_deadline(); at && *at <= test::t(now);
         at = acquire_.next_deadline()) {
      acquire_.on_time(test::t(now));
      collect(now);
    }
    if (now == plan_.abort_at_ms) acquire_.abort(test::t(now));
    collect(now);
  }
  void collect(std::int64_t now) {
    for (const Request& request : test::drain(acquire_)) {
      const auto* set = std::get_if<SetIfAbsent>(request.command.get());
      if (set != nullptr) tokens_.try_emplace(set->token, request.attempt);
      const Token& token = set ? set->token : std::get<ReleaseAndHandOver>(*request.command).token;
      diary_ << now << (set ? " SET " : " DEL ") << request.node.value() << " of attempt "
             << tokens_.at(token) << '\n';
      if (!set) continue;
      if (plan_.doubts[request.attempt - 1][request.node.value()]) {
        acquire_.on_suspicion(request.node, request.attempt);
      }
      const PlannedReply& planned = plan_.replies[request.attempt - 1][request.node.value()];
      due_.push_back({now + planned.after_ms, request.node, request.attempt, planned.reply});
    }
  }

  const Schedule& plan_;
  test::SeededEntropy entropy_;
  Acquire acquire_;
  std::map<Token, AttemptNumber> tokens_;
  std::vector<Due> due_;
  std::ostringstream diary_;
};

TEST(AcquireAgainstItsTwin, KeepsTheSameDiaryOverRandomSchedules) {
  for (std::uint64_t seed = 1; seed <= 5000; ++seed) {
    const Schedule plan = random_schedule(seed);
    ASSERT_EQ(Original(plan).run(), Twin(plan).run()) << "seed " << seed;
  }
}

TEST(AcquireAgainstItsTwin, TheRandomSchedulesReachEveryEnding) {
  std::map<std::string, int> endings;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    const Schedule plan = random_schedule(seed);
    const std::string diary = Twin(plan).run();
    for (const char* ending :
         {"granted", "denied", "split", "late", "unreachable", "aborted", "attempt 4"}) {
      if (diary.find(ending) != std::string::npos) ++endings[ending];
    }
  }
  EXPECT_EQ(endings.size(), 7U);
  for (const auto& [ending, count] : endings) EXPECT_GE(count, 20) << ending;
}

}  // namespace
}  // namespace redlock::acquire_twin_test
