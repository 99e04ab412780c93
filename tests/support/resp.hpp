// RESP from the server's side: requests in, replies out.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace redlock::test {

using Arguments = std::vector<std::string>;

// Takes one whole request off the front of `bytes`; nothing while it is incomplete. Throws
// std::runtime_error when the bytes are no request.
std::optional<Arguments> take_request(std::string& bytes);
// All whole requests; `bytes` keeps an incomplete rest.
std::vector<Arguments> take_requests(std::string& bytes);
// The bytes of a request, as a client sends them.
std::string request(const Arguments& arguments);

inline constexpr std::string_view kOk = "+OK\r\n";
// To a join.
inline constexpr std::string_view kGranted = "+GRANTED\r\n";
inline constexpr std::string_view kNil = "$-1\r\n";
std::string integer(std::int64_t value);
std::string bulk(std::string_view text);
std::string error(std::string_view text);

}  // namespace redlock::test
