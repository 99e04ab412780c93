// What other clients' settings mean to a lock.
#include "redlock/config/field_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redlock/config/endpoint.hpp"

namespace redlock::field_names_test {
namespace {

using testing::HasSubstr;

TEST(FieldNames, SettingsOfAConnectionAreHarmless) {
  for (const char* name : {"persistent", "persistent_id", "lazy", "retryInterval", "read_timeout",
                           "backoff", "serializer", "alias", "protocol"}) {
    EXPECT_EQ(meaning_of(name), FieldMeaning::idle) << name;
  }
}

TEST(FieldNames, WhatWouldChangeALockIsNot) {
  EXPECT_EQ(meaning_of("prefix"), FieldMeaning::prefix);
  for (const char* name : {"cluster", "redis_cluster", "redis_sentinel", "sentinels", "service"}) {
    EXPECT_EQ(meaning_of(name), FieldMeaning::several) << name;
  }
  for (const char* name : {"", "host", "Persistent", "colour"}) {
    EXPECT_EQ(meaning_of(name), FieldMeaning::unknown) << name;
  }
}

TEST(FieldNames, RefusalsSayWhatToDo) {
  const auto refusal = [](auto refuse) -> std::string {
    try {
      refuse();
    } catch (const ArgumentError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_THAT(refusal([] { refuse_several("sentinels"); }), HasSubstr("sentinels is for"));
  EXPECT_THAT(refusal([] { refuse_prefix(); }), HasSubstr("names of your locks"));
  EXPECT_THAT(refusal([] { refuse_several_hosts(); }), HasSubstr("a server of its own"));
}

}  // namespace
}  // namespace redlock::field_names_test
