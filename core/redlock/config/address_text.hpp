// Addresses of IPv4 and IPv6 as texts: which text is one, and how two spellings are seen to be the
// same.
//
// Pure.
#pragma once
#include <optional>
#include <string>

namespace redlock {

// The one spelling that an address has here: as inet_ntop(3) writes it, and that of IPv4 where it
// stands within IPv6. An address of IPv6 may end with %zone. Nothing: it is none, but maybe a name.
[[nodiscard]] std::optional<std::string> address_spelling(const std::string& host);
// Whether getaddrinfo(3) takes it for an address of IPv4 that is not written as four decimal
// numbers: "127.1", "0x7f000001". No name is looked up by it.
[[nodiscard]] bool is_ipv4_shorthand(const std::string& host);

}  // namespace redlock
