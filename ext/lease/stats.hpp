// What came of the leases of this process, counted by all of its threads.
#pragma once
#include "border/zend.hpp"
#include "redlock/algorithm/time.hpp"

namespace redlock::php {

enum class Counted {
  acquired,
  denied,
  timed_out,
  unreachable,
  extended,
  lost,
  released,
  handed_over,  // to one who waited in line
  undone,       // won and given back at once, or given up while the servers were asked
};

// Never throw once a lock was asked for in this process.
void count(Counted what);
// How long it took to get a lease, and how long one was held.
void count_wait(Duration waited);
void count_hold(Duration held);

// ['acquired' => int, …, 'waits' => [1 => int, …, '+Inf' => int], 'holds' => …]
void put_stats(zval* into);
// The counters as rows of phpinfo().
void print_stats();

}  // namespace redlock::php
