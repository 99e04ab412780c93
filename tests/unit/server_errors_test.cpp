// What servers say, and what of it is kept from sight.
#include "redlock/wire/server_errors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>

#include "support/seeded_entropy.hpp"
#include "support/session_fixture.hpp"

namespace redlock::server_errors_test {
namespace {

using testing::HasSubstr;
using testing::Not;

Secrets secrets_of(const std::string& password, const std::string& user = {}) {
  Endpoint endpoint;
  endpoint.password = password;
  endpoint.user = user;
  return Secrets(endpoint);
}

constexpr const char* kHidden = "(hidden: it repeats what was sent)";

TEST(FaultOf, CodesAreRead) {
  EXPECT_EQ(fault_of("NOAUTH Authentication required."), Fault::auth);
  EXPECT_EQ(fault_of("WRONGPASS invalid username-password pair or user is disabled."), Fault::auth);
  EXPECT_EQ(fault_of("DENIED Redis is running in protected mode"), Fault::auth);
  EXPECT_EQ(fault_of("ERR invalid password"), Fault::auth);
  EXPECT_EQ(fault_of("NOPERM this user has no permissions to run the 'set' command"), Fault::acl);
  EXPECT_EQ(fault_of("READONLY You can't write against a read only replica."), Fault::readonly);
  EXPECT_EQ(fault_of("UNBLOCKED force unblock from blocking operation, instance state changed"),
            Fault::readonly);
  EXPECT_EQ(fault_of("LOADING Redis is loading the dataset in memory"), Fault::loading);
  EXPECT_EQ(fault_of("MASTERDOWN Link with MASTER is down"), Fault::loading);
  EXPECT_EQ(fault_of("OOM command not allowed when used memory > 'maxmemory'."), Fault::oom);
  EXPECT_EQ(fault_of("BUSY Redis is busy running a script."), Fault::busy);
  EXPECT_EQ(fault_of("MISCONF Redis is configured to save RDB snapshots"), Fault::misconf);
  EXPECT_EQ(fault_of("NOREPLICAS Not enough good replicas to write."), Fault::noreplicas);
  EXPECT_EQ(fault_of("MOVED 866 127.0.0.1:7001"), Fault::cluster);
  EXPECT_EQ(fault_of("CROSSSLOT Keys in request do not hash to the same slot"), Fault::cluster);
  EXPECT_EQ(fault_of("CLUSTERDOWN Hash slot not served"), Fault::cluster);
  EXPECT_EQ(fault_of("ERR max number of clients reached"), Fault::maxclients);
  EXPECT_EQ(fault_of("OOM"), Fault::oom);
}

TEST(FaultOf, CodesAreFoundInAScriptsError) {
  EXPECT_EQ(fault_of("ERR Error running script (call to f_1): @user_script:1: "
                     "@user_script: 1: -READONLY You can't write against a read only replica."),
            Fault::readonly);
  EXPECT_EQ(fault_of("ERR Error running script: The user executing the script can't run this "
                     "command or subcommand"),
            Fault::acl);
  EXPECT_EQ(fault_of("NOPERM ACL failure in script: User a has no permissions"), Fault::acl);
  EXPECT_EQ(fault_of("ERR The user executing the script can't run this command or subcommand "
                     "script: b3a02c833904802db9c34a3cf1292eee3246df3c, on @user_script:1."),
            Fault::acl);
  EXPECT_EQ(fault_of("ERR The user executing the script can't publish to the channel mentioned in "
                     "the command"),
            Fault::acl);
}

TEST(FaultOf, ARefusalToRunScriptsIsOne) {
  for (const char* text :
       {"NOPERM this user has no permissions to run the 'eval' command",
        "NOPERM this user has no permissions to run the 'evalsha' command or its subcommand",
        "NOPERM User eval has no permissions to run the 'eval' command",
        "ERR unknown command 'EVAL', with args beginning with: 'return 1' '0' ",
        "ERR unknown command `EVALSHA`, with args beginning with: `a`, ",
        "ERR unknown command 'EVAL'", "ERR command eval not support for normal user",
        "ERR Could not find scripting engine 'lua'"}) {
    EXPECT_EQ(fault_of(text), Fault::scripts) << text;
  }
  EXPECT_EQ(fault_of("NOPERM User eval has no permissions to run the 'get' command"), Fault::acl);
  EXPECT_EQ(fault_of("NOPERM No permissions to access a key"), Fault::acl);
  for (const char* text :
       {"ERR unknown command 'SET', with args beginning with: 'eval' ", "ERR evaluation failed",
        "ERR Error running script (call to f_1): @user_script:1: medieval", "EVAL", "eval",
        "ERR reevaluate"}) {
    EXPECT_EQ(fault_of(text), Fault::rejected) << text;
  }
}

TEST(FaultOf, AnythingElseIsJustRejected) {
  for (const char* text : {"", "ERR unknown command 'SET'", "OOMPH", "BUSYGROUP exists",
                           "ERR the key OOM is odd", "AUTHENTICATE", " -"}) {
    EXPECT_EQ(fault_of(text), Fault::rejected) << text;
  }
}

TEST(Secrets, AnOrdinaryErrorIsShownWhole) {
  EXPECT_EQ(secrets_of("secret", "alice").shown("OOM command not allowed"),
            "OOM command not allowed");
  EXPECT_EQ(Secrets().shown("ERR x"), "ERR x");
}

TEST(Secrets, TheArgumentsOfAnUnknownCommandAreLeftOut) {
  for (const char* password : {"x", "secret", "AUT"}) {
    for (const char* before : {"ERR unknown command 'AUTH', ", "ERR unknown command `AUTH`, "}) {
      const std::string text =
          before + ("with args beginning with: '" + std::string(password)) + "' ";
      EXPECT_EQ(secrets_of(password).shown(text), before + std::string("with args (hidden)"));
    }
  }
}

TEST(Secrets, OfATextWithThePasswordOnlyTheCodeIsLeft) {
  EXPECT_EQ(secrets_of("secret").shown("ERR what is secret?"), std::string("ERR ") + kHidden);
  EXPECT_EQ(secrets_of("secret").shown("what is secret?"), kHidden);
  EXPECT_EQ(secrets_of("WRONGPASS").shown("WRONGPASS invalid"), kHidden);
}

TEST(Secrets, AProofOfOwnershipIsHiddenLikeAPassword) {
  const std::string token(32, 'a');
  EXPECT_EQ(Secrets().shown("ERR bad value " + token, token), std::string("ERR ") + kHidden);
  EXPECT_EQ(Secrets().shown("ERR bad value " + token.substr(0, 12) + "...", token),
            std::string("ERR ") + kHidden);
}

TEST(Secrets, EscapesHideNothing) {
  const std::string password("a'b\"c\\d\r\n\t\xff p%q\0r", 17);
  for (const char* text :
       {"a'b\"c\\d  \t\xff p%q", R"(a\'b\"c\\d\r\n\t\xff p%q\x00r)",
        R"(a'b\"c\\d\x0d\x0A\x09\xFF p%q\0r)", "a%27b%22c%5Cd%0D%0a%09%ff+p%25q%00r",
        "a'b\"c%5cd%0D%0A%09%FF%20p%25q%00r",
        R"(a\u0027b\u0022c\u005cd\u000d\u000a\u0009\u00ff p%q\u0000r)",
        R"(a\047b\042c\134d\015\012\011\377 p%q\000r)", "a&#39;b&quot;c\\d  \t\xff p%q"}) {
    EXPECT_EQ(secrets_of(password).shown("ERR got '" + std::string(text) + "'"),
              std::string("ERR ") + kHidden)
        << text;
  }
}

TEST(Secrets, ALetterBehindABackslashIsReadAsItIsMeant) {
  EXPECT_EQ(secrets_of("\n\r\t\a\b\\\"'").shown(R"(ERR got \n\r\t\a\b\\\"\')"),
            std::string("ERR ") + kHidden);
}

TEST(Secrets, ALineEndThatWasMadeABlankHidesNothing) {
  for (const char* password : {"ab\rcd", "ab\ncd", "tell\r\nnobody"}) {
    std::string shown = password;
    std::ranges::replace_if(shown, [](char byte) { return byte == '\r' || byte == '\n'; }, ' ');
    EXPECT_EQ(secrets_of(password).shown("ERR got '" + shown + "'"), std::string("ERR ") + kHidden);
  }
}

TEST(Secrets, ALineEndIsNotFoundInAnyOtherByte) {
  EXPECT_EQ(secrets_of("ab\ncd").shown("ERR got 'abacd'"), "ERR got 'abacd'");
}

TEST(Secrets, AnAmpersandIsTakenForNoOtherByte) {
  EXPECT_EQ(secrets_of("secret").shown("ERR got 's&cret'"), "ERR got 's&cret'");
}

TEST(Secrets, NorDoThoseOfHtml) {
  EXPECT_EQ(secrets_of("a&b<c>d").shown("ERR got a&amp;b&lt;c&gt;d"),
            std::string("ERR ") + kHidden);
}

TEST(Secrets, ABeginningAtTheEndOfACutTextIsHidden) {
  EXPECT_EQ(secrets_of("secret").shown("ERR bad line: secr"), std::string("ERR ") + kHidden);
  EXPECT_EQ(secrets_of("secret").shown("ERR bad line: sec"), "ERR bad line: sec");
}

TEST(Secrets, ABeginningBeforeDotsIsHidden) {
  EXPECT_EQ(secrets_of("secret").shown("ERR bad 'secr...'"), std::string("ERR ") + kHidden);
  EXPECT_EQ(secrets_of("secret").shown("ERR bad 'sec...'"), "ERR bad 'sec...'");
}

TEST(Secrets, APartFromWhereverInTheSecretIsHidden) {
  for (const char* text : {"ERR bad ...ll-nobody-42", "ERR bad ...ody-42", "ERR bad nobody!"}) {
    EXPECT_EQ(secrets_of("tell-nobody-42").shown(text), std::string("ERR ") + kHidden) << text;
  }
  EXPECT_EQ(secrets_of("correct horse battery").shown("ERR unknown command horse"),
            std::string("ERR ") + kHidden);
  EXPECT_EQ(secrets_of("tell-nobody-42").shown("ERR dy-42"), "ERR dy-42");
}

// One byte of a secret, as some server or proxy may write it.
std::string written(char byte, std::size_t form) {
  const auto hex = [byte] {
    constexpr std::string_view kDigits = "0123456789aBcDeF";
    const auto value = static_cast<unsigned char>(byte);
    return std::string{kDigits[value / 16U], kDigits[value % 16U]};
  };
  switch (form) {
    case 0:
      return std::string(1, static_cast<char>(std::toupper(static_cast<unsigned char>(byte))));
    case 1:
      return "\\x" + hex();
    case 2:
      return "%" + hex();
    case 3:
      return "\\u00" + hex();
    default:
      return {byte};
  }
}

TEST(Secrets, APartIsFoundHoweverEachOfItsBytesIsWritten) {
  constexpr std::size_t kForms = 5;
  const std::string secret = "k3y-0f<A>\r& z";
  const Secrets secrets = secrets_of(secret);
  test::SeededEntropy random(5);
  for (int i = 0; i < 2000; ++i) {
    const std::size_t from = random.between(0, secret.size() - 6);
    std::string text;
    for (const char byte : secret.substr(from, 6))
      text += written(byte, random.between(0, kForms - 1));
    EXPECT_EQ(secrets.shown("ERR the word " + text + ", they say"), std::string("ERR ") + kHidden)
        << text;
  }
}

TEST(Secrets, OtherCaseHidesNothing) {
  for (const char* text : {"ERR BAD TELL-NOBODY-42", "ERR bad tell-nobody-42"}) {
    EXPECT_EQ(secrets_of("Tell-noBody-42").shown(text), std::string("ERR ") + kHidden) << text;
  }
}

TEST(Secrets, AShortPasswordCountsOnlyWhereItStandsAlone) {
  EXPECT_EQ(secrets_of("ow").shown("ERR not allowed"), "ERR not allowed");
  for (const char* text : {"ERR not ow here", "ERR 'ow'", "ERR \"ow\"", "ERR `ow`", "ERR ow"}) {
    EXPECT_EQ(secrets_of("ow").shown(text), std::string("ERR ") + kHidden) << text;
  }
  EXPECT_EQ(secrets_of("t").shown("READONLY You can't write"), "READONLY You can't write");
}

TEST(Secrets, TheUsersNameIsReplacedAndTheRestKept) {
  EXPECT_EQ(secrets_of("secret", "locker").shown("NOPERM User locker may not 'locker'"),
            "NOPERM User *** may not '***'");
  EXPECT_EQ(secrets_of("secret", "us").shown("NOPERM the user us is busy"),
            "NOPERM the user *** is busy");
  EXPECT_EQ(secrets_of("secret", "u").shown("NOPERM the user u is busy"),
            "NOPERM the user *** is busy");
}

TEST(Secrets, TwelveBytesOfANameAreAsGoodAsTheWhole) {
  const Secrets secrets = secrets_of("", "locker-of-the-shop");
  EXPECT_EQ(secrets.shown("NOPERM locker-of-th! may not"), "NOPERM ***! may not");
  EXPECT_EQ(secrets.shown("NOPERM locker-of-t! may not"), "NOPERM locker-of-t! may not");
}

TEST(Secrets, AnEscapeThatIsCutOffIsNone) {
  for (const char* text : {"ERR %", "ERR %4", "ERR \\", "ERR \\x", "ERR \\x4", "ERR \\u004",
                           "ERR \\10", "ERR &", "ERR &am"}) {
    for (const char* secret : {"ABCDEF", "@BCDEF", "&BCDEF", "DDDDDD"}) {
      EXPECT_EQ(secrets_of(secret).shown(text), text) << secret;
    }
  }
}

TEST(Secrets, WhatIsNotPrintableIsShownAsAQuestionMark) {
  EXPECT_EQ(Secrets().shown("ERR \x1f \x7f~\xff"), "ERR ? ?~?");
}

TEST(Secrets, LongTextsAreCutBeforeAndAfterTheSearch) {
  const std::string password(4096, 'p');
  const std::string text = "ERR " + std::string(200, '.') + password;
  EXPECT_EQ(secrets_of(password).shown(text), std::string("ERR ") + kHidden);
  EXPECT_EQ(Secrets().shown(std::string(100'000, 'x')).size(), kReasonBytesMax);
}

class SecretiveSession : public test::SessionTest {
 protected:
  SecretiveSession() : SessionTest(endpoint()) {}
  static Endpoint endpoint() {
    Endpoint endpoint;
    endpoint.user = "alice";
    endpoint.password = "open sesame";
    return endpoint;
  }
};

TEST_F(SecretiveSession, WhatAuthIsAnsweredGoesThroughTheFilter) {
  ASSERT_TRUE(submit(1, test::set_of("a")));
  const auto arrivals = receive("-ERR no command AUTH alice open sesame\r\n");
  ASSERT_EQ(arrivals.size(), 1U);
  EXPECT_EQ(arrivals[0].reply.reason(), std::string("AUTH was refused: ERR ") + kHidden);
  EXPECT_EQ(arrivals[0].reply.fault, Fault::auth);
}

TEST_F(SecretiveSession, WhatACommandIsAnsweredGoesThroughTheFilter) {
  ASSERT_TRUE(submit(1, test::set_of("0123456789abcdef")));
  const auto arrivals = receive("+OK\r\n-ERR no command SET r 0123456789abcdef for alice\r\n");
  ASSERT_EQ(arrivals.size(), 1U);
  EXPECT_EQ(arrivals[0].reply.reason(), std::string("ERR ") + kHidden);
}

TEST_F(SecretiveSession, WhatNobodyAskedForGoesThroughTheFilterAndKeepsItsFault) {
  receive("+OK\r\n");
  ASSERT_TRUE(submit(1, test::set_of("a")));
  receive("+OK\r\n");
  std::vector<Arrival> arrivals;
  session_.on_bytes("-ERR max number of clients reached, alice: open sesame\r\n", arrivals);
  EXPECT_EQ(session_.fault(), Fault::maxclients);
  EXPECT_THAT(session_.reason(), HasSubstr(kHidden));
  EXPECT_THAT(session_.reason(), Not(HasSubstr("alice")));
}

}  // namespace
}  // namespace redlock::server_errors_test
