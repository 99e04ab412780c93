// Bytes on the wire as a few words for people.
#pragma once
#include <string>
#include <string_view>

namespace redlock::sim {

// "SET lock 3f2a.. NX PX 100, EVALSHA pass lock 3f2a.."; a fragment is shown as such.
[[nodiscard]] std::string summarize_requests(std::string_view bytes);
// "OK, 1, nil".
[[nodiscard]] std::string summarize_answers(std::string_view bytes);

}  // namespace redlock::sim
