// The timeline of one schedule as a picture: servers and clients as lanes, time to the right.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "sim/trace.hpp"

namespace redlock::sim {

// In virtual time.
struct PictureSpan {
  std::int64_t from_ns = 0;
  std::int64_t until_ns = 0;
};

// Without `span`: what is around the first violation; all, where there is none.
[[nodiscard]] std::string timeline_svg(const Story& story, const std::string& title,
                                       const std::optional<PictureSpan>& span = {});

}  // namespace redlock::sim
