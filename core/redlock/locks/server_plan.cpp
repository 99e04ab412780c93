// Argument checks, connections and reasons.
#include "redlock/locks/server_plan.hpp"

#include <algorithm>
#include <map>

#include "redlock/algorithm/validity.hpp"
#include "redlock/os/tls_context.hpp"

namespace redlock {

namespace {

// `who` is its place among the servers, for people.
void check_tls(const Endpoint& endpoint, const std::string& who) {
  if (!endpoint.tls) return;
  if (!tls_available()) {
    throw ArgumentError(who +
                        " wants TLS, and redlock was built without OpenSSL: " + endpoint.display());
  }
  const bool named = !endpoint.host.empty() || !endpoint.tls->peer_name.empty();
  if (!named && endpoint.tls->verify_peer_name) {
    throw ArgumentError(who +
                        " has no host name to compare its certificate with: peer_name is "
                        "needed for " +
                        endpoint.display());
  }
}

void check_servers(const std::vector<ServerSpec>& servers) {
  if (servers.empty()) throw ArgumentError("servers must not be empty");
  if (servers.size() > kNodesMax) {
    throw ArgumentError("servers must be at most 16, " + std::to_string(servers.size()) + " given");
  }
  std::map<std::string, std::size_t> positions;
  for (std::size_t i = 0; i < servers.size(); ++i) {
    const Endpoint& endpoint = servers[i].endpoint;
    check_tls(endpoint, "server " + std::to_string(i + 1));
    if (endpoint.in_memory != servers[0].endpoint.in_memory) {
      throw ArgumentError("server " + std::to_string(i + 1) +
                          " and server 1 are not both in memory: servers of memory:// and "
                          "real ones cannot be mixed");
    }
    const auto [first, is_new] = positions.emplace(endpoint.server_key(), i + 1);
    if (is_new) continue;
    throw ArgumentError("server " + std::to_string(i + 1) + " is the same as server " +
                        std::to_string(first->second) + ": " + endpoint.display());
  }
}

void check_client_name(const std::string& name) {
  if (name.size() > kClientNameBytesMax) {
    throw ArgumentError("clientName must be at most 256 bytes long");
  }
  for (const char c : name) {
    if (c < '!' || c > '~') {
      throw ArgumentError("clientName must be printable ASCII without spaces");
    }
  }
}

void check_time(Duration time, std::string_view name) {
  if (time > Duration() && time <= kTimeoutMax) return;
  throw ArgumentError(std::string(name) + " must be above 0 and at most 3600 seconds");
}

AnswerTimes times_of(const std::vector<ServerSpec>& servers, Duration usual) {
  check_time(usual, kTimeoutName);
  std::vector<Duration> times;
  times.reserve(servers.size());
  for (const ServerSpec& server : servers) {
    const Duration own = server.timeout.value_or(usual);
    times.push_back(server.timeout_of_connecting ? std::max(own, usual) : own);
  }
  return std::make_shared<const std::vector<Duration>>(std::move(times));
}

// By the connection, whose time it was.
bool is_timed(const std::string& reason) {
  return reason.ends_with(std::string(kConnectTimeoutName) + ")");
}

Duration connect_time_of(const ServerSpec& server, std::optional<Duration> usual,
                         Duration answer_time) {
  if (server.connect_timeout) return *server.connect_timeout;
  if (usual && !server.timeout_of_connecting) return *usual;
  return usual ? std::max(*usual, answer_time) : usual_connect_time(answer_time);
}

}  // namespace

void check_resources(const Resources& resources) {
  if (resources.all().size() > kResourcesTogetherMax) {
    throw ArgumentError("resources must be at most 16");
  }
  const auto is_long = [](const Resource& one) { return one.view().size() > kResourceBytesMax; };
  if (std::ranges::none_of(resources.all(), is_long)) return;
  throw ArgumentError(resources.single() ? "resource must be at most 65536 bytes long"
                                         : "resources must be at most 65536 bytes long each");
}

void check_token(const Token& token) {
  if (token.empty()) throw ArgumentError("token must not be empty");
  if (token.view().size() > kTokenBytesMax) {
    throw ArgumentError("token must be at most 65536 bytes long");
  }
}

void check_ttl(Duration ttl, double drift_factor) {
  if (ttl <= Duration()) throw ArgumentError("ttl must be greater than 0");
  if (ttl > kTtlMax) throw ArgumentError("ttl must be at most 3153600000000 ms");
  if (validity_of(ttl, Duration(), drift_factor) <= Duration()) {
    throw ArgumentError("ttl is too small: clock drift leaves no validity");
  }
}

void check_drift_factor(double factor) {
  if (!(factor >= 0 && factor < 1)) {
    throw ArgumentError("driftFactor must be at least 0 and less than 1");
  }
}

ServerPlan::ServerPlan(const std::vector<ServerSpec>& servers, const UsualTimes& usual,
                       const std::string& client_name, ServerBook* book,
                       const GuardDemands& guard) {
  check_servers(servers);
  answer_times_ = times_of(servers, usual.answer);
  if (usual.connect) check_time(*usual.connect, kConnectTimeoutName);
  check_client_name(client_name);
  servers_.reserve(servers.size());
  for (const ServerSpec& spec : servers) {
    const Duration timeout = (*answer_times_)[servers_.size()];
    const Duration connect_timeout = connect_time_of(spec, usual.connect, timeout);
    Server& server =
        servers_.emplace_back(Server{spec.endpoint, timeout, connect_timeout, nullptr});
    server.endpoint.client_name = client_name;
    if (guard.any()) server.endpoint.guard = guard;
    if (guard.replicas > 0) server.endpoint.guard.replica_wait = replica_wait_in(timeout);
    if (book != nullptr) server.counters = book->counters_of(server.endpoint.display());
  }
  if (guard.parts.identity && guard.list.empty()) name_list();
}

void ServerPlan::name_list() {
  std::string list;
  for (const Server& server : servers_) {
    list += server.endpoint.display() + "/" + std::to_string(server.endpoint.database) + "," +
            std::to_string(server.timeout.count_ns()) + "," +
            std::to_string(server.connect_timeout.count_ns()) + ";";
  }
  for (Server& server : servers_) server.endpoint.guard.list = list;
}

std::vector<std::string> ServerPlan::names() const {
  std::vector<std::string> names;
  names.reserve(servers_.size());
  for (const Server& server : servers_) names.push_back(server.endpoint.display());
  return names;
}

std::vector<ServerSpec> ServerPlan::specs() const {
  std::vector<ServerSpec> specs;
  specs.reserve(servers_.size());
  for (const Server& server : servers_) {
    specs.push_back({server.endpoint, server.timeout, server.connect_timeout});
  }
  return specs;
}

NodeList ServerPlan::bind(Pool& pool) const {
  NodeList nodes;
  nodes.reserve(servers_.size());
  for (const Server& server : servers_) {
    nodes.push_back(pool.node(server.endpoint, server.timeout, server.connect_timeout));
    nodes.back()->count_in(server.counters);
  }
  if (!servers_.front().endpoint.guard.parts.identity) return nodes;
  const auto siblings =
      std::make_shared<const std::vector<std::weak_ptr<const Node>>>(nodes.begin(), nodes.end());
  for (const auto& node : nodes) node->compare_with(siblings);
  return nodes;
}

std::vector<ServerTrouble> ServerPlan::troubles(const Outcome& outcome,
                                                const NodeList& nodes) const {
  std::vector<ServerTrouble> troubles;
  for (std::size_t i = 0; i < outcome.nodes.size() && i < nodes.size(); ++i) {
    const NodeReport& report = outcome.nodes[i];
    if (report.answered && report.reply.answer != Answer::unknown) continue;
    NodeTrouble trouble{report.reply.fault, report.reply.reason()};
    if (!report.answered) {
      trouble = nodes[i]->trouble();
      const bool well = trouble.fault == Fault::none;
      if (well && outcome.decision != Decision::unreachable) continue;
      if (well) trouble = {Fault::unanswered, "no answer yet"};
    }
    troubles.push_back(trouble_of(*nodes[i], i, std::move(trouble)));
  }
  return troubles;
}

std::vector<ServerTrouble> ServerPlan::line_troubles(const Outcome& outcome,
                                                     const NodeList& nodes) const {
  std::vector<ServerTrouble> troubles;
  for (std::size_t i = 0; i < outcome.line.size() && i < nodes.size(); ++i) {
    const NodeReport& report = outcome.line[i];
    if (!report.answered || report.reply.answer != Answer::unknown) continue;
    troubles.push_back(trouble_of(*nodes[i], i, {report.reply.fault, report.reply.reason()}));
  }
  return troubles;
}

ServerTrouble ServerPlan::trouble_of(const Node& node, std::size_t position,
                                     NodeTrouble trouble) const {
  if (trouble.fault == Fault::timeout && node.establishing() && !is_timed(trouble.reason)) {
    trouble.reason = timed_reason("connecting", node.connect_timeout(), kConnectTimeoutName);
  }
  return timed(position, {node.endpoint().display(), trouble.fault, std::move(trouble.reason)});
}

ServerTrouble ServerPlan::timed(std::size_t position, ServerTrouble trouble) const {
  if (trouble.fault == Fault::timeout && !is_timed(trouble.reason)) {
    trouble.reason = timed_reason(trouble.reason, (*answer_times_)[position], kTimeoutName);
  }
  return trouble;
}

}  // namespace redlock
