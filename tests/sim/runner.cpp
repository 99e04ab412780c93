// Threads that take schedules in small portions.
#include "sim/runner.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace redlock::sim {

namespace {

constexpr std::uint64_t kPortion = 64;
thread_local std::uint64_t current_seed = 0;

void add_counts(FaultCounts& sum, const FaultCounts& more) {
  for (std::size_t i = 0; i < kFaultClasses; ++i) sum[i] += more[i];
}

void add_judged(Judged& sum, const Judged& more) {
  for (std::size_t i = 0; i < kViolationKinds; ++i) sum[i] += more[i];
}

void keep_lowest(std::vector<Failure>& failures) {
  std::ranges::sort(failures, {}, &Failure::seed);
  if (failures.size() > kFailuresKept) failures.resize(kFailuresKept);
}

void add_outside(Totals& totals, std::uint64_t seed, const ScheduleResult& result) {
  const auto index = static_cast<std::size_t>(result.outside_class);
  ++totals.outside_schedules[index];
  if (result.violations.size() == result.failures.size()) return;
  ++totals.outside_violations[index];
  std::uint64_t& lowest = totals.outside_first_seed[index];
  lowest = lowest == 0 ? seed : std::min(lowest, seed);
}

void add_result(Totals& totals, std::uint64_t seed, const ScheduleResult& result) {
  ++totals.schedules;
  totals.events += result.events;
  totals.grants += result.grants;
  add_counts(totals.fired, result.fired);
  for (std::size_t i = 0; i < kFaultClasses; ++i) {
    if (result.fired[i] > 0) ++totals.schedules_with[i];
  }
  if (result.model == Model::outside) add_outside(totals, seed, result);
  if (result.model == Model::inside) ++totals.inside;
  add_judged(totals.judged, result.judged);
  if (result.failures.empty()) return;
  ++totals.failed;
  for (const Violation& violation : result.failures) {
    ++totals.failed_kinds[static_cast<std::size_t>(violation.kind)];
  }
  totals.failures.push_back({seed, result.failures.front()});
  if (totals.failures.size() > 2 * kFailuresKept) keep_lowest(totals.failures);
}

void merge(Totals& sum, Totals& part) {
  sum.schedules += part.schedules;
  sum.inside += part.inside;
  sum.events += part.events;
  sum.grants += part.grants;
  sum.failed += part.failed;
  add_counts(sum.fired, part.fired);
  add_counts(sum.schedules_with, part.schedules_with);
  add_counts(sum.outside_schedules, part.outside_schedules);
  add_counts(sum.outside_violations, part.outside_violations);
  for (std::size_t i = 0; i < kFaultClasses; ++i) {
    std::uint64_t& lowest = sum.outside_first_seed[i];
    const std::uint64_t other = part.outside_first_seed[i];
    if (other != 0) lowest = lowest == 0 ? other : std::min(lowest, other);
  }
  for (std::size_t i = 0; i < kViolationKinds; ++i) sum.failed_kinds[i] += part.failed_kinds[i];
  add_judged(sum.judged, part.judged);
  std::ranges::move(part.failures, std::back_inserter(sum.failures));
  keep_lowest(sum.failures);
}

// What the threads share.
struct Work {
  explicit Work(const Batch& what) : batch(what), running(what.jobs) {}

  const Batch& batch;
  std::atomic<std::uint64_t> next{0};
  std::atomic<std::uint64_t> done{0};
  std::atomic<std::uint64_t> failed{0};
  std::mutex mutex;
  std::condition_variable ended;
  unsigned running;
  Totals totals;
};

void work_off(Work& work) {
  LuaEngine engine;
  Totals totals;
  for (;;) {
    const std::uint64_t from = work.next.fetch_add(kPortion);
    if (from >= work.batch.count) break;
    const std::uint64_t until = std::min(from + kPortion, work.batch.count);
    const std::uint64_t failed_before = totals.failed;
    for (std::uint64_t i = from; i < until; ++i) {
      current_seed = work.batch.first_seed + i;
      add_result(totals, current_seed, run_schedule(current_seed, work.batch.wishes, engine));
    }
    work.done.fetch_add(until - from);
    work.failed.fetch_add(totals.failed - failed_before);
  }
  const std::lock_guard lock(work.mutex);
  merge(work.totals, totals);
  --work.running;
  work.ended.notify_one();
}

}  // namespace

Totals run_batch(const Batch& batch,
                 const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  Work work(batch);
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < batch.jobs; ++i) threads.emplace_back([&work] { work_off(work); });
  std::unique_lock lock(work.mutex);
  while (!work.ended.wait_for(lock, std::chrono::milliseconds(500),
                              [&work] { return work.running == 0; })) {
    progress(work.done, work.failed);
  }
  return std::move(work.totals);
}

std::uint64_t running_seed() { return current_seed; }

}  // namespace redlock::sim
