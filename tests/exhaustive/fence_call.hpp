// A production acquire with a fence as plain data: how it began, and what it was told since.
//
// Operations cannot be copied, and the states of a small world are copied all the time. So the
// machine is made anew and told all of it again whenever it is to decide. Time stands still: what
// is silent is cut off, and never late. Pure values.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "redlock/algorithm/operation.hpp"

namespace redlock::exhaustive {

inline constexpr std::size_t kFenceServers = 3;

// All bytes of a call's token are alike.
[[nodiscard]] std::string short_name(const Token& token);

struct FenceTerms {
  int attempts = 1;
  std::int64_t wall_us = 1;  // of the client's clock
  std::uint8_t name = 0;     // of the call: its tokens begin with it
};

class FenceCall {
 public:
  // Each gives what the machine then asks for.
  std::vector<Request> begin(const FenceTerms& terms);
  std::vector<Request> hear(std::size_t node, AttemptNumber attempt, const Reply& reply);
  // A pause is over.
  std::vector<Request> turn();
  void end() { *this = FenceCall(); }

  [[nodiscard]] bool running() const { return running_; }
  [[nodiscard]] bool has_turn() const { return has_turn_; }
  // Nothing while it is under way.
  [[nodiscard]] const std::optional<Outcome>& outcome() const { return outcome_; }
  // What the attempt to acquire the lock came to, before its fence was agreed on.
  [[nodiscard]] const std::optional<Outcome>& acquired() const { return acquired_; }
  // The token of its latest attempt.
  [[nodiscard]] const std::string& token() const { return token_; }
  // What tells it from others, of all servers and of one.
  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  [[nodiscard]] const std::string& bytes_of(std::size_t node) const { return bytes_of_[node]; }

 private:
  struct Told {
    std::optional<std::size_t> node;  // nothing: the time
    AttemptNumber attempt = 0;
    Reply reply{};
  };
  std::vector<Request> tell(const Told& told);
  std::vector<Request> replay();

  FenceTerms terms_;
  std::vector<Told> told_;
  bool running_ = false;
  bool has_turn_ = false;
  std::optional<Outcome> outcome_;
  std::optional<Outcome> acquired_;
  std::string token_;
  std::string bytes_;
  std::array<std::string, kFenceServers> bytes_of_;
};

}  // namespace redlock::exhaustive
