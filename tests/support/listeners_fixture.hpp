// A pool in a fake world, and those who listen to its servers.
#pragma once
#include <memory>
#include <string>

#include "support/fake_world.hpp"
#include "support/listening.hpp"

namespace redlock::test {

class ListenersTest : public FakeWorld {
 protected:
  NodeList nodes(std::size_t first, std::size_t count) {
    NodeList nodes;
    for (std::size_t i = first; i < first + count; ++i) {
      nodes.push_back(pool_.node(parse_server(name(i)).endpoint, kTimeoutDefault));
    }
    return nodes;
  }
  OperationId listen(Told& told, std::size_t count, const std::string& token = "tok") {
    return listen_to(told, nodes(0, count), token);
  }
  OperationId listen_to(Told& told, const NodeList& to, const std::string& token = "tok") {
    return pool_.begin(std::make_unique<Listening>(told, to.size(), Token(token)), to);
  }
  // To the first server, until it is heard; its channel then.
  std::string listen_for_a_moment() {
    Told told;
    const OperationId id = listen(told, 1);
    step_for(Duration::ms(1));
    pool_.collect(id);
    return told.channel(0);
  }

  Told told_;
};

}  // namespace redlock::test
