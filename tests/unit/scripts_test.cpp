// What can be said about the scripts without a server: the rest is the io tests'.
#include "redlock/wire/scripts.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace redlock {
namespace {

std::vector<const Script*> all_scripts() {
  return {&scripts::pass,          &scripts::extend_if_equal, &scripts::check_equal,
          &scripts::inspect,       &scripts::stamp_take,      &scripts::stamp_undo,
          &scripts::stamp_release, &scripts::stamp_check};
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

TEST(Scripts, TouchNoKeyButTheirOwn) {
  for (const Script* script : all_scripts()) {
    for (std::size_t at = script->text.find("redis."); at != std::string_view::npos;
         at = script->text.find("redis.", at + 1)) {
      const std::string_view call = script->text.substr(at, script->text.find('\n', at) - at);
      const bool keyless =
          call.find("'TIME'") != std::string_view::npos || call.starts_with("redis.error_reply");
      EXPECT_TRUE(keyless || call.find("KEYS[1]") != std::string_view::npos) << call;
    }
  }
}

}  // namespace
}  // namespace redlock
