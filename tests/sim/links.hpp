// What the checker may ask about the connections between clients and servers.
#pragma once
#include <cstdint>

namespace redlock::sim {

class Links {
 public:
  virtual ~Links() = default;
  // Is every connection that the client has there one on which an answer may come?
  [[nodiscard]] virtual bool sound(std::uint32_t client, std::uint32_t server) const = 0;
  // May bytes of the client still arrive there on another connection than this one?
  [[nodiscard]] virtual bool under_way(std::uint32_t client, std::uint32_t server,
                                       std::uint32_t except) const = 0;
  // When bytes of the client last went astray of whose loss nobody told it: it had closed the
  // connection, or that was dead; 0: never.
  [[nodiscard]] virtual std::int64_t lost_ns(std::uint32_t client, std::uint32_t server) const = 0;
};

}  // namespace redlock::sim
