// Judging servers by what they said and did.
#include "cli/findings.hpp"

#include <algorithm>
#include <cstdlib>

namespace redlock::cli {

namespace {

// Places in line are given by clocks: who comes to two servers by clocks so far apart stands before
// others who came earlier. Locks do not depend on it.
constexpr std::int64_t kClockDoubtUs = 500'000;
// A server that began later may have forgotten locks that were taken before, as long as they live.
constexpr std::int64_t kYoungS = 60;

class Findings {
 public:
  void judge(const ServerReport& report) {
    server_ = report.server;
    if (report.fault != Fault::none) {
      return error("cannot be asked: " + report.reason);
    }
    judge_place(report.facts);
    judge_memory(report.facts);
    judge_trials(report.trials);
    for (const std::string& untold : report.facts.untold) judge_untold(untold);
  }

  void judge_together(const std::vector<ServerReport>& reports) {
    server_.clear();
    const auto count = static_cast<std::ptrdiff_t>(reports.size());
    const auto well = std::ranges::count_if(reports, [](const ServerReport& report) {
      return report.fault == Fault::none && std::ranges::none_of(report.trials, is_needed_and_bad);
    });
    if (well * 2 <= count) {
      error("locks cannot be had: " + std::to_string(well) + " of " + std::to_string(count) +
            " servers give them, which is no majority");
    } else if (count == 1) {
      warn("one server alone: while it is down there are no locks; three or five are better");
    } else if (count % 2 == 0) {
      warn(std::to_string(count) + " servers survive no more outages than " +
           std::to_string(count - 1) + ": use an odd number");
    }
    judge_clocks(reports);
  }

  std::vector<Finding> take() { return std::move(findings_); }

 private:
  static bool is_needed_and_bad(const Trial& trial) {
    return trial.fault != Fault::none && trial.deed != "wait" && trial.deed != "inspect";
  }

  void judge_place(const ServerFacts& facts) {
    if (facts.role == "replica") {
      error("is a replica: name its master, or make this server independent");
    } else if (!facts.role.empty() && facts.role != "master") {
      error("is a " + facts.role + ", which holds no locks");
    }
    if (facts.mode == "cluster") {
      warn("is a node of a cluster: it has only the locks whose keys fall into its slots");
    }
    if (facts.loading == true) error("is still loading its data: wait until it has");
    const bool durable = facts.appends == true && facts.append_sync == "always";
    if (facts.uptime_s && *facts.uptime_s < kYoungS && !durable) {
      warn("was started " + std::to_string(*facts.uptime_s) +
           " s ago, and may have forgotten locks that are still held: keep a server away for the "
           "longest ttl, or use appendfsync always");
    }
  }

  void judge_memory(const ServerFacts& facts) {
    if (facts.memory_max == 0 || facts.memory_policy.empty()) return;
    if (facts.memory_policy == "noeviction") return;
    error("may delete locks when its memory is full (maxmemory-policy " + facts.memory_policy +
          "): CONFIG SET maxmemory-policy noeviction");
  }

  void judge_trials(const std::vector<Trial>& trials) {
    for (const Trial& trial : trials) {
      if (trial.fault == Fault::none) continue;
      if (trial.deed == "wait") {
        warn("lets nobody wait in line, so that who waits asks again and again: " + trial.reason +
             advice_for(trial.fault));
      } else {
        error("a lock could not be " + done(trial.deed) + ": " + trial.reason +
              advice_for(trial.fault));
      }
    }
  }

  void judge_untold(const std::string& untold) {
    // That is for people to know who gave the rights; of locks it says nothing.
    if (untold.starts_with("ACL ")) return;
    warn("does not say all: " + untold);
  }

  void judge_clocks(const std::vector<ServerReport>& reports) {
    std::vector<std::int64_t> ahead;
    for (const ServerReport& report : reports) {
      const auto& facts = report.facts;
      if (!facts.clock_ahead_us) continue;
      ahead.push_back(*facts.clock_ahead_us);
    }
    if (ahead.empty()) return;
    const auto [low, high] = std::ranges::minmax(ahead);
    if (high - low > kClockDoubtUs) {
      warn(
          "the servers' clocks are " + std::to_string((high - low) / 1000) +
          " ms apart: let NTP set them. Locks are safe, but those who wait are served out of turn");
    } else if (std::max(std::abs(low), std::abs(high)) > kClockDoubtUs) {
      warn("this machine's clock is " +
           std::to_string(std::max(std::abs(low), std::abs(high)) / 1000) +
           " ms off theirs: let NTP set it. Locks are safe all the same");
    }
  }

  static std::string done(const std::string& deed) {
    if (deed == "take") return "taken";
    if (deed == "extend") return "extended";
    if (deed == "inspect") return "looked at";
    return "released";
  }
  static std::string advice_for(Fault fault) {
    if (fault == Fault::acl) {
      return " (give the user what docs/operations.md says; --prefix tries another name)";
    }
    if (fault == Fault::readonly) return " (a replica takes no locks)";
    if (fault == Fault::auth) return " (the password, or the user's name)";
    if (fault == Fault::oom) return " (give it more memory, or delete something)";
    if (fault == Fault::misconf) return " (its disk is full, or cannot be written)";
    if (fault == Fault::busy) return " (somebody's script runs: SCRIPT KILL)";
    return "";
  }

  void warn(std::string what) { findings_.push_back({Gravity::warning, server_, std::move(what)}); }
  void error(std::string what) { findings_.push_back({Gravity::error, server_, std::move(what)}); }

  std::string server_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> findings_of(const std::vector<ServerReport>& reports) {
  Findings findings;
  for (const ServerReport& report : reports) findings.judge(report);
  findings.judge_together(reports);
  return findings.take();
}

}  // namespace redlock::cli
