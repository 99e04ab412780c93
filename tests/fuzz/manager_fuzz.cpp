// Both managers with arbitrary servers, options and arguments, over connections that do anything.
//
// Claims: what is refused is refused with an ArgumentError; what is accepted comes to an outcome
// within its budget of (virtual) time, whatever the servers do; a granted lock has a majority of
// granting servers, a token and a validity that its ttl covers; every connection is closed again.
#include <optional>
#include <string>
#include <vector>

#include "redlock/locks/stamp_lock_manager.hpp"
#include "scripted_transport.hpp"

namespace redlock::fuzz {

namespace {

class SeededEntropy final : public Entropy {
 public:
  void fill(std::span<std::byte> bytes) override {
    for (std::byte& byte : bytes) {
      state_ = state_ * 6364136223846793005U + 1442695040888963407U;
      byte = static_cast<std::byte>(state_ >> 56U);
    }
  }

 private:
  std::uint64_t state_ = 1;
};

// Mostly small, now and then anything at all.
std::int64_t any_number(Input& input) {
  return input.choice(8) == 7 ? input.number<std::int64_t>() : input.choice();
}

ServerSpec server_from(Input& input, std::size_t position) {
  ServerFields fields;
  const std::size_t how = input.choice(8);
  fields.host = how == 7 ? std::string(input.text(input.choice(32))) : "server";
  fields.port = how == 6 ? any_number(input) : static_cast<std::int64_t>(position + 1);
  if (how == 5) fields.timeout_seconds = input.number<double>();
  if (how == 4) fields.database = any_number(input);
  if (how == 3) fields.password = std::string(input.text(input.choice(8)));
  if (how == 2) fields.user = std::string(input.text(input.choice(8)));
  return make_server(fields);
}

RetryPolicy retry_from(Input& input) {
  const auto attempts = static_cast<std::int64_t>(input.choice(4));
  if (input.choice(8) != 7) return RetryPolicy::jittered(attempts, input.choice());
  return RetryPolicy::exact(attempts, Duration::ms(any_number(input)));
}

class Run {
 public:
  explicit Run(Input& input)
      : input_(input), transport_(input, clock_), pool_(transport_, clock_, entropy_) {}

  void quorum_lock() {
    std::vector<ServerSpec> servers;
    const std::size_t count = input_.choice(16) == 15 ? input_.choice(20) : 1 + input_.choice(5);
    for (std::size_t i = 0; i < count; ++i) servers.push_back(server_from(input_, i));
    LockOptions options;
    options.retry = retry_from(input_);
    if (input_.choice(8) == 7) options.drift_factor = input_.number<double>();
    if (input_.choice(8) == 7) options.timeout = Duration::ns(input_.number<std::int64_t>());
    if (input_.choice(8) == 7) options.client_name = std::string(input_.text(input_.choice()));
    LockManager manager(pool_, servers, options);
    const Duration patience = patience_of(servers, options.timeout, options.retry);
    const int calls = 1 + static_cast<int>(input_.choice(3));
    for (int i = 0; i < calls; ++i) call(manager, count, patience);
  }

  void stamp_lock() {
    const ServerSpec server = server_from(input_, 0);
    StampOptions options;
    options.mixed_fleet = input_.choice(2) == 1;
    if (input_.choice(8) == 7) options.timeout = Duration::ns(input_.number<std::int64_t>());
    StampLedger ledger;
    StampLockManager manager(pool_, ledger, server, options);
    const RetryPolicy retry = retry_from(input_);
    const Resource key{std::string(input_.text(input_.choice(16)))};
    const Duration lease = Duration::ms(any_number(input_));
    const Duration buffer = Duration::ms(any_number(input_));
    const Duration patience = patience_of({server}, options.timeout, retry);
    const Outcome taken = finish(manager.begin_lock(key, lease, buffer, retry), patience);
    if (taken.decision == Decision::granted) {
      REQUIRE(taken.validity > Duration() && taken.validity <= lease);
      manager.note_taken(key, taken);
    }
    if (const auto check = manager.begin_check(key)) finish(*check, patience);
    if (const auto release = manager.begin_release(key, buffer)) finish(*release, patience);
  }

 private:
  // Connecting once, and all attempts with every answer and every pause at its longest.
  static Duration patience_of(const std::vector<ServerSpec>& servers, Duration usual,
                              const RetryPolicy& retry) {
    Duration longest;
    Duration connecting;
    for (const ServerSpec& server : servers) {
      const Duration answer = server.timeout.value_or(usual);
      longest = std::max(longest, answer);
      connecting = std::max(connecting, usual_connect_time(answer));
    }
    return connecting +
           (longest + retry.pause_high) * static_cast<std::int64_t>(retry.attempts_max);
  }

  void call(LockManager& manager, std::size_t count, Duration patience) {
    const Resource resource{std::string(input_.text(input_.choice(16)))};
    const Token token{std::string(input_.text(input_.choice(16)))};
    const Duration ttl = Duration::ms(any_number(input_));
    switch (input_.choice(5)) {
      case 0:
        finish(manager.begin_unlock(resource, token), patience);
        return;
      case 1:
        finish(manager.begin_check(resource, token), patience);
        return;
      case 2:
        return check(finish(manager.begin_extend(resource, token, ttl), patience), count, ttl);
      case 3:
        static_cast<void>(pool_.collect(manager.begin_lock(resource, ttl)));
        return;
      default:
        return check(finish(manager.begin_lock(resource, ttl), patience), count, ttl);
    }
  }

  Outcome finish(OperationId id, Duration patience) {
    const Instant begun = clock_.now();
    const Outcome outcome = pool_.run(id);
    REQUIRE(outcome.decided_at - begun <= patience + kSlack);
    return outcome;
  }

  static void check(const Outcome& outcome, std::size_t count, Duration ttl) {
    if (outcome.decision != Decision::granted) return;
    std::size_t grants = 0;
    for (const NodeReport& node : outcome.nodes) {
      if (node.answered && node.reply.answer == Answer::granted) ++grants;
    }
    REQUIRE(grants >= count / 2 + 1);
    REQUIRE(!outcome.token.empty());
    REQUIRE(outcome.validity > Duration() && outcome.validity < ttl);
  }

  // Each wake-up may come up to 255 µs after something became ready.
  static constexpr Duration kSlack = Duration::ms(20);

  Input& input_;
  ScriptedClock clock_;
  SeededEntropy entropy_;
  ScriptedTransport transport_;
  Pool pool_;
};

}  // namespace

void manage(Input input) {
  Run run(input);
  try {
    if (input.choice(2) == 0) {
      run.quorum_lock();
    } else {
      run.stamp_lock();
    }
  } catch (const ArgumentError& error) {
    REQUIRE(*error.what() != '\0');
  }
}

}  // namespace redlock::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  redlock::fuzz::manage(redlock::fuzz::Input(data, size));
  return 0;
}
