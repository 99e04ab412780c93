// What the managers have in common: checking arguments, and the plan of the servers.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "redlock/algorithm/outcome.hpp"
#include "redlock/algorithm/round.hpp"
#include "redlock/config/endpoint.hpp"
#include "redlock/net/pool.hpp"

namespace redlock {

// For an answer, of a server without a time of its own.
inline constexpr Duration kTimeoutDefault = Duration::ms(250);
inline constexpr Duration kPauseMax = Duration::seconds(3600);

// Why a server did not give a plain answer in the latest round.
struct ServerTrouble {
  std::string server;  // as Endpoint::display() prints it
  Fault fault = Fault::none;
  std::string reason;
};

// How long those servers may take that have no times of their own. To connect: where nobody says,
// usual_connect_time().
struct UsualTimes {
  Duration answer = kTimeoutDefault;
  std::optional<Duration> connect = {};
};

// These throw ArgumentError, which names what is wrong.
void check_resources(const Resources& resources);
void check_token(const Token& token);
void check_drift_factor(double factor);
// Positive, at most kTtlMax, and with some validity left after drift.
void check_ttl(Duration ttl, double drift_factor);

// Which servers, and how long each may take: checked, without connections. Immutable, so that any
// thread may bind it to a pool of its own.
class ServerPlan {
 public:
  // What happens to the servers is counted in `book`, if there is one. `guard`: with its list, or
  // for this to fill in. Throws ArgumentError, which
  // names the position of a server from 1.
  ServerPlan(const std::vector<ServerSpec>& servers, const UsualTimes& usual,
             const std::string& client_name, ServerBook* book = nullptr,
             const GuardDemands& guard = {});

  [[nodiscard]] const AnswerTimes& answer_times() const { return answer_times_; }
  // As troubles name them, in their order.
  [[nodiscard]] std::vector<std::string> names() const;
  // What it was made of, each with the times that it may take.
  [[nodiscard]] std::vector<ServerSpec> specs() const;
  // Of the server at `position`: a time-out says after how long.
  [[nodiscard]] ServerTrouble timed(std::size_t position, ServerTrouble trouble) const;
  // The pool's nodes for them, in this order.
  [[nodiscard]] NodeList bind(Pool& pool) const;
  // The servers that erred, of those that were bound. A call returns as soon as its outcome is
  // certain; a server that had not answered by then is listed when it was in trouble before, and
  // always where no majority could be asked, because then its vote was missing.
  [[nodiscard]] std::vector<ServerTrouble> troubles(const Outcome& outcome,
                                                    const NodeList& nodes) const;
  // Those in whose lines a call could not stand, where it had to poll for that.
  [[nodiscard]] std::vector<ServerTrouble> line_troubles(const Outcome& outcome,
                                                         const NodeList& nodes) const;

 private:
  [[nodiscard]] ServerTrouble trouble_of(const Node& node, std::size_t position,
                                         NodeTrouble trouble) const;

  // With `identity`, so that only nodes of this list are compared.
  void name_list();

  struct Server {
    Endpoint endpoint;
    Duration timeout;
    Duration connect_timeout;
    std::shared_ptr<ServerCounters> counters;
  };
  std::vector<Server> servers_;
  AnswerTimes answer_times_;
};

}  // namespace redlock
