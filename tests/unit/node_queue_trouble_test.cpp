// What one node's line makes of a server that gives no vote, and of one that lets nobody stand
// there.
#include <gtest/gtest.h>

#include "redlock/queue/node_queue_state.hpp"
#include "redlock/wire/line_codec.hpp"
#include "support/machine.hpp"

namespace redlock::node_queue_trouble_test {
namespace {

using test::t;

constexpr Duration kStale = Duration::ms(250);
constexpr Instant kBy = t(1'000'000);

TEST(PlaceInTrouble, WhatReplicasLackedBeforeItStoodThereIsToldAtTheEnd) {
  const Reply lacks = Reply::unknown(Fault::noreplicas, "too few");
  NodeQueueState place(kStale, {true, lacks});
  place.on_subscription({"here", Fault::none, {}}, t(0));
  place.note_joined(1, t(0), kBy);
  place.on_reply(1, Reply::denied(parse_queue_position("-2 0 0").value()), t(10));
  place.tell_shortage();
  EXPECT_EQ(place.report().reply, lacks);
  place.note_joined(2, t(20), kBy);
  place.on_reply(2, Reply::denied(parse_queue_position("500 0 0").value()), t(30));
  place.tell_shortage();
  EXPECT_EQ(place.report().reply, Reply::denied()) << "another has it";
}

TEST(PlaceInTrouble, ThatRefusesScriptsLetsUsStandInNoLine) {
  for (const Fault fault : {Fault::acl, Fault::scripts, Fault::rejected}) {
    NodeQueueState place(kStale, NodeReport());
    place.on_subscription({"here", Fault::none, {}}, t(0));
    place.note_joined(1, t(0), kBy);
    place.on_reply(1, Reply::unknown(fault, "no"), t(10));
    EXPECT_TRUE(place.refused()) << to_string(fault);
  }
}

}  // namespace
}  // namespace redlock::node_queue_trouble_test
