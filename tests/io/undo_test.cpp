// Nothing of a lost attempt stays behind on servers that stop and go on.
#include <gtest/gtest.h>

#include "io/support/fleet.hpp"

namespace redlock {
namespace {

using test::eventually;
using test::Fleet;
using test::RedisServer;

class Rule03UndoOnTheSameConnection : public Fleet {
 protected:
  // The server has carried out all that was sent to it: only the test itself is connected.
  static bool at_rest(RedisServer& server) {
    return eventually([&] {
      return server.say({"INFO", "clients"}).find("connected_clients:1\r\n") != std::string::npos;
    });
  }
};

TEST_F(Rule03UndoOnTheSameConnection, TwoHundredLateSetsLeaveNoGhost) { test::Runtime runtime; }

}  // namespace
}  // namespace redlock
