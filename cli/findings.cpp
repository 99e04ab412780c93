// Judging servers by what they said and did.
#include "cli/findings.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "cli/time_text.hpp"

namespace redlock::cli {

namespace {

// Places in line are given by clocks: who comes to two servers by clocks so far apart stands before
// others who came earlier. Locks do not depend on it.
constexpr std::int64_t kClockDoubtUs = 500'000;
constexpr std::int64_t kClusterSlots = 16'384;
// Of its timeout a server may take a half, or it is told. Recommended is four times as much.
constexpr std::int64_t kTimeoutShare = 2;
constexpr std::int64_t kFitTimeoutShare = 4;
// What it is unless a program says otherwise.
constexpr double kDriftFactor = 0.01;

class Findings {
 public:
  explicit Findings(std::chrono::milliseconds longest_ttl) : longest_ttl_(longest_ttl) {}

  void judge(const ServerReport& report) {
    server_ = report.server;
    if (report.fault != Fault::none) {
      return error("cannot be asked: " + report.reason);
    }
    if (report.server.starts_with("memory://")) {
      return error(
          "exists in each process for itself, so no other process sees its locks: for tests only");
    }
    judge_place(report.facts);
    judge_distance(report);
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
      error("no majority of the servers grants locks: only " + std::to_string(well) + " of " +
            std::to_string(count));
    } else if (count == 1) {
      warn("one server alone: while it is down there are no locks; three or five are better");
    } else if (count % 2 == 0) {
      warn(std::to_string(count) + " servers survive no more outages than " +
           std::to_string(count - 1) + ": use an odd number");
    }
    judge_clocks(reports);
    judge_disks(reports);
    judge_names(reports);
  }

  // Of the machine on which it is asked.
  void judge_machine(const ClockDiscipline& clock) {
    server_.clear();
    const SlewRisk risk = slew_risk(clock.slew_ppm, kDriftFactor);
    const std::string slewed = "this machine's clock is made to run " +
                               std::to_string(std::llround(std::abs(clock.slew_ppm))) +
                               " ppm too " + (clock.slew_ppm < 0 ? "slow" : "fast");
    const std::string advice = ": let NTP slew by 5000 ppm at most (chrony: maxslewrate 5000)";
    if (risk == SlewRisk::alone) {
      error(slewed + ", which is more than a driftFactor of 0.01 allows" + advice);
    } else if (risk == SlewRisk::with_another) {
      warn(slewed + ", and servers may be slewed the other way" + advice);
    }
    if (!clock.synchronized) {
      warn("this machine's clock is not synchronized, says its kernel: run an NTP client");
    }
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
    if (facts.mode == "cluster") judge_cluster(facts);
    if (facts.loading == true) error("is still loading its data: wait until it has");
    const bool durable = facts.appends == true && facts.append_sync == "always";
    // It may have forgotten locks that were taken before, as long as they live.
    const std::int64_t longest_s = std::chrono::ceil<std::chrono::seconds>(longest_ttl_).count();
    if (facts.uptime_s && *facts.uptime_s < longest_s && !durable) {
      warn("was started " + std::to_string(*facts.uptime_s) +
           " s ago, and may have forgotten locks that are still held: keep a server away for the "
           "longest ttl, or use appendfsync always");
    }
  }

  void judge_cluster(const ServerFacts& facts) {
    if (facts.cluster_shards == 1 && facts.cluster_slots == kClusterSlots) {
      return warn(
          "is a cluster of one shard: with a second one it would have only a part of the locks");
    }
    const bool told = facts.cluster_shards && facts.cluster_slots;
    error("is a node of a cluster, and has only the locks whose keys fall into its slots (" +
          (told ? std::to_string(*facts.cluster_shards) + " shards have " +
                      std::to_string(*facts.cluster_slots) + " of its slots"
                : "it does not say how many shards there are") +
          "): use servers that are no cluster, or a cluster of one shard with all slots");
  }

