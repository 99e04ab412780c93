// A child process never touches its parent's sockets or locks.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netdb.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdlib>

#include "io/support/descriptors.hpp"
#include "io/support/fleet.hpp"
#include "support/child.hpp"

namespace redlock::fork_test {
namespace {

using test::eventually;
using test::exit_status_of_child;
using test::Fleet;

class Rule08AChildNeverTouchesItsParentsSockets : public Fleet {
 protected:
  Rule08AChildNeverTouchesItsParentsSockets()
      : runtime_(std::make_unique<Runtime>()),
        locks_(std::make_unique<LockManager>(runtime_->pool(), specs(1), named())) {}

  static LockOptions named() {
    LockOptions options = once();
    options.client_name = "family";
    return options;
  }
  // "id=… addr=…" of the only connection; what follows changes with every command.
  static std::string the_connection() {
    const auto lines = server(0).clients_named("family");
    EXPECT_EQ(lines.size(), 1U);
    return lines.empty() ? "" : lines[0].substr(0, lines[0].find(" fd="));
  }
  static std::uint64_t commands() {
    return server(0).calls("set") + server(0).calls("eval") + server(0).calls("evalsha");
  }
  void release_everything() {
    locks_.reset();
    runtime_.reset();
  }

  std::unique_ptr<Runtime> runtime_;
  std::unique_ptr<LockManager> locks_;
};

TEST_F(Rule08AChildNeverTouchesItsParentsSockets, AChildThatOnlyExitsSendsNothing) {
  const Outcome taken = lock(*runtime_, *locks_);
  ASSERT_EQ(taken.decision, Decision::granted);
  const std::string before = the_connection();
  const std::uint64_t commands_before = commands();
  EXPECT_EQ(exit_status_of_child([&] {
              release_everything();
              return true;
            }),
            0);
  EXPECT_EQ(the_connection(), before);
  EXPECT_EQ(commands(), commands_before);
  EXPECT_EQ(unlock(*runtime_, *locks_, taken.token).decision, Decision::granted);
  EXPECT_EQ(the_connection(), before);
}

TEST_F(Rule08AChildNeverTouchesItsParentsSockets, AChildThatLocksMakesConnectionsOfItsOwn) {
  ASSERT_EQ(lock(*runtime_, *locks_, "parent's").decision, Decision::granted);
  const std::string before = the_connection();
  EXPECT_EQ(exit_status_of_child([&] {
              const Outcome taken = lock(*runtime_, *locks_, "child's");
              const bool two = server(0).clients_named("family").size() == 2;
              return taken.decision == Decision::granted && two &&
                     unlock(*runtime_, *locks_, taken.token, "child's").decision ==
                         Decision::granted;
            }),
            0);
  // The child's own connection has gone with it.
  EXPECT_TRUE(eventually([] { return server(0).clients_named("family").size() == 1; }));
  EXPECT_EQ(the_connection(), before);
  EXPECT_EQ(lock(*runtime_, *locks_, "parent's second").decision, Decision::granted);
  EXPECT_EQ(the_connection(), before);
}

TEST_F(Rule08AChildNeverTouchesItsParentsSockets, AChildDoesNotUndoWhatItsParentIsDoing) {
  ASSERT_EQ(lock(*runtime_, *locks_, "connects").decision, Decision::granted);
  server(0).stop();
  const OperationId id = locks_->begin_lock(Resource("r"), Duration::seconds(60));
  EXPECT_EQ(exit_status_of_child([&] {
              const Outcome outcome = runtime_->pool().collect(id);
              release_everything();
              return outcome.decision == Decision::aborted;
            }),
            0);
  server(0).go_on();
  const Outcome taken = runtime_->pool().run(id);
  EXPECT_EQ(taken.decision, Decision::granted);
  EXPECT_EQ(server(0).say({"GET", "r"}), taken.token.view());
}

TEST_F(Rule08AChildNeverTouchesItsParentsSockets, AChildReadsNoneOfItsParentsAnswers) {
  ASSERT_EQ(lock(*runtime_, *locks_, "connects").decision, Decision::granted);
  const OperationId id = locks_->begin_lock(Resource("r"), Duration::seconds(60));
  EXPECT_EQ(exit_status_of_child([&] {
              runtime_->pool().step(Instant());
              return runtime_->pool().done(id);
            }),
            0);
  EXPECT_EQ(runtime_->pool().run(id).decision, Decision::granted);
}

TEST_F(Rule08AChildNeverTouchesItsParentsSockets, AChildDoesNotInheritStamps) {
  StampLedger ledger;
  StampOptions options;
  options.timeout = test::kPatience;
  StampLockManager stamps(runtime_->pool(), ledger, specs(1)[0], options);
  const Resource key("k");
  const Outcome taken = runtime_->pool().run(
      stamps.begin_lock(key, Duration::seconds(60), {}, RetryPolicy::exact(1, Duration())));
  ASSERT_EQ(taken.decision, Decision::granted);
  stamps.note_taken(key, taken);
  EXPECT_EQ(exit_status_of_child([&] { return !stamps.begin_release(key, {}).has_value(); }), 0);
  EXPECT_TRUE(stamps.begin_release(key, {}).has_value());
}

// Servers see that a process has died by its connections; who waits in line is passed over then.
TEST_F(Rule08AChildNeverTouchesItsParentsSockets, AConnectionEndsWithItsProcessThoughAChildLives) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  EXPECT_EQ(exit_status_of_child([&] {
              const bool locked = lock(*runtime_, *locks_).decision == Decision::granted;
              const bool seen = server(0).clients_named("family").size() == 1;
              close(ends[1]);
              // It lives until the test lets go of the pipe.
              char none = 0;
              if (fork() == 0) _exit(read(ends[0], &none, 1) == 0 ? 0 : 1);
              _exit(locked && seen ? 0 : 1);
              return true;
            }),
            0);
  EXPECT_TRUE(eventually([] { return server(0).clients_named("family").empty(); }));
  close(ends[0]);
  close(ends[1]);
}

TEST_F(Rule08AChildNeverTouchesItsParentsSockets, AHalfClosedConnectionIsTheParentsToo) {
  // More than a server reads at once is unanswered when the connection is given up.
  LockOptions impatient = named();
  impatient.timeout = Duration::ms(500);
  LockManager locks(runtime_->pool(), specs(1), impatient);
  ASSERT_EQ(lock(*runtime_, locks, "connects").decision, Decision::granted);
  // Nothing else is said before the client's name is answered.
  ASSERT_EQ(lock(*runtime_, locks, "named").decision, Decision::granted);
  server(0).stop();
  const std::string big(kResourceBytesMax, 'x');
  EXPECT_EQ(lock(*runtime_, locks, big).decision, Decision::unreachable);
  EXPECT_EQ(exit_status_of_child([&] {
              release_everything();
              return true;
            }),
            0);
  server(0).go_on();
  EXPECT_TRUE(eventually([] { return server(0).clients_named("family").empty(); }));
  EXPECT_EQ(server(0).say({"GET", big}), "nil");
}

// What the server sees says nothing about a descriptor that the child merely keeps.
TEST_F(Rule08AChildNeverTouchesItsParentsSockets, AChildKeepsNoneOfItsParentsDescriptors) {
  release_everything();
  const std::set<int> before = test::open_descriptors();
  runtime_ = std::make_unique<Runtime>();
  LockManager stopped(runtime_->pool(), specs(1), once(Duration::ms(500)));
  ASSERT_EQ(lock(*runtime_, stopped, "connects").decision, Decision::granted);
  server(0).stop();
  // One that is closed for sending only, and one that is being made.
  const std::string big(kResourceBytesMax, 'x');
  EXPECT_EQ(lock(*runtime_, stopped, big).decision, Decision::unreachable);
  EXPECT_GT(test::open_descriptors().size(), before.size());
  LockManager patient(runtime_->pool(), specs(2), named());
  const OperationId id = patient.begin_lock(Resource("r"), Duration::seconds(60));
  EXPECT_GT(test::open_descriptors().size(), before.size() + 2);
  const std::set<int> parents = test::open_descriptors();
  EXPECT_EQ(exit_status_of_child([&] {
              const bool given_up = runtime_->pool().collect(id).decision == Decision::aborted;
              return given_up && test::open_descriptors() == before;
            }),
            0);
  EXPECT_EQ(test::open_descriptors(), parents);
  server(0).go_on();
  EXPECT_EQ(runtime_->pool().run(id).decision, Decision::granted);
}

// Whoever opens more cannot have more, and the child has all that its parent has.
TEST_F(Rule08AChildNeverTouchesItsParentsSockets, NorDoesOneWhoseParentHasNoNumberLeft) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  EXPECT_EQ(exit_status_of_child([&] {
              if (lock(*runtime_, *locks_).decision != Decision::granted) return false;
              close(ends[1]);
              rlimit bound{};
              getrlimit(RLIMIT_NOFILE, &bound);
              bound.rlim_cur = static_cast<rlim_t>(*test::open_descriptors().rbegin()) + 1;
              if (setrlimit(RLIMIT_NOFILE, &bound) != 0) return false;
              while (open("/dev/null", O_RDWR | O_CLOEXEC) >= 0) {
              }
              // It lives until the test lets go of the pipe.
              char none = 0;
              if (fork() == 0) _exit(read(ends[0], &none, 1) == 0 ? 0 : 1);
              return true;
            }),
            0);
  EXPECT_TRUE(eventually([] { return server(0).clients_named("family").empty(); }));
  close(ends[0]);
  close(ends[1]);
}

