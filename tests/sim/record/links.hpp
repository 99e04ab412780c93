// What the checker may ask about the connections between clients and servers.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace redlock::sim {

// A connection that has ended for the client.
struct EndedLink {
  std::string_view written;        // by the client, from the beginning
  std::size_t answered = 0;        // so many requests
  bool by_the_end = false;         // the process closed it because its request was over
  std::int64_t unaccepted_ns = 0;  // when the server refused its password; 0: it did not
};

class Links {
 public:
  virtual ~Links() = default;
  // Is every connection that the client has there one on which an answer may come?
  [[nodiscard]] virtual bool sound(std::uint32_t client, std::uint32_t server) const = 0;
  // May bytes of the client still arrive there on another connection than this one?
  [[nodiscard]] virtual bool under_way(std::uint32_t client, std::uint32_t server,
                                       std::uint32_t except) const = 0;
  // With those that are set aside: open, but older than `newest`, on which the client now asks.
  // The views last until the client writes.
  [[nodiscard]] virtual std::vector<EndedLink> ended(std::uint32_t client, std::uint32_t server,
                                                     std::uint32_t newest) const = 0;
  // Those that the network has forgotten, which nobody has found out.
  [[nodiscard]] virtual std::vector<EndedLink> forgotten(std::uint32_t client,
                                                         std::uint32_t server) const = 0;
};

}  // namespace redlock::sim
