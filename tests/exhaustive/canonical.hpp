// One byte string for all states that are the same but for the names of clients and servers.
//
// Clients of a kind run the same program and the servers differ in nothing, so renaming either maps
// schedules to schedules and violations to violations: it is enough to explore one state of each
// class. The bytes hold everything in a State, so equal bytes mean equal futures; whether the very
// best name is found for every class matters only for how many states there are.
// The one doubtful point is a machine's own order of nodes, so renamed servers go with a machine
// that was really run on renamed inputs (MachineTable::permuted).
#pragma once
#include <array>
#include <string_view>
#include <vector>

#include "exhaustive/machine_table.hpp"
#include "exhaustive/settings.hpp"
#include "exhaustive/state.hpp"

namespace redlock::exhaustive {

// new_client[i] is the new name of client i, new_server[j] of server j.
struct Renaming {
  std::array<Byte, kClientsMax> new_client{0, 1, 2, 3};
  std::array<Byte, kServersMax> new_server{0, 1, 2};
};

// A string that never allocates. Larger than any state there can be.
class Bytes {
 public:
  void clear() { size_ = 0; }
  void put(Byte value) { data_[size_++] = static_cast<char>(value); }
  [[nodiscard]] std::string_view view() const { return {data_.data(), size_}; }

 private:
  std::size_t size_ = 0;
  std::array<char, 2048> data_;
};

class Canonical {
 public:
  Canonical(const Settings& settings, MachineTable& machines);
  // Valid until the next call.
  std::string_view encode(const State& state);
  // The renaming that the latest encode() chose.
  [[nodiscard]] const Renaming& renaming() const { return best_renaming_; }
  [[nodiscard]] State decode(std::string_view bytes) const;

 private:
  using Clients = std::array<Byte, kClientsMax>;  // old names in the new order
  using Servers = std::array<Byte, kServersMax>;
  void mark_client(const State& state, std::size_t client);
  void try_clients(const State& state, const Clients& clients);
  [[nodiscard]] Servers sort_servers(const State& state, const Clients& clients,
                                     const Clients& new_names);
  void write(const State& state, const Clients& clients, const Clients& new_names,
             const Servers& servers, Bytes& out);

  const Settings& settings_;
  MachineTable& machines_;
  // The best so far, and the one being written; they change places.
  std::array<Bytes, 2> buffers_;
  std::size_t best_ = 0;
  bool found_ = false;
  std::vector<Clients> orders_;  // all that keep natives and legacies apart
  std::array<Bytes, kClientsMax> client_marks_;
  std::array<Bytes, kServersMax> marks_;
  Renaming best_renaming_;
};

}  // namespace redlock::exhaustive
