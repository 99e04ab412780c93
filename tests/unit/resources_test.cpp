// What one lock is about: one resource, or a set of them.
#include "redlock/algorithm/resources.hpp"

#include <gtest/gtest.h>

#include <map>

#include "redlock/algorithm/command.hpp"

namespace redlock::resources_test {
namespace {

Resources several(std::initializer_list<const char*> names) {
  std::vector<Resource> all;
  for (const char* name : names) all.emplace_back(name);
  return Resources(std::move(all));
}

std::vector<std::string> names_of(const Resources& resources) {
  std::vector<std::string> names;
  for (const Resource& resource : resources.all()) names.emplace_back(resource.view());
  return names;
}

TEST(ResourcesTest, OneIsTheSameAsASetOfOne) {
  const Resources one = Resource("r");
  EXPECT_TRUE(one.single());
  EXPECT_EQ(one.only(), Resource("r"));
  EXPECT_EQ(one, several({"r"}));
}

TEST(ResourcesTest, SeveralAreASetInWhateverOrderTheyAreNamed) {
  EXPECT_EQ(several({"b", "a", "c"}), several({"c", "b", "a"}));
  EXPECT_EQ(names_of(several({"b", "a", "c"})), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_FALSE(several({"b", "a"}).single());
}

TEST(ResourcesTest, WhatIsNamedTwiceIsThereOnce) {
  EXPECT_EQ(several({"a", "b", "a"}), several({"a", "b"}));
  EXPECT_TRUE(several({"a", "a"}).single());
}

TEST(ResourcesTest, SetsOfDifferentResourcesAreDifferentLocks) {
  EXPECT_NE(several({"a", "b"}), several({"a"}));
  EXPECT_NE(several({"a", "b"}), several({"a", "c"}));
  std::map<Resources, int> locks{{several({"a", "b"}), 1}, {several({"a"}), 2}};
  EXPECT_EQ(locks.at(several({"b", "a"})), 1);
  EXPECT_EQ(locks.at(Resource("a")), 2);
}

TEST(ResourcesTest, ACommandAboutSeveralNamesThemAllAndItsUndoTheSame) {
  const Command take = SetIfAbsent{several({"b", "a"}), Token("t"), Duration::ms(5)};
  EXPECT_EQ(lock_name(take).keys.size(), 2U);
  EXPECT_EQ(lock_name(take).keys[0], Resource("a"));
  EXPECT_EQ(lock_name(*undo_of(take)), lock_name(take));
}

}  // namespace
}  // namespace redlock::resources_test
