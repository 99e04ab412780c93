// How a line is served: the part that the scripts pass and join share.
//
// One script's run. Lock, line and who waits in it are three keys; wire/scripts.cpp says what they
// hold, and why what is done in which order.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "redlock/memory/readers.hpp"
#include "redlock/memory/script_call.hpp"

namespace redlock::memory {

// What is kept of somebody who waits and was heard of lately.
struct Waiter {
  std::string channel, echo, ttl;
  bool skipped = false;
  bool reads = false;
};

class LineService {
 public:
  explicit LineService(ScriptCall& call);

  // Asks what time it is; before anything is served.
  void begin() { clock_ = call_.ask({"TIME"}); }
  [[nodiscard]] const Value& clock() const { return clock_; }
  // A newer version keeps this line.
  [[nodiscard]] bool newer();
  // Empty: nobody stands there.
  [[nodiscard]] std::string at(std::int64_t place);
  // Nothing: he was not heard of for long. `refused` where the server does not tell.
  [[nodiscard]] std::optional<Waiter> entry(std::string_view who, bool* refused = nullptr);
  // What the server says of his being struck out: 1 when he stood there.
  Value leave(std::string_view who, std::optional<std::string_view> forgotten = std::nullopt);
  // Whether it is there for so long, in ms; else from now on.
  void keep(std::string_view name, std::string_view ms);
  // Hands a free key on, and tells who is the first then.
  void serve(bool free);
  // Tells the first who can be reached that this slot is free, and takes him out of the line.
  void offer(std::string_view slot);

  std::string_view key;
  std::string_view me;
  std::string line, waiters;
  Readers readers;
  bool yields = false;
  bool stays_free = false;
  bool open = false;  // the key holds the readers' mark
  // How many receive what is for nobody.
  std::optional<Value> strangers;

 private:
  // How many hear it beside strangers; an error as it is.
  Value tell(std::string_view channel, const std::string& words);
  void tell_next(std::string who, std::int64_t place, const std::string& left,
                 std::string_view but = {});
  // Where the line leaves the key alone: false. True: all is done.
  bool give();
  // What came of offering it to one: served; refused, so the line leaves the key alone; a reader is
  // in, and the next may be; or he cannot be reached.
  enum class Turn { served, refused, entered, unreachable };
  Turn offer(const std::string& who, const std::string& second, std::int64_t place,
             const Waiter& waiter);
  Turn hand(const std::string& who, const std::string& second, std::int64_t place,
            const Waiter& waiter);
  Turn admit(const std::string& who, const Waiter& waiter);

  ScriptCall& call_;
  Value clock_;
  int turns_ = 2000;
};

// Behind which join a reader was let in.
[[nodiscard]] std::string let_in_field(std::string_view who);
// Behind which join the lock was given to whom is forgotten, if it was to this one.
void forget_given(ScriptCall& call, std::string_view waiters, std::string_view token);

// As the patterns of the scripts read what is kept: "channel echo ttl heard", maybe " r", " -".
struct Kept {
  std::string_view channel, echo, ttl, heard;
  bool reads = false;
  bool skipped = false;
};
[[nodiscard]] std::optional<Kept> parse_kept(std::string_view told);

}  // namespace redlock::memory
