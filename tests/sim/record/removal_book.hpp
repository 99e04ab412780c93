// What each server did to each token: set it, removed it, or refused to remove it, and in which
// order.
//
// Learnt from the commands that servers have carried out. One thread; one a schedule.
#pragma once
#include <cstdint>
#include <vector>

#include "sim/record/deed.hpp"
#include "sim/record/links.hpp"

namespace redlock::sim {

// A token, whichever the server.
struct TokenLife {
  std::uint64_t token = 0;
  std::int64_t written_ns = 0;   // its first take; 0: nobody knows
  std::int64_t released_ns = 0;  // the call that gives it back has returned
  bool granted = false;
};

// What a server knows of a token.
struct KnownToken {
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
  // The server lets nobody leave its lines at the moment, and says nothing of it.
  bool stays = false;
  // A join of it has come behind its removal, which travelled on another connection: that brings it
  // back until its time is over.
  bool joined_late = false;
  // The server has lost a removal of it. Its client does not know: it was answered.
  bool brought_back = false;
  std::int64_t removed_ns = 0;  // when a removal was carried out last
  std::int64_t refused_ns = 0;  // when a removal was refused last
  std::int64_t back_ns = 0;     // when its client came back after that
  std::uint32_t served = 0;     // how often, once that was long ago
  std::uint32_t served_on = 0;  // the connection on which it was
  bool counted = false;

  // The pause behind a refusal, and the count of what comes after it.
  void begin_pause() { back_ns = served = 0; }
  void refuse(std::int64_t at_ns) {
    refused_ns = at_ns;
    begin_pause();
  }
};

class RemovalBook {
 public:
  explicit RemovalBook(std::size_t servers) : known_(servers) {}

  // A take was carried out, and set the key or not.
  void note_take(const Origin& origin, std::uint64_t token, bool set, std::int64_t now_ns);
  // Whoever joins has something there from then on, be it a place in line.
  void note_join(const Origin& origin, std::uint64_t token, std::int64_t now_ns);
  void note_removal(const Origin& origin, std::uint64_t token, bool refused, std::int64_t now_ns);
  // The server has lost whatever was done there since then.
  void note_went_back(std::uint32_t server, std::int64_t to_ns);
  void note_granted(std::uint64_t token) { life(token).granted = true; }
  void note_released(std::uint64_t token, std::int64_t now_ns) { life(token).released_ns = now_ns; }

  [[nodiscard]] TokenLife& life(std::uint64_t token);
  [[nodiscard]] KnownToken& known(std::uint32_t server, std::uint64_t token);
  [[nodiscard]] std::vector<KnownToken>& all_known(std::uint32_t server) { return known_[server]; }

 private:
  std::vector<TokenLife> lives_;
  std::vector<std::vector<KnownToken>> known_;  // by server
};

// Was a removal of this token written on the connection, and no answer to it read?
[[nodiscard]] bool removal_unanswered(const EndedLink& link, std::uint64_t token);
// Is its removal on a connection that the network has forgotten? The next one carries it.
[[nodiscard]] bool removal_forgotten(const Links* links, std::uint32_t client, std::uint32_t server,
                                     std::uint64_t token);

}  // namespace redlock::sim
