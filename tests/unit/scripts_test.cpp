// What can be said about the scripts without a server: the rest is the io tests'.
#include "redlock/wire/scripts.hpp"

#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <vector>

namespace redlock::scripts_test {
namespace {

std::vector<const Script*> all_scripts() {
  return {&scripts::pass,          &scripts::extend_if_equal, &scripts::check_equal,
          &scripts::swap_if_equal, &scripts::inspect,         &scripts::stamp_take,
          &scripts::stamp_undo,    &scripts::stamp_release,   &scripts::stamp_check,
          &scripts::share_if_free, &scripts::promote,         &scripts::demote};
}

TEST(Scripts, EveryNameIsFortyLowerCaseHexDigits) {
  for (const Script* script : all_scripts()) {
    EXPECT_EQ(script->sha1.size(), 40U);
    EXPECT_EQ(script->sha1.find_first_not_of("0123456789abcdef"), std::string_view::npos);
  }
}

TEST(Scripts, NoTwoShareANameOrAText) {
  std::set<std::string_view> names;
  std::set<std::string_view> texts;
  for (const Script* script : all_scripts()) {
    names.insert(script->sha1);
    texts.insert(script->text);
  }
  EXPECT_EQ(names.size(), all_scripts().size());
  EXPECT_EQ(texts.size(), all_scripts().size());
}

// The lock's, and where somebody waits its line's, whose names begin with it.
TEST(Scripts, TouchNoKeyButTheirOwn) {
  const std::set<std::string> own = {"KEYS[1]",
                                     "key",
                                     "line",
                                     "waiters",
                                     "name",
                                     "readers",
                                     "KEYS[1] .. ':redlock:line'",
                                     "KEYS[1] .. ':redlock:readers'",
                                     "key .. ':redlock:fence'"};
  const std::set<std::string> keyless = {"TIME", "PUBLISH"};
  const std::regex call(R"(call\('(\w+)'(?:, ([^,)]+))?)");
  for (const Script* script : all_scripts()) {
    const std::string text(script->text);
    int calls = 0;
    for (std::sregex_iterator found(text.begin(), text.end(), call), end; found != end; ++found) {
      ++calls;
      const std::smatch& parts = *found;
      EXPECT_TRUE(keyless.contains(parts[1]) || own.contains(parts[2])) << parts[0];
    }
    EXPECT_GT(calls, 0);
    const bool names = text.find("local line, waiters") != std::string::npos;
    EXPECT_EQ(names, text.starts_with("local key, me = KEYS[1], ARGV[1]\n"
                                      "local line, waiters = key .. ':redlock:line', "
                                      "key .. ':redlock:waiters'\n"));
  }
}

}  // namespace
}  // namespace redlock::scripts_test
