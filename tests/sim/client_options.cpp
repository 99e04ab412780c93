// Options, by the plan.
#include "sim/client_options.hpp"

#include "sim/sim_transport.hpp"

namespace redlock::sim {

namespace {
// Longer than a schedule: some leases of a schedule are kept for a day.
constexpr std::int64_t kFenceTtlS = 365 * 24 * 3600;
}  // namespace

ServerSpec server_spec(const Plan& plan, std::uint32_t index) {
  Endpoint endpoint = endpoint_of(index);
  endpoint.database = plan.database;
  if (plan.password) endpoint.password = "secret";
  return {endpoint, std::nullopt};
}

std::vector<ServerSpec> servers_of(const Plan& plan) {
  std::vector<ServerSpec> specs;
  for (std::uint32_t i = 0; i < plan.servers; ++i) specs.push_back(server_spec(plan, i));
  return specs;
}

LockOptions options_of(const Plan& plan, Contender party) {
  const Course& course = plan.course(party);
  LockOptions options;
  options.retry = RetryPolicy::jittered(course.attempts, course.pause_ms);
  options.timeout = Duration::ms(plan.timeout_of(party));
  options.connect_timeout = options.timeout;
  options.drift_factor = plan.drift_factor_of(party);
  if (plan.client_name) options.client_name = "sim";
  options.fence_ttl = Duration::seconds(kFenceTtlS);
  if (plan.guarded) options.guard = Guard::all();
  options.longest_ttl = Duration::ms(plan.guarded_ms());
  return options;
}

LockOptions probe_options(const Plan& plan, std::uint32_t client) {
  LockOptions options = options_of(plan, client);
  options.retry = RetryPolicy::jittered(kProbeAttempts, kProbePauseMs);
  options.timeout = Duration::ms(kProbeTimeoutMs);
  options.connect_timeout = options.timeout;
  return options;
}

}  // namespace redlock::sim
