// What a command that a server carried out means to the checker, read from its words alone.
#pragma once
#include <cstdint>
#include <string_view>

#include "sim/resp.hpp"

namespace redlock::sim {

// A release is every removal: what is given back, and what a lost attempt undoes.
enum class Verb : std::uint8_t { take, release, extend, check, count };

struct Deed {
  Verb verb = Verb::count;  // count: nothing that the checker follows
  std::string_view key;
  std::string_view token;
};

// Views into the arguments.
[[nodiscard]] Deed deed_of(const Arguments& arguments);

}  // namespace redlock::sim
