// What the system's own functions make of a text.
#include "redlock/config/address_text.hpp"

#include <arpa/inet.h>

#include <array>

namespace redlock {

namespace {

std::optional<in_addr> ipv4_of(const std::string& host) {
  in_addr address{};
  if (inet_pton(AF_INET, host.c_str(), &address) != 1) return std::nullopt;
  return address;
}

std::string printed(int family, const void* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  // It cannot fail: there is room for every address.
  return inet_ntop(family, address, text.data(), text.size());
}

}  // namespace

std::optional<std::string> address_spelling(const std::string& host) {
  if (const auto address = ipv4_of(host)) return printed(AF_INET, &*address);
  const std::size_t percent = host.find('%');
  const std::string zone = percent == std::string::npos ? "" : host.substr(percent);
  in6_addr address{};
  if (zone == "%" || inet_pton(AF_INET6, host.substr(0, percent).c_str(), &address) != 1) {
    return std::nullopt;
  }
  constexpr std::size_t kBytesBeforeIpv4 = 12;
  if (IN6_IS_ADDR_V4MAPPED(&address)) return printed(AF_INET, &address.s6_addr[kBytesBeforeIpv4]);
  return printed(AF_INET6, &address) + zone;
}

bool is_ipv4_shorthand(const std::string& host) {
  in_addr address{};
  return inet_aton(host.c_str(), &address) != 0 && !ipv4_of(host);
}

}  // namespace redlock
