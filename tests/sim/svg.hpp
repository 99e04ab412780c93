// The timeline of one schedule as a picture: servers and clients as lanes, time to the right.
#pragma once
#include <string>

#include "sim/trace.hpp"

namespace redlock::sim {

[[nodiscard]] std::string timeline_svg(const Story& story, const std::string& title);

}  // namespace redlock::sim
