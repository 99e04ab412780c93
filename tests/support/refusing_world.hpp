// Three servers, of which the third refuses what it is asked.
#pragma once
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "support/fake_world.hpp"

namespace redlock::test {

inline const std::string kLoading = "LOADING Redis is loading the dataset in memory";

class Rule14RefusedRemovals : public FakeWorld {
 protected:
  void third_refuses(const std::string& error) {
    server(2).say = [error](const Arguments&) { return "-" + error + "\r\n"; };
  }
  void third_refuses_only_removals() {
    server(2).say = [](const Arguments& request) -> std::optional<std::string> {
      if (request[0] == "SET") return std::nullopt;
      return "-MISCONF Errors writing to the AOF file.\r\n";
    };
  }
  void third_is_well() { server(2).say = nullptr; }
  // By a majority, while the third server refuses it.
  void release(LockManager& locks, const std::string& key = "r") {
    for (std::size_t i = 0; i < 3; ++i) server(i).keys[key] = "t";
    ASSERT_EQ(unlock(locks, Token("t"), key).decision, Decision::granted);
    step_for(Duration::ms(1));
    ASSERT_TRUE(server(2).keys.contains(key));
  }
  // Of which the third server hears too.
  void call(LockManager& locks) {
    ASSERT_EQ(lock(locks, "call " + std::to_string(++calls_)).decision, Decision::granted);
    step_for(Duration::ms(1));
  }
  [[nodiscard]] bool third_holds(const std::string& key = "r") {
    return server(2).keys.contains(key);
  }
  [[nodiscard]] std::size_t removals() { return server(2).count("EVAL"); }

 private:
  int calls_ = 0;
};

}  // namespace redlock::test
