// One look-up: where names are sought, and that it never blocks, sends or keeps what it should not.
#include "redlock/os/look_up.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netdb.h>
#include <poll.h>

#include <atomic>
#include <fstream>

#include "io/support/descriptors.hpp"
#include "io/support/eventually.hpp"
#include "io/support/name_server.hpp"
#include "io/support/temp_folder.hpp"
#include "support/allocations.hpp"
#include "support/child.hpp"

namespace {
std::atomic<int> services_asked = 0;
}

// The system's list of services, which blocks, and in which a port may have another meaning.
extern "C" servent* getservbyname(const char* /*name*/, const char* /*protocol*/) {
  ++services_asked;
  return nullptr;
}

namespace redlock::look_up_test {
namespace {

using test::eventually;
using test::NameServer;

constexpr std::uint16_t kPort = 6379;

class LookingUp : public testing::Test {
 protected:
  // As wait() does: polls the sockets, for at most as long as it may be left alone.
  static void run(LookUp& look_up) {
    ASSERT_TRUE(eventually([&] {
      std::vector<pollfd> sockets;
      look_up.watch(sockets);
      const std::int64_t left = look_up.patience().value_or(Duration()).count_ms();
      poll(sockets.data(), sockets.size(), static_cast<int>(std::min<std::int64_t>(left, 100)));
      look_up.drive();
      return look_up.done();
    }));
    std::vector<pollfd> left;
    look_up.watch(left);
    EXPECT_TRUE(left.empty()) << "they are closed";
    EXPECT_EQ(look_up.patience(), std::nullopt);
  }
  static std::vector<std::string> addresses(const LookUp& look_up) {
    std::vector<std::string> texts;
    for (const SocketAddress& address : look_up.result().addresses) {
      sockaddr_in name{};
      std::memcpy(&name, &address.storage, sizeof(name));
      std::array<char, INET_ADDRSTRLEN> text{};
      inet_ntop(AF_INET, &name.sin_addr, text.data(), text.size());
      texts.push_back(std::string(text.data()) + ':' + std::to_string(ntohs(name.sin_port)));
    }
    return texts;
  }

  // With a resolv.conf that says so.
  NameSources sources_with(const std::string& line) const {
    NameSources sources = names_.sources();
    sources.resolv_conf = test::temp_path("resolv.conf");
    std::ofstream(sources.resolv_conf) << "nameserver 127.0.0.1\n" << line << '\n';
    return sources;
  }
  NameSources sources_that_search(const std::string& domains) const {
    return sources_with("search " + domains);
  }

