// Relaxed counters, which a forked child begins anew.
#include "lease/stats.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "border/guard.hpp"
#include "border/text.hpp"
#include "redlock/os/process.hpp"

namespace redlock::php {

namespace {

using Counter = std::atomic<std::uint64_t>;

constexpr std::array<const char*, 9> kNames = {"acquired",    "denied",     "timedOut",
                                               "unreachable", "extended",   "lost",
                                               "released",    "handedOver", "undone"};
constexpr std::array<std::int64_t, 9> kBoundsMs = {1, 5, 10, 50, 100, 500, 1000, 5000, 30000};

void add_one(Counter& counter) { counter.fetch_add(1, std::memory_order_relaxed); }

zend_long value_of(const Counter& counter) {
  return static_cast<zend_long>(counter.load(std::memory_order_relaxed));
}

struct Histogram {
  std::array<Counter, kBoundsMs.size() + 1> counters{};

  void add(Duration span) {
    std::size_t i = 0;
    while (i < kBoundsMs.size() && span > Duration::ms(kBoundsMs[i])) ++i;
    add_one(counters[i]);
  }
  void put(zval* into) const {
    array_init(into);
    for (std::size_t i = 0; i < kBoundsMs.size(); ++i) {
      add_index_long(into, static_cast<zend_ulong>(kBoundsMs[i]), value_of(counters[i]));
    }
    add_assoc_long(into, "+Inf", value_of(counters.back()));
  }
};

struct Numbers {
  std::array<Counter, kNames.size()> counters{};
  Histogram waits;
  Histogram holds;
  ForkWatch fork_watch;

  void start_over() {
    for (Counter& counter : counters) counter = 0;
    for (Counter& counter : waits.counters) counter = 0;
    for (Counter& counter : holds.counters) counter = 0;
    fork_watch.start_over();
  }
};

Numbers& numbers() {
  static Numbers of_process;
  // Whoever finds out is the only thread of the child.
  if (of_process.fork_watch.forked()) of_process.start_over();
  return of_process;
}

}  // namespace

void count(Counted what) { add_one(numbers().counters[static_cast<std::size_t>(what)]); }

void count_wait(Duration waited) { numbers().waits.add(waited); }

void count_hold(Duration held) { numbers().holds.add(held); }

void put_stats(zval* into) {
  const Numbers& all = numbers();
  array_init(into);
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    add_assoc_long(into, kNames[i], value_of(all.counters[i]));
  }
  zval histogram;
  all.waits.put(&histogram);
  add_assoc_zval(into, "waits", &histogram);
  all.holds.put(&histogram);
  add_assoc_zval(into, "holds", &histogram);
}

void print_stats() {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    char label[32] = "";
    char value[24] = "";
    const bool known = guarded({}, [&] {
      park(label, std::string("Leases: ") + kNames[i]);
      park(value, std::to_string(numbers().counters[i].load(std::memory_order_relaxed)));
    });
    if (!known) return;
    php_info_print_table_row(2, label, value);
  }
}

}  // namespace redlock::php
