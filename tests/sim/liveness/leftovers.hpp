// Keys that their client has given up, and whether they may still be there.
//
// A key is overdue when its client came back to the server, for the same resource, and that server
// has carried out what it brought, but not the removal that belongs before it. No time is measured,
// so it holds whatever the network and the servers do meanwhile. Excused is what the
// documents say: a take that arrived behind its own removal, a removal that was not answered on two
// connections that ended, or on one that the process closed at its request's end, and, for a while,
// one that the server refused. One thread; one a schedule.
#pragma once
#include <cstdint>
#include <vector>

#include "sim/plan.hpp"
#include "sim/record/links.hpp"

namespace redlock::sim {

// Who sent a command, and how. Written at 0: nobody knows when.
struct Origin {
  std::uint32_t client = 0;
  std::uint32_t server = 0;
  std::uint32_t connection = 0;
  std::int64_t written_ns = 0;
  std::uint32_t resource = 0;  // the checker reads it from the command
};

class Leftovers {
 public:
  // The plan must outlive it.
  explicit Leftovers(const Plan& plan) : plan_(plan), kept_(plan.servers) {}
  // Must outlive it too; without, every connection is sound.
  void watch(const Links& links) { links_ = &links; }

  // A take was carried out, and set the key or not.
  void note_take(const Origin& origin, std::uint64_t token, bool set, std::int64_t now_ns);
  // Whoever joins has something there from then on, be it a place in line.
  void note_join(const Origin& origin, std::uint64_t token, std::int64_t now_ns);
  // The server lets nobody leave its lines at the moment, and says nothing of it.
  void note_stays(std::uint32_t server, std::uint64_t token) { kept(server, token).stays = true; }
  [[nodiscard]] bool stays(std::uint32_t server, std::uint64_t token) {
    return kept(server, token).stays;
  }
  // Has a join of it come behind its removal, which travelled on another connection? That brings it
  // back until its time is over.
  [[nodiscard]] bool joined_late(std::uint32_t server, std::uint64_t token) {
    return kept(server, token).joined_late;
  }
  // Is its removal on a connection that the network has forgotten? The next one carries it.
  [[nodiscard]] bool removal_forgotten(std::uint32_t client, std::uint32_t server,
                                       std::uint64_t token) const;
  void note_removal(const Origin& origin, std::uint64_t token, bool refused, std::int64_t now_ns);
  // The server has lost whatever was done there since then.
  void note_went_back(std::uint32_t server, std::int64_t to_ns);
  // Has it lost a removal by that? Its client does not know: it was answered.
  [[nodiscard]] bool brought_back(std::uint32_t server, std::uint64_t token) {
    return kept(server, token).brought_back;
  }
  void note_granted(std::uint64_t token);
  // A crowd of removals is over. What was to be removed before may have been forgotten.
  void note_crowd(std::uint32_t client, std::int64_t now_ns) { crowd_ = {client, now_ns}; }
  // The call that gives it back has returned.
  void note_released(std::uint64_t token, std::int64_t now_ns);

  enum class Kind { none, undone, released };
  // `token` stands on the server as a take of its client has been carried out there: what should
  // have been done to it long ago?
  [[nodiscard]] Kind overdue(const Origin& origin, std::uint64_t taking, std::uint64_t token);
  // How many keys could have been found so that had not been asked about before.
  struct Occasions {
    std::uint64_t undone = 0;
    std::uint64_t released = 0;
  };
  [[nodiscard]] Occasions occasions(const Origin& origin, std::uint64_t taking);

 private:
  struct Lock {
    std::uint64_t token = 0;
    std::int64_t written_ns = 0;
    std::int64_t released_ns = 0;
    bool granted = false;
  };
  // What a server knows of a token.
  struct Kept {
    std::uint64_t token = 0;
    std::uint32_t client = 0;
    std::uint32_t resource = 0;
    std::uint32_t connection = 0;  // that set it
    std::int64_t set_ns = 0;
    std::int64_t written_ns = 0;  // the first take that set it, by then
    std::uint32_t remover = 0;    // the connection of a removal that came first
    bool removed_before = false;
    bool removed = false;  // at any time, by this connection last
    std::uint32_t last_remover = 0;
    bool stays = false;
    bool joined_late = false;
    bool brought_back = false;
    std::int64_t removed_ns = 0;  // when a removal was carried out last
    std::int64_t refused_ns = 0;  // when a removal was refused last
    std::int64_t back_ns = 0;     // when its client came back after that
    std::uint32_t served = 0;     // how often, once that was long ago
    std::uint32_t served_on = 0;  // the connection on which it was
    bool counted = false;
  };
  [[nodiscard]] Lock& lock(std::uint64_t token);
  [[nodiscard]] Kept& kept(std::uint32_t server, std::uint64_t token);
  [[nodiscard]] Kind given_up(const Origin& origin, std::uint64_t taking, std::uint64_t token);
  // The pause behind a refusal, and the count of what comes after it.
  static void begin_pause(Kept& key) { key.back_ns = key.served = 0; }
  void note_unaccepted(const Origin& origin, Kept& key) const;
  [[nodiscard]] bool excused(const Origin& origin, Kept& key) const;
  [[nodiscard]] bool forgotten_in_crowd(const Origin& origin, const Kept& key) const;
  [[nodiscard]] bool ended_with(const Origin& origin, std::uint64_t token) const;

  const Plan& plan_;
  const Links* links_ = nullptr;
  struct CrowdEnd {
    std::uint32_t client = 0;
    std::int64_t at_ns = -1;
  };
  CrowdEnd crowd_;
  std::vector<Lock> locks_;
  std::vector<std::vector<Kept>> kept_;  // by server
};

}  // namespace redlock::sim
