// Going through the questions with every server.
#include "redlock/locks/health_probe.hpp"

#include <memory>

#include "redlock/net/connection_upkeep.hpp"
#include "redlock/net/locator.hpp"
#include "redlock/os/clock.hpp"
#include "redlock/wire/examination.hpp"
#include "redlock/wire/facts.hpp"

namespace redlock {

template class Connection<Examination>;

namespace {

// One server, from the first question to the last.
class Examinee final : public Connection<Examination> {
 public:
  Examinee(const ServerSpec& spec, Duration timeout, Transport& transport, Entropy& entropy)
      : Connection(std::make_unique<FixedLocator>(spec.endpoint.unguarded()), timeout, transport,
                   entropy) {
    allow_connecting(*spec.connect_timeout);
  }

  void begin(Instant now) {
    began_at_ = now;
    open(now);
    ask(now);
  }
  // What has come, and what is to be said next.
  void go_on(bool readable, bool writable, Clock& clock) {
    Events answers;
    const Instant now = clock.now();
    if (readable || writable) on_ready(readable, writable, now, answers);
    for (const RespValue& answer : answers) on_reply(answer, now);
    if (!answers.empty()) ask(clock.now());
    flush(clock.now(), answers);
    on_time(now, answers);
    if (closing()) end(conversation().fault(), conversation().reason());
  }
  [[nodiscard]] bool over() const { return !has_conversation(); }
  [[nodiscard]] Examined result() && { return std::move(result_); }

 private:
  void heard(Instant /*now*/) override {}

  void ask(Instant now) {
    if (!has_conversation()) return;
    if (asked_ == questions().size()) {
      Events none;
      hang_up(none);
      return close(now);
    }
    conversation().ask(questions()[asked_].request(), now + timeout());
    asked_at_ = now;
    asked_at_wall_us_ = wall_us();
  }
  void on_reply(const RespValue& answer, Instant now) {
    if (asked_ == 0) result_.facts.first_answer_us = (now - began_at_).count_ns() / 1000;
    const Question& question = questions()[asked_++];
    read_answer(result_.facts, question, answer);
    const auto time_us = question.topic == Topic::time ? time_in(answer) : std::nullopt;
    const std::int64_t round_trip_us = (now - asked_at_).count_ns() / 1000;
    const auto& shortest = result_.facts.round_trip_us;
    if (!time_us || (shortest && *shortest <= round_trip_us)) return;
    result_.facts.round_trip_us = round_trip_us;
    result_.facts.clock_ahead_us = *time_us - (asked_at_wall_us_ + wall_us()) / 2;
  }
  void end(Fault fault, const std::string& reason) {
    result_.trouble.fault = fault;
    result_.trouble.reason = reason;
    close(Instant());
  }

  Instant began_at_;
  std::size_t asked_ = 0;  // and answered
  Instant asked_at_;
  std::int64_t asked_at_wall_us_ = 0;
  Examined result_;
};

}  // namespace

std::vector<Examined> examine(const ServerPlan& servers, Transport& transport, Clock& clock,
                              Entropy& entropy) {
  std::vector<std::unique_ptr<Examinee>> asked;
  for (const ServerSpec& spec : servers.specs()) {
    asked.push_back(std::make_unique<Examinee>(spec, *spec.timeout, transport, entropy));
    asked.back()->begin(clock.now());
  }
  std::vector<Interest> interests;
  for (;;) {
    interests.clear();
    Instant until = Instant::never();
    bool buffered = false;
    for (const auto& one : asked) {
      if (one->over()) continue;
      const Wants wants = transport.wants(one->connection(), one->has_output());
      buffered = buffered || wants.buffered;
      interests.push_back({one->connection(), wants, false, false});
      until = std::min(until, one->next_deadline().value_or(until));
    }
    if (interests.empty()) break;
    transport.wait(interests, buffered ? Instant() : until);
    auto interest = interests.begin();
    for (const auto& one : asked) {
      if (one->over()) continue;
      one->go_on(interest->readable || interest->wants.buffered, interest->writable, clock);
      ++interest;
    }
  }
  std::vector<Examined> results;
  const std::vector<std::string> names = servers.names();
  for (const auto& one : asked) {
    results.push_back(std::move(*one).result());
    ServerTrouble& trouble = results.back().trouble;
    trouble.server = names[results.size() - 1];
    if (trouble.fault == Fault::timeout) trouble = servers.timed(results.size() - 1, trouble);
  }
  return results;
}

}  // namespace redlock
