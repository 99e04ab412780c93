// What a command that a server carried out means to the checker, read from its words alone.
#pragma once
#include <cstdint>
#include <string_view>

#include "sim/servers.hpp"

namespace redlock::sim {

// Who sent a command, and how. Written at 0: nobody knows when.
struct Origin {
  std::uint32_t client = 0;
  std::uint32_t server = 0;
  std::uint32_t connection = 0;
  std::int64_t written_ns = 0;
  std::uint32_t resource = 0;  // the checker reads it from the command
};

// A release is every removal: what is given back, and what a lost attempt undoes. A swap gives a
// held lock another token and ttl; a raise records a fence for it.
enum class Verb : std::uint8_t { take, release, extend, check, swap, raise, count };

struct Deed {
  Verb verb = Verb::count;  // count: nothing that the checker follows
  std::string_view key;
  std::string_view token;
  // A take that stands in line where the lock cannot be had, and a removal that leaves the line and
  // hands the lock on.
  bool joins = false;
  bool passes = false;
  // A take that tells by a text what stands in its way.
  bool text_refuses = false;
  // Of a join.
  std::string_view ttl{};
  std::string_view ticket{};
  std::string_view channel{};
  std::string_view echo{};
  // Of a swap: the token that the key is to hold until then.
  std::string_view held{};
  // Of a join and of a removal, in the script's letters: "1" gives what is free to whose turn it
  // is; "0" leaves it free, and what it had itself too. A join leaves free what is with "2" as
  // well, which gives what it had to those behind it, and with "3", which keeps that.
  std::string_view policy{};

  // Was the take or the removal done, by what the server answers?
  [[nodiscard]] bool done(std::string_view answer) const;
};

// What a join is granted by.
inline constexpr std::string_view kGranted = "+GRANTED\r\n";

// Views into the arguments.
[[nodiscard]] Deed deed_of(const Arguments& arguments);

}  // namespace redlock::sim
