// What the arguments ask for, read by CLI11 and by nobody else.
#pragma once
#include <chrono>
#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "redlock/redlock.hpp"

namespace redlock::cli {

struct Run {
  std::vector<std::string> resources;  // held together
  std::chrono::milliseconds ttl{};
  std::chrono::milliseconds wait{};
  // Between SIGTERM and SIGKILL, where the lease is lost.
  std::chrono::milliseconds grace{};
  int busy = 1;  // the exit status where somebody else holds the lock
  bool quiet = false;
  bool fence = false;
  bool shared = false;               // with all others who only read
  std::size_t permits = 0;           // it takes one of so many; 0: the lock itself
  std::vector<std::string> command;  // at least its name
};

struct Inspect {
  std::string resource;
  bool as_json = false;
};

struct Release {
  std::string resource;
};

struct Check {
  // What the names of the locks begin with, for servers whose ACL names keys.
  std::string prefix;
  std::chrono::milliseconds longest_ttl{};
  bool as_json = false;
};

struct Top {
  std::vector<std::string> resources;
  std::chrono::milliseconds every{};
  bool once = false;
};

struct Request {
  std::vector<std::string> servers;
  Options options;
  std::variant<Run, Inspect, Release, Check, Top> what;
};

// A request, or the exit status where there is nothing more to do: help was asked for, or the
// arguments cannot be meant, which standard error has been told.
[[nodiscard]] std::variant<Request, int> parse(int count, const char* const* arguments);

}  // namespace redlock::cli
