// The lock's names are types that never mix.
#include "redlock/algorithm/ids.hpp"

#include <gtest/gtest.h>

#include <type_traits>

namespace redlock::ids_test {
namespace {

template <class A, class B>
concept Comparable = requires(const A& a, const B& b) { a == b; };

TEST(Ids, AResourceIsNeverTakenForAToken) {
  static_assert(!std::is_constructible_v<Token, Resource>);
  static_assert(!std::is_constructible_v<Resource, Token>);
  static_assert(!std::is_assignable_v<Token&, Resource>);
  static_assert(!std::is_assignable_v<Resource&, Token>);
  static_assert(!Comparable<Resource, Token>);
}

TEST(Ids, AStringBecomesAnIdOnlyWhenSaidSo) {
  static_assert(!std::is_convertible_v<std::string, Token>);
  static_assert(!std::is_convertible_v<std::string, Resource>);
  static_assert(!std::is_convertible_v<std::size_t, NodeIndex>);
}

TEST(Ids, NamesAreComparedByteForByteNullBytesToo) {
  const std::string with_null("a\0b", 3);
  EXPECT_EQ(Resource(with_null).view().size(), 3U);
  EXPECT_NE(Resource(with_null), Resource("a"));
  EXPECT_NE(Token(with_null), Token(std::string("a\0c", 3)));
  EXPECT_NE(Resource("A"), Resource("a"));
}

TEST(Ids, TheEmptyResourceIsAResourceLikeAnyOther) {
  EXPECT_EQ(Resource(""), Resource());
  EXPECT_LT(Resource(""), Resource("a"));
}

TEST(Ids, ATokenKnowsWhetherItIsEmpty) {
  EXPECT_TRUE(Token().empty());
  EXPECT_FALSE(Token("0").empty());
}

}  // namespace
}  // namespace redlock::ids_test
