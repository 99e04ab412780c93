// What a simulated server remembers of its past, and goes back to.
#include "redlock/memory/keyspace.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace redlock::memory::keyspace_test {
namespace {

class AKeyspace : public testing::Test {
 protected:
  void put(const std::string& name, const std::string& value) {
    Entry entry;
    entry.name = name;
    entry.value = value;
    keys_.put(std::move(entry));
  }
  std::string value(const std::string& name) {
    const Entry* const found = keys_.find(0, name);
    return found == nullptr ? "none" : found->value;
  }
  void at(std::int64_t true_ns) { keys_.set_time(0, true_ns); }

  Keyspace keys_;
};

TEST_F(AKeyspace, GoesBackToWhatThereWasAtThatTime) {
  keys_.keep_journal();
  at(1);
  put("kept", "old");
  put("removed", "old");
  at(2);
  put("kept", "new");
  at(3);
  put("added", "new");
  keys_.erase(0, "removed");
  keys_.roll_back(2);
  EXPECT_EQ(value("kept"), "new") << "it was so by then";
  EXPECT_EQ(value("added"), "none");
  EXPECT_EQ(value("removed"), "old");
  keys_.roll_back(1);
  EXPECT_EQ(value("kept"), "old");
  keys_.roll_back(0);
  EXPECT_TRUE(keys_.entries().empty());
}

TEST_F(AKeyspace, GoesBackBehindAClear) {
  keys_.keep_journal();
  put("kept", "old");
  at(1);
  keys_.clear();
  keys_.roll_back(0);
  EXPECT_EQ(value("kept"), "old");
}

TEST_F(AKeyspace, GoesBackNoFurtherThanItsJournal) {
  keys_.keep_journal();
  at(1);
  put("kept", "old");
  keys_.drop_journal();
  keys_.roll_back(0);
  EXPECT_EQ(value("kept"), "old");
}

TEST_F(AKeyspace, WithoutAJournalCannotGoBack) {
  EXPECT_THROW(keys_.roll_back(0), std::logic_error);
}

}  // namespace
}  // namespace redlock::memory::keyspace_test
