// What C++ users are told in words, and the values that cross the public border.
#include <gtest/gtest.h>

#include <optional>
#include <set>

#include "redlock/redlock.hpp"

namespace redlock::words_test {
namespace {

using namespace std::chrono_literals;
using std::chrono::duration;
using std::chrono::hours;

constexpr std::int64_t kLongest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kShortest = std::numeric_limits<std::int64_t>::min();

TEST(Words, EveryDecisionHasItsOwn) {
  std::set<std::string_view> words;
  for (int i = 0; i <= static_cast<int>(Decision::aborted); ++i) {
    words.insert(to_string(static_cast<Decision>(i)));
  }
  EXPECT_EQ(words.size(), static_cast<std::size_t>(Decision::aborted) + 1);
  EXPECT_EQ(to_string(Decision::denied), "denied");
  EXPECT_EQ(to_string(Decision::unreachable), "unreachable");
}

TEST(Words, ARefusalNamesEveryServerInTrouble) {
  const Refusal refusal{Decision::unreachable,
                        {{"10.0.0.1:6379", Fault::refused, "connection refused"},
                         {"10.0.0.2:6379", Fault::timeout, "no answer"}}};
  EXPECT_EQ(to_string(refusal),
            "unreachable: 10.0.0.1:6379: connection refused; 10.0.0.2:6379: no answer");
  EXPECT_EQ(to_string(Refusal{Decision::denied, {}}), "denied");
}

TEST(Words, ABoundOfOurOwnIsNoOutage) {
  EXPECT_EQ(to_string(Refusal{Decision::unreachable, {}, true}),
            "unreachable because of a bound of this client, not of an outage");
}

TEST(Milliseconds, CountsWhatChronoCounts) {
  EXPECT_EQ(Milliseconds(250ms).count(), 250);
  EXPECT_EQ(Milliseconds(-3s).count(), -3'000);
  EXPECT_EQ(Milliseconds(2h).count(), 7'200'000);
}

TEST(Milliseconds, EndsAtTheLongestInsteadOfWrapping) {
  using Seconds = duration<std::int64_t>;
  EXPECT_EQ(Milliseconds(std::chrono::milliseconds::max()).count(), kLongest);
  EXPECT_EQ(Milliseconds(Seconds(kLongest / 1'000)).count(), kLongest / 1'000 * 1'000);
  EXPECT_EQ(Milliseconds(Seconds(kLongest / 1'000 + 1)).count(), kLongest);
  EXPECT_EQ(Milliseconds(Seconds(kShortest / 1'000 - 1)).count(), kShortest);
  EXPECT_EQ(Milliseconds(hours::max()).count(), kLongest);
  EXPECT_EQ(Milliseconds(hours::min()).count(), kShortest);
  EXPECT_EQ(Milliseconds(duration<std::uint64_t>(~std::uint64_t{0})).count(), kLongest);
}

// What would lose something on the way does not compile.
static_assert(std::is_convertible_v<std::chrono::seconds, Milliseconds>);
static_assert(!std::is_convertible_v<std::chrono::microseconds, Milliseconds>);
static_assert(!std::is_convertible_v<duration<double>, Milliseconds>);
static_assert(!std::is_convertible_v<int, Milliseconds>);

// Nobody can hold one lease twice.
static_assert(!std::is_copy_constructible_v<Lease> && std::is_nothrow_move_constructible_v<Lease>);
static_assert(!std::is_copy_assignable_v<Lease> && std::is_nothrow_move_assignable_v<Lease>);
static_assert(!std::is_copy_constructible_v<KeepAlive> && !std::is_copy_constructible_v<Client>);
static_assert(std::is_nothrow_destructible_v<Lease> && std::is_nothrow_destructible_v<KeepAlive>);

TEST(Result, AsARefusalIsFalseAndHasNoLease) {
  Result result = Refusal{Decision::denied, {}};
  EXPECT_FALSE(result);
  EXPECT_EQ(result.refusal().decision, Decision::denied);
  EXPECT_THROW((void)*result, std::bad_variant_access);
  EXPECT_THROW((void)result->live(), std::bad_variant_access);
}

std::string complaint(std::vector<std::string> servers, Options options) {
  try {
    const Client client(std::move(servers), std::move(options));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "none";
}

TEST(Client, NamesWhatCannotBeMeant) {
  const std::vector<std::string> good{"10.0.0.1"};
  EXPECT_EQ(complaint(good, {}), "none");
  EXPECT_EQ(complaint({}, {}), "servers must not be empty");
  EXPECT_EQ(complaint({"10.0.0.1", "10.0.0.2:0"}, {}),
            "server 2: port must be between 1 and 65535, 0 given");
  EXPECT_EQ(complaint({"a", "a:6379"}, {}), "server 2 is the same as server 1: a:6379");
  EXPECT_EQ(complaint(good, {.timeout = -1ms}), "timeout must be above 0 and at most 3600 seconds");
  EXPECT_EQ(complaint(good, {.timeout = hours::max()}),
            "timeout must be above 0 and at most 3600 seconds");
  EXPECT_EQ(complaint(good, {.drift_factor = 1}),
            "drift_factor must be at least 0 and less than 1");
  EXPECT_EQ(complaint(good, {.drift_factor = -0.01}),
            "drift_factor must be at least 0 and less than 1");
  EXPECT_EQ(complaint(good, {.drift_factor = std::numeric_limits<double>::quiet_NaN()}),
            "drift_factor must be at least 0 and less than 1");
  EXPECT_EQ(complaint(good, {.client_name = "two words"}),
            "client_name must be printable ASCII without spaces, at most 256 bytes long");
  EXPECT_EQ(complaint(good, {.retry_delay = -1ms}),
            "retry_delay must be at least 0 and at most an hour");
}

TEST(Client, TakesWhatIsAtItsBoundAndNothingBeyond) {
  const std::vector<std::string> good{"10.0.0.1"};
  const std::string name(256, 'n');
  for (const char* printable : {"!", "~"}) {
    EXPECT_EQ(complaint(good, {.client_name = printable}), "none");
  }
  for (const char* other : {" ", "\x7f", "\xff"}) {
    EXPECT_NE(complaint(good, {.client_name = other}), "none");
  }
  EXPECT_EQ(complaint(good, {.client_name = name}), "none");
  EXPECT_NE(complaint(good, {.client_name = name + "n"}), "none");
  EXPECT_EQ(complaint(good, {.retry_delay = 0ms}), "none");
  EXPECT_EQ(complaint(good, {.retry_delay = 1h}), "none");
  EXPECT_NE(complaint(good, {.retry_delay = 1h + 1ms}), "none");
  EXPECT_EQ(complaint(good, {.drift_factor = 0}), "none");
  EXPECT_NE(complaint(good, {.drift_factor = -0.1}), "none");
}

TEST(Client, ShowsNoPasswordInAComplaint) {
  try {
    const Client client({"redis://:open-sesame@host:99999"});
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(std::string(error.what()).find("sesame"), std::string::npos) << error.what();
  }
}

TEST(Client, ThatWasMovedFromSaysSo) {
  std::optional<Client> first(std::in_place, std::vector<std::string>{"10.0.0.1"});
  const Client second = *std::move(first);
  EXPECT_THROW((void)first->try_lock("r", 10s), std::logic_error);
}

}  // namespace
}  // namespace redlock::words_test
