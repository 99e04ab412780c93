// A production search for a permit as plain data: how it began, and what it was told since.
//
// Operations cannot be copied, so the machine is made anew and told all of it again whenever it is
// to decide. Time stands still. Pure values.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "redlock/algorithm/operation.hpp"

namespace redlock::exhaustive {

inline constexpr std::size_t kPermitServers = 3;
inline constexpr std::size_t kSlots = 2;

class PermitCall {
 public:
  // Each gives what the machine then asks for. `name` is that of the call: its tokens begin with
  // it.
  std::vector<Request> begin(std::uint8_t name, std::size_t first_slot);
  std::vector<Request> hear(std::size_t node, AttemptNumber attempt, const Reply& reply);
  // A pause is over.
  std::vector<Request> turn();
  std::vector<Request> give_up();
  void end() { *this = PermitCall(); }

  [[nodiscard]] bool running() const { return running_; }
  [[nodiscard]] bool pauses() const { return pauses_; }
  // The try that is under way, or was last.
  [[nodiscard]] AttemptNumber attempt() const { return attempt_; }
  [[nodiscard]] const std::string& token() const { return token_; }
  [[nodiscard]] const std::optional<Outcome>& outcome() const { return outcome_; }
  // What tells it from others, of all servers and of one.
  [[nodiscard]] std::string bytes() const;
  [[nodiscard]] std::string bytes_of(std::size_t node) const;

 private:
  struct Told {
    std::optional<std::size_t> node;  // nothing: the time, or that it is to give up
    AttemptNumber attempt = 0;        // 0: give up
    Reply reply{};
  };
  std::vector<Request> tell(const Told& told);
  std::vector<Request> replay();

  std::uint8_t name_ = 0;
  std::size_t first_slot_ = 0;
  std::vector<Told> told_;
  bool running_ = false;
  bool pauses_ = false;
  AttemptNumber attempt_ = 0;
  std::string token_;
  std::optional<Outcome> outcome_;
};

// All bytes of a call's token are alike.
[[nodiscard]] std::string short_token(const Token& token);

}  // namespace redlock::exhaustive
