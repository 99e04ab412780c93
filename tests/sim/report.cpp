// Plain text, aligned.
#include "sim/report.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace redlock::sim {

namespace {

std::string time_column(std::int64_t ns) {
  std::array<char, 32> text;
  const int size =
      std::snprintf(text.data(), text.size(), "%10.3f ms  ", static_cast<double>(ns) / 1e6);
  return {text.data(), static_cast<std::size_t>(size)};
}

// Violations among the notes, in order of time.
std::vector<StoryNote> all_lines(const Story& story) {
  std::vector<StoryNote> lines = story.notes;
  for (const StoryNote& violation : story.violations) {
    const auto after = std::ranges::upper_bound(lines, violation.at_ns, {}, &StoryNote::at_ns);
    lines.insert(after, {violation.at_ns, "*** " + violation.text});
  }
  return lines;
}

std::string class_line(const FaultInfo& info, const Totals& totals) {
  const auto i = static_cast<std::size_t>(info.fault_class);
  std::array<char, 200> text;
  int size = std::snprintf(text.data(), text.size(), "  %-26s %-8s %12llu %12llu",
                           std::string(info.name).c_str(),
                           info.model == Model::inside ? "inside" : "outside",
                           static_cast<unsigned long long>(totals.fired[i]),
                           static_cast<unsigned long long>(totals.schedules_with[i]));
  std::string line(text.data(), static_cast<std::size_t>(size));
  if (info.model == Model::outside && totals.outside_schedules[i] > 0) {
    size = std::snprintf(text.data(), text.size(), "   violated in %llu of %llu",
                         static_cast<unsigned long long>(totals.outside_violations[i]),
                         static_cast<unsigned long long>(totals.outside_schedules[i]));
    line.append(text.data(), static_cast<std::size_t>(size));
    if (totals.outside_first_seed[i] != 0) {
      line += ", for example seed " + std::to_string(totals.outside_first_seed[i]);
    }
  }
  return line + "\n";
}

}  // namespace

std::string timeline_text(const Story& story, std::size_t lines_max) {
  const std::vector<StoryNote> lines = all_lines(story);
  std::size_t end = lines.size();
  if (!story.violations.empty()) {
    const std::int64_t at_ns = story.violations.front().at_ns;
    const auto past = std::ranges::upper_bound(lines, at_ns, {}, &StoryNote::at_ns);
    end = static_cast<std::size_t>(past - lines.begin());
  }
  const std::size_t begin = end > lines_max ? end - lines_max : 0;
  std::string text;
  if (begin > 0) text += "  ... " + std::to_string(begin) + " lines before\n";
  for (std::size_t i = begin; i < end; ++i)
    text += time_column(lines[i].at_ns) + lines[i].text + "\n";
  return text;
}

std::string fault_table_text(const Totals& totals) {
  std::string text = "  fault                      model           fired    schedules\n";
  for (const FaultInfo& info : fault_table()) text += class_line(info, totals);
  return text;
}

std::string replay_command(std::uint64_t seed, const PlanWishes& wishes) {
  std::string command = "bin/sim --seed " + std::to_string(seed);
  if (wishes.fault_class) command += " --class " + std::string(info_of(*wishes.fault_class).name);
  if (wishes.standard_shape) command += " --standard";
  if (wishes.lines) command += " --lines";
  if (wishes.fences) command += " --fences";
  if (wishes.shared) command += " --shared";
  if (wishes.permits) command += " --permits";
  if (wishes.sets) command += " --sets";
  if (wishes.guard) command += " --guard";
  if (wishes.unguarded) command += " --unguarded";
  return command;
}

}  // namespace redlock::sim
