// What the managers have in common: checking arguments, and servers with their reasons.
#pragma once
#include <string>
#include <vector>

#include "redlock/algorithm/outcome.hpp"
#include "redlock/algorithm/round.hpp"
#include "redlock/runtime/pool.hpp"
#include "redlock/wire/endpoint.hpp"

namespace redlock {

// For connecting and answering together, of a server without a time of its own.
inline constexpr Duration kTimeoutDefault = Duration::ms(50);
inline constexpr Duration kPauseMax = Duration::seconds(3600);

// Why a server did not give a plain answer in the latest round.
struct ServerTrouble {
  std::string server;  // as Endpoint::display() prints it
  Fault fault = Fault::none;
  std::string reason;
};

// These throw ArgumentError, which names what is wrong and, of servers, the position from 1.
void check_servers(const std::vector<ServerSpec>& servers);
void check_resource(const Resource& resource);
void check_token(const Token& token);
void check_client_name(const std::string& name);
void check_drift_factor(double factor);

[[nodiscard]] AnswerTimes answer_times(const std::vector<ServerSpec>& servers, Duration usual);
[[nodiscard]] NodeList connect_nodes(Pool& pool, const std::vector<ServerSpec>& servers,
                                     Duration usual, const std::string& client_name);

// The servers that erred. A call returns as soon as its outcome is certain; a server that had not
// answered by then is listed when it was in trouble before, and always where no majority could be
// asked, because then its vote was missing.
[[nodiscard]] std::vector<ServerTrouble> troubles_of(const Outcome& outcome, const NodeList& nodes,
                                                     const AnswerTimes& answer_times);

}  // namespace redlock
