// What was asked on one connection and has no answer yet, in order: first what is written, then
// what waits to be.
//
// Invariants: answers come in this order, so what is written stays where it is until it is
// answered; what waits may be dropped, but for removals. Pure. One thread; owned by a session.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "redlock/algorithm/command.hpp"
#include "redlock/wire/codec.hpp"
#include "redlock/wire/encoder.hpp"

namespace redlock {

inline constexpr std::size_t kAwaitedMax = 1024;
// The rest is reserved for removals, so that what was acquired here can be given back here.
inline constexpr std::size_t kAwaitedBesidesRemovalsMax = kAwaitedMax / 2;
// Of keys and tokens that wait to be sent; what reaches the bound is still taken.
inline constexpr std::size_t kQueuedBytesMax = 4 * 1024 * 1024;

// Names one operation for good, among those of all pools; 0 is nobody, whose replies are dropped.
using OperationId = std::uint64_t;

// Who asked.
struct Origin {
  OperationId operation = 0;
  NodeIndex node{0};
  AttemptNumber attempt = 0;
};

struct AwaitedRequest {
  Origin origin;
  SharedCommand command;
  Instant answer_by;  // when the connection is given up
  Instant send_by;    // when it is dropped, unless it is written
  // Of a removal: when it is refused from then on, that is the end of it.
  Instant repeat_until = Instant::never();
  std::optional<ScriptForm> wanted_form;  // whatever the server knows
  bool withdrawn = false;
  bool asked_again = false;            // a replica has refused it once
  bool useless = false;                // never to be written
  ScriptForm form = ScriptForm::sha1;  // once written
  std::size_t bytes = 0;               // once written
  std::optional<RespValue> answer;     // has come, and is held back
  bool wait_follows = false;
};

// A removal that may not have been carried out, or that its server would not carry out for the time
// being.
struct Refused {
  SharedCommand removal;
  Instant until;  // it is of use to nobody from then on
};

// An unanswered join that no removal follows: who waits, and what undoes it.
struct OpenJoin {
  OperationId operation = 0;
  SharedCommand undo;
};

class RequestQueue {
 public:
  [[nodiscard]] bool has_room_for(const Command& command) const;
  void add(AwaitedRequest request) {
    requests_.push_back(std::move(request));
    ++unwritten_;
  }

  [[nodiscard]] std::size_t size() const { return written_ + unwritten_; }
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] AwaitedRequest& operator[](std::size_t i) { return requests_[i]; }
  [[nodiscard]] const AwaitedRequest& operator[](std::size_t i) const { return requests_[i]; }
  [[nodiscard]] auto begin() { return requests_.begin(); }
  [[nodiscard]] auto end() { return requests_.end(); }
  [[nodiscard]] auto begin() const { return requests_.begin(); }

  // So many are written, from the front.
  [[nodiscard]] std::size_t written() const { return written_; }
  [[nodiscard]] bool is_written(std::size_t position) const { return position < written_; }
  [[nodiscard]] bool all_written() const { return unwritten_ == 0; }
  [[nodiscard]] auto unwritten() { return begin() + static_cast<std::ptrdiff_t>(written_); }
  [[nodiscard]] AwaitedRequest& last_written() { return requests_[written_ - 1]; }
  void note_written() {
    ++written_;
    --unwritten_;
  }
  void note_taken_back() {
    --written_;
    ++unwritten_;
  }
  // On another connection nothing is.
  void begin_anew() { unwritten_ += std::exchange(written_, 0); }
  // One that is written has been answered.
  void erase(std::size_t position);
  // Drops unwritten requests that are no removals, and the cleanups that were to undo them.
  template <class IsUseless>
  void drop_unwritten(IsUseless is_useless) noexcept;

  // The operations that wait for an answer here.
  [[nodiscard]] std::vector<OperationId> askers() const;
  // The moment by which the most impatient wants its answer.
  [[nodiscard]] std::optional<Instant> earliest_deadline() const;
  // The operations with an unanswered acquisition here that no removal follows. Until such an
  // operation is decided the connection must stay: if it is lost, the removal belongs behind that;
  // if it is granted, there must be none, because a removal that travels on this connection could
  // arrive after an extend that travels on another one, and delete what was just counted.
  // Not those that enqueue: their verdict may be minutes away, and others
  // are asked meanwhile on the next connection. The node keeps this one for the removal (see
  // Node::set_aside).
  [[nodiscard]] std::vector<OperationId> open_acquisitions() const;
  [[nodiscard]] std::vector<OpenJoin> open_joins() const;
  // Is a removal of the same lock here?
  [[nodiscard]] bool removal_follows(const Command& command) const;
  // Where the removals are, the newest of each lock, in order.
  [[nodiscard]] std::vector<std::size_t> removals() const;
  // Those, for another connection to send when this one cannot.
  [[nodiscard]] std::vector<Refused> unsettled() const;

 private:
  [[nodiscard]] bool is_full() const;
  // Those that were to undo what is never to be written.
  void mark_needless_cleanups() noexcept;

  std::deque<AwaitedRequest> requests_;
  // Counted apart: whether anything waits to be written is asked at every turn.
  std::size_t written_ = 0;
  std::size_t unwritten_ = 0;
};

// Marks first and drops then, for which no memory is needed: half done, it would leave holes.
template <class IsUseless>
void RequestQueue::drop_unwritten(IsUseless is_useless) noexcept {
  if (all_written()) return;
  for (auto request = unwritten(); request != end(); ++request) {
    if (!is_removal(*request->command) && is_useless(*request)) request->useless = true;
  }
  mark_needless_cleanups();
  const auto useless = [](const AwaitedRequest& request) { return request.useless; };
  requests_.erase(std::remove_if(unwritten(), end(), useless), end());
  unwritten_ = requests_.size() - written_;
}

}  // namespace redlock
