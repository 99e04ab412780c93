// Where a host name or a path leads: socket addresses as connect(2) takes them.
//
// Pure values; any thread.
#pragma once
#include <sys/socket.h>

#include <cstring>
#include <string>
#include <vector>

namespace redlock {

// Of one name; what more there is, is not tried.
inline constexpr std::size_t kAddressesMax = 16;

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;
  int family = 0;

  [[nodiscard]] bool operator==(const SocketAddress& other) const {
    return length == other.length && std::memcmp(&storage, &other.storage, length) == 0;
  }
};

struct Resolution {
  std::vector<SocketAddress> addresses;
  std::string failure;  // for people; empty when there are addresses

  // `length` bytes of an address as the system gives it; past the bound it is left out.
  void add(const sockaddr* bytes, std::size_t length, int family) {
    if (addresses.size() == kAddressesMax || length > sizeof(sockaddr_storage)) return;
    SocketAddress address;
    std::memcpy(&address.storage, bytes, length);
    address.length = static_cast<socklen_t>(length);
    address.family = family;
    addresses.push_back(address);
  }
};

}  // namespace redlock
