// Where nothing is in the way, what a client gave up is gone soon: keys of failed attempts and of
// released locks, and places in lines.
#pragma once
#include "sim/record/record.hpp"

namespace redlock::sim {

// Nothing may be left of this client's failed attempts at the resource, nor of its released locks
// unless it had given up a connection: then a release may wait for the next one.
void judge_undone(Record& record, Contender party, bool gave_up_connection);

}  // namespace redlock::sim
