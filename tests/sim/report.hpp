// What people read: the timeline of one schedule and the table of a batch.
#pragma once
#include <string>

#include "sim/runner.hpp"
#include "sim/trace.hpp"

namespace redlock::sim {

// The notes of the story around its first violation, or all of a story without one. At most
// `lines_max` of them.
[[nodiscard]] std::string timeline_text(const Story& story, std::size_t lines_max);
// One line a class: how often it fired, in how many schedules, and what it led to.
[[nodiscard]] std::string fault_table_text(const Totals& totals);
// "bin/sim --seed S" with what else was asked for.
[[nodiscard]] std::string replay_command(std::uint64_t seed, const PlanWishes& wishes);

}  // namespace redlock::sim
