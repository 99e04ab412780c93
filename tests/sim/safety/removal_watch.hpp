// Watches that no removal is lost with its connection, and that a child leaves its parent's locks
// alone.
//
// When a connection ends in good order, no removal that met a NOSCRIPT on it may be left without
// another by its text: nobody is there any more who could send it. And behind a fork, nothing that
// was taken before is named on a connection of the child.
// It knows connections and commands, and nothing of the production code. One thread; lives for one
// schedule.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/plan.hpp"
#include "sim/record/deed.hpp"

namespace redlock::sim {

class RemovalWatch {
 public:
  // The plan must outlive the watch.
  explicit RemovalWatch(const Plan& plan) : plan_(plan), accounts_(plan.clients.size()) {}

  // From now on this client is a child; what was taken before is its parent's. Its connections
  // are those from `first_connection` on.
  void inherit(std::uint32_t client, std::uint32_t first_connection);

  // What the client is told of a command: nothing, where a NOSCRIPT is left out of the answers, so
  // that the next answer is taken for it and nobody can know, or where a replica says it.
  enum class Told { served, no_script, nothing };
  // A server has carried out a command, or refused it. Says what is wrong, else nothing.
  [[nodiscard]] std::string executed(const Origin& origin, const Deed& deed, Told told);
  // The server has read all that the client ever sent there. `taken`: the client's kernel has taken
  // all that it was given for this connection.
  [[nodiscard]] std::string ended(const Origin& origin, bool taken = true) const;

 private:
  // A removal that met a NOSCRIPT.
  struct Unknown {
    std::uint32_t connection = 0;
    std::uint32_t server = 0;
    std::uint64_t token = 0;
  };
  struct Account {
    std::vector<Unknown> unknown;
    std::vector<std::uint64_t> taken;
    std::vector<std::uint64_t> parents;
    std::uint32_t first_connection = 0;  // from which on it is a child
  };

  const Plan& plan_;
  std::vector<Account> accounts_;  // by client
};

}  // namespace redlock::sim
