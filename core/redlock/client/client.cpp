// Checks what a user says, and makes leases or refusals of what comes of it.
#include <algorithm>
#include <stdexcept>

#include "redlock/client/blocking_lease.hpp"
#include "redlock/client/shared.hpp"
#include "redlock/config/endpoint.hpp"
#include "redlock/config/secret.hpp"
#include "redlock/redlock.hpp"
#include "redlock/version.hpp"

namespace redlock {
inline namespace v0 {

namespace {

// The number that a version's three parts make.
consteval int number_of(std::string_view version) {
  int number = 0;
  int part = 0;
  for (const char c : version) {
    if (c == '.') {
      number = (number + part) * 100;
      part = 0;
    } else {
      part = part * 10 + (c - '0');
    }
  }
  return number + part;
}
static_assert(REDLOCK_VERSION == number_of(kVersion));

// They may hold passwords.
class ServerTexts {
 public:
  explicit ServerTexts(std::vector<std::string> texts) noexcept : texts_(std::move(texts)) {}
  ServerTexts(const ServerTexts&) = delete;
  ServerTexts& operator=(const ServerTexts&) = delete;
  ~ServerTexts() {
    for (std::string& text : texts_) wipe(text);
  }
  [[nodiscard]] std::vector<ServerSpec> specs() const {
    std::vector<ServerSpec> specs;
    specs.reserve(texts_.size());
    for (const std::string& text : texts_) {
      try {
        specs.push_back(parse_server(text));
      } catch (const ArgumentError& error) {
        throw std::invalid_argument("server " + std::to_string(specs.size() + 1) + ": " +
                                    error.what());
      }
    }
    return specs;
  }

 private:
  std::vector<std::string> texts_;
};

// In the words of the public header; what else there is to check, the plan checks.
void check(const Options& options) {
  if (!(options.drift_factor >= 0 && options.drift_factor < 1)) {
    throw std::invalid_argument("drift_factor must be at least 0 and less than 1");
  }
  if (options.retry_delay.count() < 0 || options.retry_delay.count() > kPauseMax.count_ms()) {
    throw std::invalid_argument("retry_delay must be at least 0 and at most an hour");
  }
  const bool printable =
      std::ranges::all_of(options.client_name, [](char c) { return c >= '!' && c <= '~'; });
  if (!printable || options.client_name.size() > kClientNameBytesMax) {
    throw std::invalid_argument(
        "client_name must be printable ASCII without spaces, at most 256 bytes long");
  }
  if (options.owner.size() > kOwnerBytesMax) {
    throw std::invalid_argument("owner must be at most 256 bytes long");
  }
}

std::shared_ptr<const LockPlan> plan_of(std::vector<std::string> servers, const Options& options) {
  const ServerTexts texts(std::move(servers));
  check(options);
  LockOptions plan;
  plan.drift_factor = options.drift_factor;
  plan.timeout = inner::duration_of(options.timeout);
  if (options.connect_timeout) {
    plan.connect_timeout = inner::duration_of(*options.connect_timeout);
  }
  plan.client_name = options.client_name;
  plan.fence_ttl = inner::duration_of(options.fence_ttl);
  plan.guard = options.guard;
  plan.longest_ttl = inner::duration_of(options.longest_ttl);
  plan.replicas = options.replicas;
  return std::make_shared<const LockPlan>(texts.specs(), plan);
}

}  // namespace

Client::Client(std::vector<std::string> servers, const Options& options)
    : shared_(std::make_shared<inner::Shared>(plan_of(std::move(servers), options), options)) {}

Client::Client(Client&& other) noexcept = default;
Client& Client::operator=(Client&& other) noexcept = default;
Client::~Client() = default;

Result Client::try_lock(std::string_view resource, Milliseconds ttl) {
  return lock(resource, ttl, std::chrono::milliseconds(0));
}

Result Client::lock(std::string_view resource, Milliseconds ttl, Milliseconds wait,
                    const std::stop_token& stop, const OnOutage& on_outage) {
  return lock_all({std::string(resource)}, ttl, wait, stop, on_outage);
}

Result Client::try_lock_all(const std::vector<std::string>& resources, Milliseconds ttl) {
  return lock_all(resources, ttl, std::chrono::milliseconds(0));
}

Result Client::lock_all(const std::vector<std::string>& resources, Milliseconds ttl,
                        Milliseconds wait, const std::stop_token& stop, const OnOutage& on_outage) {
  return acquire(resources, {}, ttl, wait, stop, on_outage);
}

Result Client::try_lock_shared(std::string_view resource, Milliseconds ttl) {
  return lock_shared(resource, ttl, std::chrono::milliseconds(0));
}

Result Client::lock_shared(std::string_view resource, Milliseconds ttl, Milliseconds wait,
                           const std::stop_token& stop, const OnOutage& on_outage) {
  return acquire({std::string(resource)}, {.mode = LockMode::shared}, ttl, wait, stop, on_outage);
}

Result Client::try_acquire_permit(std::string_view resource, std::size_t permits,
                                  Milliseconds ttl) {
  return acquire_permit(resource, permits, ttl, std::chrono::milliseconds(0));
}

Result Client::acquire_permit(std::string_view resource, std::size_t permits, Milliseconds ttl,
                              Milliseconds wait, const std::stop_token& stop,
                              const OnOutage& on_outage) {
  if (permits < 1 || permits > kPermitsMax) {
    throw std::invalid_argument("permits must be between 1 and " + std::to_string(kPermitsMax));
  }
  return acquire({std::string(resource)}, {.permits = permits}, ttl, wait, stop, on_outage);
}

Result Client::acquire(const std::vector<std::string>& resources, const inner::LockShape& shape,
                       Milliseconds ttl, Milliseconds wait, const std::stop_token& stop,
                       const OnOutage& on_outage) {
  inner::Shared& shared = inner::alive(shared_);
  if (stop.stop_requested()) return Refusal{};
  const Resources wanted = inner::resources_of(resources);
  const Duration asked_for = inner::duration_of(ttl);
  const auto lease = std::make_shared<inner::BlockingLease>(shared_, wanted, asked_for, shape.mode);
  Outcome outcome =
      shared.acquire(wanted, shape, asked_for, inner::duration_of(wait), stop, on_outage);
  if (outcome.decision != Decision::granted) return shared.refusal_of(outcome);
  lease->lock().begin(std::move(outcome.token), outcome.decided_at + outcome.validity,
                      outcome.fence, std::move(outcome.slot));
  return Lease(lease);
}

}  // namespace v0
}  // namespace redlock