  NameServer names_;
};

TEST_F(LookingUp, AsksTheNameServerAndGivesEveryAddressWithThePort) {
  names_.know("a.test", {"127.0.0.2", "127.0.0.3"});
  LookUp look_up(names_.sources(), "a.test", kPort);
  EXPECT_FALSE(look_up.done());
  run(look_up);
  EXPECT_EQ(addresses(look_up), (std::vector<std::string>{"127.0.0.2:6379", "127.0.0.3:6379"}));
}

TEST_F(LookingUp, AsksByTcpForAnAnswerThatIsTooLongForUdp) {
  names_.know("a.test", {"127.0.0.2"});
  names_.cut_short(true);
  LookUp look_up(names_.sources(), "a.test", kPort);
  run(look_up);
  EXPECT_EQ(addresses(look_up), (std::vector<std::string>{"127.0.0.2:6379"}));
  EXPECT_EQ(names_.asked(), 4) << "either way, for both versions of IP";
}

TEST_F(LookingUp, NeverSeeksThePortAmongTheSystemsServices) {
  names_.know("db.test", {"127.0.0.2"});
  ASSERT_EQ(getservbyname("redis", "tcp"), nullptr) << "and so it would be noticed";
  const int before = services_asked;
  LookUp look_up(names_.sources(), "db.test", kPort);
  run(look_up);
  EXPECT_EQ(addresses(look_up), (std::vector<std::string>{"127.0.0.2:6379"}));
  EXPECT_EQ(services_asked, before);
}

TEST_F(LookingUp, ReadsTheHostsFileBeforeItAsks) {
  names_.be_silent(true);
  LookUp look_up(names_.sources(), "localhost", kPort);
  EXPECT_TRUE(look_up.done());
  EXPECT_FALSE(look_up.result().addresses.empty()) << look_up.result().failure;
  EXPECT_EQ(names_.asked(), 0);
}

TEST_F(LookingUp, TriesTheSearchDomains) {
  names_.know("server.inner.test", {"127.0.0.2"});
  LookUp look_up(sources_that_search("outer.test inner.test"), "server", kPort);
  run(look_up);
  EXPECT_EQ(addresses(look_up), std::vector<std::string>{"127.0.0.2:6379"});
  EXPECT_GT(names_.asked("server.outer.test"), 0);
}

TEST_F(LookingUp, ReadsTheSystemsFilesEachTime) {
  names_.know("server.new.test", {"127.0.0.2"});
  const NameSources sources = sources_that_search("old.test");
  LookUp before(sources, "server", kPort);
  run(before);
  EXPECT_TRUE(before.result().addresses.empty());
  std::ofstream(sources.resolv_conf) << "nameserver 127.0.0.1\nsearch new.test\n";
  LookUp after(sources, "server", kPort);
  run(after);
  EXPECT_FALSE(after.result().addresses.empty());
}

TEST_F(LookingUp, OfAnUnknownNameSaysSo) {
  LookUp look_up(names_.sources(), "nobody.test", kPort);
  const std::set<int> before = test::open_descriptors();
  run(look_up);
  EXPECT_TRUE(look_up.result().addresses.empty());
  EXPECT_NE(look_up.result().failure.find("cannot be resolved"), std::string::npos);
  EXPECT_LT(test::open_descriptors().size(), before.size()) << "nor is anything kept open";
}

TEST_F(LookingUp, OfASilentNameServerEndsByItself) {
  names_.be_silent(true);
  // By the names that older versions of c-ares know, and by those of newer ones.
  const std::string options = "options retrans:300 retry:1 timeout:1 attempts:1";
  LookUp look_up(sources_with(options), "a.test", kPort);
  run(look_up);
  EXPECT_EQ(look_up.result().failure,
            "the host name cannot be resolved: Timeout while contacting DNS servers");
}

TEST_F(LookingUp, ThatCannotBeginSaysSoAtOnce) {
  NameSources sources;
  sources.servers = "no address";
  const std::set<int> before = test::open_descriptors();
  LookUp look_up(sources, "a.test", kPort);
  ASSERT_TRUE(look_up.done());
  EXPECT_NE(look_up.result().failure.find("cannot be resolved"), std::string::npos);
  EXPECT_EQ(look_up.patience(), std::nullopt);
  EXPECT_EQ(test::open_descriptors(), before);
}

// As its first or its second address is noted.
TEST_F(LookingUp, WhoseAnswerFindsNoMemoryFailsWhole) {
  names_.know("a.test", {"127.0.0.2", "127.0.0.3"});
  for (const std::size_t address : {1U, 2U}) {
    LookUp look_up(names_.sources(), "a.test", kPort);
    EXPECT_TRUE(eventually([&] {
      const test::FailingAllocations failing(address, test::Shortage::lasting);
      look_up.drive();
      return look_up.done();
    }));
    EXPECT_TRUE(look_up.result().addresses.empty());
    EXPECT_EQ(look_up.result().failure, "no memory");
  }
}

TEST_F(LookingUp, OfANameServerThatFailsSaysSo) {
  names_.fail(true);
  LookUp look_up(names_.sources(), "a.test", kPort);
  run(look_up);
  EXPECT_NE(look_up.result().failure.find("cannot be resolved"), std::string::npos);
}

TEST_F(LookingUp, TakesNoMoreAddressesThanTheBound) {
  std::vector<std::string> many;
  for (int i = 1; i <= 20; ++i) many.push_back("127.0.1." + std::to_string(i));
  names_.know("many.test", many);
  LookUp look_up(names_.sources(), "many.test", kPort);
  run(look_up);
  EXPECT_EQ(look_up.result().addresses.size(), kAddressesMax);
}

TEST_F(LookingUp, KeepsNoDescriptorOnceItIsDoneOrGivenUp) {
  const std::set<int> before = test::open_descriptors();
  names_.know("a.test", {"127.0.0.2"});
  LookUp look_up(names_.sources(), "a.test", kPort);
  run(look_up);
  EXPECT_EQ(test::open_descriptors(), before);
  names_.be_silent(true);
  {
    LookUp given_up(names_.sources(), "b.test", kPort);
    given_up.drive();
    EXPECT_GT(test::open_descriptors().size(), before.size());
    EXPECT_TRUE(given_up.patience().has_value());
  }
  EXPECT_EQ(test::open_descriptors(), before);
}

TEST_F(LookingUp, AChildThatLetsGoOfItLeavesItToItsParent) {
  names_.know("a.test", {"127.0.0.2"});
  names_.take(std::chrono::milliseconds(200));
  const std::set<int> before = test::open_descriptors();
  auto look_up = std::make_unique<LookUp>(names_.sources(), "a.test", kPort);
  ASSERT_TRUE(eventually([this] { return names_.asked() == 2; }));
  EXPECT_EQ(test::exit_status_of_child([&] {
              look_up.reset();
              return test::open_descriptors() == before;
            }),
            0);
  run(*look_up);
  EXPECT_FALSE(look_up->result().addresses.empty()) << look_up->result().failure;
  EXPECT_EQ(names_.asked(), 2);
}

// Nobody reads the answer yet. That a port is closed some c-ares notices at once.
TEST_F(LookingUp, OneUnderWayHasNoResult) {
  const LookUp look_up(names_.sources(), "a.test", kPort);
  EXPECT_DEATH(static_cast<void>(look_up.result()), "done");
}

TEST(Cares, NamesItsVersion) { EXPECT_NE(cares_version().find('.'), std::string::npos); }

}  // namespace
}  // namespace redlock::look_up_test
