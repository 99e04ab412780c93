// Passwords do not outlive the endpoints they belong to.
#include "redlock/config/secret.hpp"

#include <gtest/gtest.h>

#include <array>

#include "redlock/locks/lock_manager.hpp"
#include "support/frugal_transport.hpp"
#include "support/seeded_entropy.hpp"

namespace redlock::secret_test {
namespace {

using test::WatchedBytes;

// Too long to be kept within a string object.
const std::string kPassword = "a password of more than thirty bytes";

TEST(Secret, IsWipedWhereItIsGivenBack) {
  const WatchedBytes watched(kPassword);
  {
    Secret secret(kPassword);
    const Secret copy = secret;
    Secret moved = std::move(secret);
    moved = "another";
    EXPECT_EQ(copy, kPassword);
  }
  EXPECT_EQ(watched.leaks(), 0U);
  {
    const std::string plain = kPassword + "!";
  }
  EXPECT_GE(watched.leaks(), 1U) << "what the watch is for";
}

// A short text stands in the object itself, and is copied by a move.
TEST(Secret, LeavesNothingInWhatItWasMovedFrom) {
  const std::string word = "hunter2";
  // Of a text that is empty again the first byte says so.
  const std::string rest = word.substr(1);
  alignas(Secret) std::array<char, sizeof(Secret)> place{};
  auto* const from = new (place.data()) Secret(word);
  const std::string_view bytes(place.data(), place.size());
  ASSERT_NE(bytes.find(rest), std::string_view::npos);
  const Secret moved = std::move(*from);
  EXPECT_EQ(bytes.find(rest), std::string_view::npos);
  EXPECT_EQ(moved, word);
  EXPECT_TRUE(from->empty());
  from->~Secret();
}

// Where a text that is returned stands in its object itself, it stands there as the argument.
std::string short_text(const std::string& word, const char*& place) {
  std::string text = word;
  place = text.data();
  return text;
}

TEST(Secret, LeavesNothingInTheArgumentThatItWasMadeOf) {
  const std::string word = "hunter2";
  const char* place = nullptr;
  const auto left = [&] { return std::string(place + 1, word.size() - 1); };
  const auto size_and_left = [&](const Secret& secret) { return std::pair(secret.size(), left()); };
  // Looked at while the argument is still there: it goes with the whole expression.
  const auto [size, rest] = size_and_left(Secret(short_text(word, place)));
  EXPECT_EQ(size, word.size());
  EXPECT_EQ(rest, std::string(word.size() - 1, '\0'));
}

TEST(Secret, ComparesAsItsText) {
  EXPECT_EQ(Secret("a"), "a");
  EXPECT_NE(Secret("a"), Secret("b"));
  EXPECT_LT(Secret("a"), Secret("b"));
  EXPECT_TRUE(Secret().empty());
}

TEST(Secret, ABufferIsWipedWhenItGrows) {
  const WatchedBytes watched(kPassword);
  {
    WipedBuffer buffer;
    buffer += std::string_view(kPassword);
    buffer.append(10'000, 'x');
  }
  EXPECT_EQ(watched.leaks(), 0U);
}

TEST(Secret, APasswordIsGoneWithItsEndpoint) {
  test::FakeClock clock;
  test::SeededEntropy entropy;
  test::FrugalTransport network(clock);
  Pool pool(network, clock, entropy);
  const WatchedBytes watched(kPassword);
  {
    ServerFields fields;
    fields.host = "h";
    fields.password = kPassword;
    // What follows the password in a handshake makes it no longer than there is room for.
    fields.database = 1;
    LockOptions options;
    options.client_name = std::string(kClientNameBytesMax, 'n');
    LockManager locks(pool, {make_server(fields)}, options);
    const Outcome taken = pool.run(locks.begin_lock(Resource("r"), Duration::ms(10'000)));
    EXPECT_EQ(taken.decision, Decision::granted);
  }
  EXPECT_EQ(network.server("h:6379").count("AUTH"), 1U);
  clock.advance(Duration::seconds(60));
  pool.close_idle(Duration::seconds(60));
  EXPECT_EQ(network.open_count(), 0U);
  EXPECT_EQ(pool.endpoint_count(), 0U);
  EXPECT_EQ(watched.leaks(), 0U);
}

TEST(Secret, APasswordInAUrlIsNotCopiedAbout) {
  const std::string url = "redis://user:a%20password%20of%20more%20than%20thirty%20bytes@h";
  // Nor is its beginning, by a text that grows.
  const std::string beginning = kPassword.substr(0, 16);
  const WatchedBytes watched(beginning);
  EXPECT_EQ(parse_server(url).endpoint.password, kPassword);
  EXPECT_EQ(watched.leaks(), 0U);
}

}  // namespace
}  // namespace redlock::secret_test
