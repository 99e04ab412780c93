// What a server says in an error: which fault it means, and how it is shown without what is ours.
//
// A server or proxy that does not know a command repeats its arguments in the error, and of AUTH
// these are the password. So every text of a server goes through Secrets::shown() before anybody
// sees it. Pure; any thread.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "redlock/algorithm/reply.hpp"
#include "redlock/config/endpoint.hpp"

namespace redlock {

// Longer texts of a server are cut: first before they are searched, then before they are shown.
inline constexpr std::size_t kSearchedBytesMax = 1024;
inline constexpr std::size_t kReasonBytesMax = 256;

// What a server's error means; `rejected` where it has no code of its own.
[[nodiscard]] Fault fault_of(std::string_view error);

// Is it the error of a cluster that serves nobody for the moment? Others of a cluster last.
[[nodiscard]] bool is_cluster_down(std::string_view error);

// Is it an error that may be over in a moment, so that the same command is worth another try?
[[nodiscard]] bool is_passing(std::string_view error);

// Clipped and with unprintable bytes replaced: fit for a message.
[[nodiscard]] std::string printable(std::string_view text);

// What one connection sends and nobody must read in a message.
class Secrets {
 public:
  Secrets() = default;
  explicit Secrets(const Endpoint& endpoint);
  // A server's text, fit for a message. Where it repeats the password or `proof` (the proof of
  // ownership that the command carried), or a part of one, in other case or escaped too, only its
  // code is left; a user's name is replaced; the arguments of an unknown command are left out
  // whatever they are.
  [[nodiscard]] std::string shown(std::string_view text, std::string_view proof = {}) const;

 private:
  std::string user_;
  Secret password_;
};

}  // namespace redlock
