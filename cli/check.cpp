// redlock check: is every server fit for locks, and what is to be done.
#include <algorithm>
#include <array>
#include <cstdio>
#include <string>

#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/findings.hpp"
#include "cli/time_text.hpp"
#include "cli/words.hpp"

namespace redlock::cli {

namespace {

std::string disk_text(const ServerFacts& facts) {
  if (!facts.appends) return "?";
  if (*facts.appends) {
    return "append-only, fsync " + (facts.append_sync.empty() ? "?" : facts.append_sync);
  }
  if (!facts.saves) return "no append-only file";
  return *facts.saves ? "snapshots" : "nothing";
}

// What one thing after the other is, in an order that is read.
std::string facts_text(const ServerReport& report) {
  const ServerFacts& facts = report.facts;
  std::string text;
  const auto add = [&text](const std::string& name, const std::string& value) {
    if (!value.empty()) text += "    " + padded(name, 12) + " " + shown(value) + "\n";
  };
  add("server", facts.software.empty() ? "?" : facts.software + " " + facts.version);
  add("role",
      facts.role + (facts.mode.empty() || facts.mode == "standalone" ? "" : ", " + facts.mode));
  add("user", facts.user);
  const std::string bound =
      facts.memory_max ? (*facts.memory_max == 0 ? ", no maxmemory" : ", maxmemory is set") : "";
  add("memory", facts.memory_policy.empty() ? "?" : facts.memory_policy + bound);
  add("disk", disk_text(facts));
  const std::string first_answer =
      facts.first_answer_us ? ", the first " + ms_text(*facts.first_answer_us) : "";
  add("round trip", facts.round_trip_us ? ms_text(*facts.round_trip_us) + first_answer : "?");
  if (facts.clock_ahead_us) {
    const bool ahead = *facts.clock_ahead_us >= 0;
    add("clock", ms_text(std::abs(*facts.clock_ahead_us)) + (ahead ? " ahead of" : " behind") +
                     " ours, give or take " + ms_text(facts.round_trip_us.value_or(0) / 2 + 1));
  }
  std::string deeds;
  for (const Trial& trial : report.trials) {
    deeds += (deeds.empty() ? "" : ", ") + trial.deed + (trial.fault == Fault::none ? "" : " NOT");
  }
  add("a lock", deeds);
  constexpr std::string_view kPrefix = "guard: ";
  const std::string& objection = report.guard_objection;
  add("guard", objection.empty() ? "would give it a vote"
                                 : "would give it none: " + objection.substr(kPrefix.size()));
  return text;
}

// Of this machine.
std::string clock_text(const ClockDiscipline& clock) {
  std::array<char, 64> slew{};
  const int size = std::snprintf(slew.data(), slew.size(), "slewed by %.3g ppm", clock.slew_ppm);
  return "this machine\n    " + padded("clock", 12) + " " +
         (clock.synchronized ? "synchronized, at most " + ms_text(clock.error_max_us) + " off, "
                             : "not synchronized, ") +
         std::string(slew.data(), static_cast<std::size_t>(size)) + "\n";
}

std::string finding_text(const Finding& finding) {
  const std::string_view mark = finding.gravity == Gravity::error ? "ERROR" : "warning";
  return std::string(mark) + ": " + (finding.server.empty() ? "" : finding.server + " ") +
         shown(finding.what) + "\n";
}

std::string counted(std::ptrdiff_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string verdict(const std::vector<Finding>& findings) {
  const auto errors = std::ranges::count(findings, Gravity::error, &Finding::gravity);
  if (errors > 0) return "not fit for locks: " + counted(errors, "error");
  if (findings.empty()) return "fit for locks";
  return "fit for locks, with " + counted(std::ssize(findings), "warning");
}

std::string as_json(const std::optional<std::int64_t>& number) {
  return number ? std::to_string(*number) : "null";
}
std::string as_json(const std::optional<bool>& flag) {
  if (!flag) return "null";
  return *flag ? "true" : "false";
}
std::string as_json(const std::string& text) { return text.empty() ? "null" : json(text); }

std::string report_json(const ServerReport& report) {
  const ServerFacts& facts = report.facts;
  std::string out =
      "{\"server\":" + json(report.server) + ",\"error\":" + as_json(report.reason) +
      ",\"software\":" + as_json(facts.software) + ",\"version\":" + as_json(facts.version) +
      ",\"mode\":" + as_json(facts.mode) + ",\"role\":" + as_json(facts.role) +
      ",\"user\":" + as_json(facts.user) + ",\"uptime_s\":" + as_json(facts.uptime_s) +
      ",\"loading\":" + as_json(facts.loading) + ",\"maxmemory\":" + as_json(facts.memory_max) +
      ",\"maxmemory_policy\":" + as_json(facts.memory_policy) +
      ",\"appendonly\":" + as_json(facts.appends) +
      ",\"appendfsync\":" + as_json(facts.append_sync) + ",\"snapshots\":" + as_json(facts.saves) +
      ",\"run_id\":" + as_json(facts.run_id) +
      ",\"cluster_shards\":" + as_json(facts.cluster_shards) +
      ",\"cluster_slots\":" + as_json(facts.cluster_slots) +
      ",\"first_answer_us\":" + as_json(facts.first_answer_us) +
      ",\"round_trip_us\":" + as_json(facts.round_trip_us) +
      ",\"clock_ahead_us\":" + as_json(facts.clock_ahead_us) +
      ",\"guard\":" + as_json(report.guard_objection) + ",\"untold\":[";
  std::string_view between;
  for (const std::string& untold : facts.untold) {
    out.append(between).append(json(untold));
    between = ",";
  }
  out += "],\"trials\":{";
  between = {};
  for (const Trial& trial : report.trials) {
    out.append(between).append(json(trial.deed)).append(":");
    out += trial.fault == Fault::none ? "true" : json(trial.reason);
    between = ",";
  }
  return out + "}}";
}

std::string clock_json(const std::optional<ClockDiscipline>& clock) {
  if (!clock) return "null";
  std::array<char, 32> slew{};
  const int size = std::snprintf(slew.data(), slew.size(), "%.3f", clock->slew_ppm);
  return "{\"synchronized\":" + as_json(std::optional(clock->synchronized)) +
         ",\"slew_ppm\":" + std::string(slew.data(), static_cast<std::size_t>(size)) +
         ",\"error_max_us\":" + std::to_string(clock->error_max_us) + "}";
}

std::string all_json(const std::vector<ServerReport>& reports,
                     const std::optional<ClockDiscipline>& clock,
                     const std::vector<Finding>& findings) {
  std::string out = "{\"verdict\":" + json(verdict(findings)) + ",\"findings\":[";
  std::string_view between;
  for (const Finding& finding : findings) {
    out.append(between).append("{\"gravity\":");
    out += finding.gravity == Gravity::error ? "\"error\"" : "\"warning\"";
    out += ",\"server\":" + as_json(finding.server) + ",\"what\":" + json(finding.what) + "}";
    between = ",";
  }
  out += "],\"servers\":[";
  between = {};
  for (const ServerReport& report : reports) {
    out.append(between).append(report_json(report));
    between = ",";
  }
  return out + "],\"clock\":" + clock_json(clock) + "}\n";
}

}  // namespace

int check(Client& client, const Check& asked) {
  const std::vector<ServerReport> reports = client.examine(asked.prefix);
  const std::optional<ClockDiscipline> clock = clock_discipline();
  const std::vector<Finding> findings = findings_of(reports, asked.longest_ttl, clock);
  std::string out;
  if (asked.as_json) {
    out = all_json(reports, clock, findings);
  } else {
    for (const ServerReport& report : reports) {
      out += report.server + "\n";
      out += report.fault != Fault::none ? "    cannot be asked: " + shown(report.reason) + "\n"
                                         : facts_text(report);
    }
    if (clock) out += clock_text(*clock);
    for (const Finding& finding : findings) out += finding_text(finding);
    out += verdict(findings) + "\n";
  }
  say(out);
  const bool any_error = std::ranges::any_of(
      findings, [](const Finding& finding) { return finding.gravity == Gravity::error; });
  return any_error ? kNo : kDone;
}

}  // namespace redlock::cli
