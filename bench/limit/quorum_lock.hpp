// The bare quorum lock: what any client on these sockets has to do, and nothing more.
//
// Each verb sends one command to all servers, polls, and returns as soon as the servers that have
// answered settle the verdict. Later answers are consumed, in order, by the verbs that follow.
// One thread.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "connection.hpp"

namespace bench {

class QuorumLock {
 public:
  QuorumLock(std::span<const std::uint16_t> ports, std::string resource);

  // SET resource token NX PX ttl, with a fresh 128-bit token. True when a majority granted it.
  bool lock();
  // EVALSHA of the compare-and-delete. True when a majority deleted our key.
  bool unlock();
  // One PING to the first server alone, for the round trip everything is compared with.
  void ping();

 private:
  bool ask_all(std::span<const std::string_view> arguments);
  // Waits until `votes_needed` of the first `count` servers said yes, or no longer can.
  bool settle(std::size_t count, std::size_t votes_needed);

  std::vector<std::unique_ptr<Connection>> connections_;
  std::string resource_;
  std::string token_;
};

}  // namespace bench