// What is printed after it has closed its standard streams goes nowhere.
TEST_F(Rule08AChildNeverTouchesItsParentsSockets, ADaemonsWordsReachNoServer) {
  EXPECT_EQ(exit_status_of_child([&] {
              for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) close(stream);
              if (lock(*runtime_, *locks_).decision != Decision::granted) return false;
              const std::string words = "SET printed 1\r\n";
              for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
                if (write(stream, words.data(), words.size()) >= 0) return false;
              }
              return lock(*runtime_, *locks_, "another").decision == Decision::granted;
            }),
            0);
  EXPECT_EQ(server(0).say({"GET", "printed"}), "nil");
}

// Locks of the C library that a look-up of ours held at the time of the fork would never be
// released in the child. REDLOCK_FORKS asks for more forks than a test has time for.
TEST(ForkDuringALookUp, LeavesTheChildAbleToResolveNames) {
  const char* asked = std::getenv("REDLOCK_FORKS");
  const int forks = asked == nullptr ? 100 : std::stoi(asked);
  constexpr unsigned kHangsAfterSeconds = 10;
  int hung = 0;
  LockOptions options;
  options.timeout = Duration::ms(50);
  for (int i = 0; i < forks; ++i) {
    Runtime runtime;
    std::vector<ServerSpec> servers;
    for (const char* stem : {"localhost", "a.invalid", "b.invalid", "c.invalid", "d.invalid"}) {
      servers.push_back(parse_server(stem + (':' + std::to_string(1'000 + i))));
    }
    LockManager locks(runtime.pool(), servers, options);
    const OperationId id = locks.begin_lock(Resource("r"), Duration::seconds(60));
    // At another point of the look-ups each time.
    const Instant fork_at = runtime.pool().clock().now() + Duration::us(i % 100 * 5);
    while (runtime.pool().clock().now() < fork_at) {
    }
    const int status = exit_status_of_child([] {
      alarm(kHangsAfterSeconds);
      return gethostbyname("localhost") != nullptr;
    });
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) ++hung;
    runtime.pool().collect(id);
  }
  EXPECT_EQ(hung, 0) << "of " << forks;
}

}  // namespace
}  // namespace redlock::fork_test