  void judge_distance(const ServerReport& report) {
    const ServerFacts& facts = report.facts;
    if (!facts.first_answer_us || !facts.round_trip_us) return;
    const std::string away = "is " + ms_text(*facts.round_trip_us) + " away";
    judge_time(away, *facts.round_trip_us, "timeout", report.timeout);
    judge_time("gave its first answer on a new connection after " + ms_text(*facts.first_answer_us),
               *facts.first_answer_us, "connectTimeout", report.connect_timeout);
  }
  void judge_time(const std::string& finding, std::int64_t taken_us, const std::string& option,
                  std::chrono::milliseconds allowed) {
    const std::int64_t allowed_us = allowed.count() * 1'000;
    const std::string advice = ": use a " + option + " of " +
                               std::to_string(fit_timeout_ms(taken_us)) + " ms or more (" +
                               std::to_string(allowed.count()) + " now)";
    if (taken_us >= allowed_us) return error(finding + advice);
    if (taken_us * kTimeoutShare > allowed_us) warn(finding + advice);
  }
  // A multiple of 50.
  static std::int64_t fit_timeout_ms(std::int64_t taken_us) {
    constexpr std::int64_t kStepUs = 50'000;
    return (taken_us * kFitTimeoutShare / kStepUs + 1) * (kStepUs / 1'000);
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
        warn("lets no client wait in line, so waiters poll: " + trial.reason +
             advice_for(trial.fault));
      } else {
        error("a lock could not be " + done(trial.deed) + ": " + trial.reason +
              advice_for(trial.fault));
      }
    }
  }

  void judge_untold(const std::string& untold) {
    // Who we are is for people to know who gave the rights; of a cluster it was said.
    if (untold.starts_with("ACL ") || untold.starts_with("CLUSTER ")) return;
    warn("does not tell everything: " + untold);
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
      warn("the servers' clocks are " + std::to_string((high - low) / 1000) +
           " ms apart: let NTP set them. Locks are safe, but waiters may be served out of turn");
    } else if (std::max(std::abs(low), std::abs(high)) > kClockDoubtUs) {
      warn("this machine's clock is " +
           std::to_string(std::max(std::abs(low), std::abs(high)) / 1000) +
           " ms off theirs: let NTP set it. Locks are safe all the same");
    }
  }

  // One whose keys are not on its disk when it confirms them forgets them as it crashes.
  void judge_disks(const std::vector<ServerReport>& reports) {
    std::string nothing;
    std::string not_all;
    for (const ServerReport& report : reports) {
      const ServerFacts& facts = report.facts;
      const bool durable = facts.appends == true && facts.append_sync == "always";
      if (!facts.appends || durable) continue;
      std::string& names = facts.appends == false && facts.saves == false ? nothing : not_all;
      names += (names.empty() ? "" : ", ") + report.server;
    }
    const std::string advice =
        ": when such a server has ended, keep it away for the longest ttl before it starts again, "
        "or use appendfsync always (docs/operations.md)";
    if (!nothing.empty()) {
      warn("some servers write nothing to disk, and forget all locks when they restart: " +
           nothing + advice);
    }
    if (!not_all.empty()) {
      warn("some servers may forget the latest locks when they crash: " + not_all + advice);
    }
  }

  // Exclusion does not suffer: one key holds one token, by whatever name it is asked for.
  void judge_names(const std::vector<ServerReport>& reports) {
    for (auto later = reports.begin(); later != reports.end(); ++later) {
      if (later->facts.run_id.empty()) continue;
      const auto same = [&](const ServerReport& other) {
        return other.facts.run_id == later->facts.run_id;
      };
      const auto first = std::find_if(reports.begin(), later, same);
      if (first == later) continue;
      server_ = later->server;
      error("is the same server as " + first->server +
            ": name it once. It has one vote but counts as two servers, so locks survive fewer "
            "outages");
    }
  }

  static std::string done(const std::string& deed) {
    if (deed == "take") return "taken";
    if (deed == "extend") return "extended";
    if (deed == "inspect") return "looked at";
    return "released";
  }
  static std::string advice_for(Fault fault) {
    if (fault == Fault::acl || fault == Fault::scripts) {
      return " (give the user what docs/operations.md says; --prefix tries another name)";
    }
    if (fault == Fault::readonly) return " (a replica takes no locks)";
    if (fault == Fault::auth) return " (the password, or the user's name)";
    if (fault == Fault::oom) return " (give it more memory, or delete something)";
    if (fault == Fault::misconf) return " (its disk is full, or cannot be written)";
    if (fault == Fault::busy) return " (another client's script runs: SCRIPT KILL)";
    return "";
  }

  void warn(std::string what) { findings_.push_back({Gravity::warning, server_, std::move(what)}); }
  void error(std::string what) { findings_.push_back({Gravity::error, server_, std::move(what)}); }

  std::chrono::milliseconds longest_ttl_;
  std::string server_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> findings_of(const std::vector<ServerReport>& reports,
                                 std::chrono::milliseconds longest_ttl,
                                 const std::optional<ClockDiscipline>& clock) {
  Findings findings(longest_ttl);
  for (const ServerReport& report : reports) findings.judge(report);
  findings.judge_together(reports);
  if (clock) findings.judge_machine(*clock);
  return findings.take();
}

}  // namespace redlock::cli
