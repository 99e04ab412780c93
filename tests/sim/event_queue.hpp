// What will happen in a simulated world, in order of virtual time.
//
// Events of one instant run in the order in which they were added, except that those added
// with `first` precede all others.
//
// The next few stand in a list, the very next at its end: much of what is added comes soon, and so
// finds its place there close to the end. Behind them is a heap. Pure.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace redlock::sim {

enum class EventKind : std::uint8_t {
  connect,       // subject: connection
  deliver_up,    // subject: connection; to the server
  deliver_down,  // subject: connection; to the client
  client_turn,   // subject: client
  fault,         // subject: the fault's position in the plan; detail: phase
  server_thaw,   // subject: server
  server_start,  // subject: server; detail: incarnation
  undo_check,    // subject: client; detail: resource and rests
  probe,         // the final attempt in quiet
  crowd,         // subject: client
};

struct Event {
  std::int64_t at_ns = 0;
  std::uint64_t order = 0;
  EventKind kind = EventKind::connect;
  std::uint32_t subject = 0;
  std::uint64_t detail = 0;
};

class EventQueue {
 public:
  EventQueue() {
    near_.reserve(kNearMax + 1);
    far_.reserve(kUsual);
  }
  void add(std::int64_t at_ns, EventKind kind, std::uint32_t subject, std::uint64_t detail = 0,
           bool first = false) {
    const std::uint64_t order = ++added_ + (first ? 0 : kOrdinary);
    const Event event{at_ns, order, kind, subject, detail};
    if (near_.empty() || !precedes(event, near_.front())) return add_far(event);
    if (near_.size() == kNearMax) {
      add_far(near_.front());
      near_.erase(near_.begin());
    }
    near_.push_back(event);
    std::size_t place = near_.size() - 1;
    for (; place > 0 && precedes(near_[place - 1], event); --place) near_[place] = near_[place - 1];
    near_[place] = event;
  }
  [[nodiscard]] bool empty() const { return near_.empty() && far_.empty(); }
  // Requires that it is not empty.
  [[nodiscard]] std::int64_t next_ns() const {
    return near_.empty() ? far_.front().at_ns : near_.back().at_ns;
  }
  // Requires that the queue is not empty.
  Event pop() {
    if (near_.empty()) fetch();
    const Event event = near_.back();
    near_.pop_back();
    return event;
  }

 private:
  static constexpr std::size_t kUsual = 128;
  static constexpr std::size_t kNearMax = 24;
  static constexpr std::size_t kFetched = 8;
  static constexpr std::uint64_t kOrdinary = std::uint64_t{1} << 62U;
  static bool precedes(const Event& a, const Event& b) {
    // Without a branch, which nobody could predict.
    const int earlier = static_cast<int>(a.at_ns < b.at_ns);
    const int same = static_cast<int>(a.at_ns == b.at_ns);
    return (earlier | (same & static_cast<int>(a.order < b.order))) != 0;
  }
  // A type of its own, not a function: the heap's inner loop takes it in whole.
  struct Later {
    bool operator()(const Event& a, const Event& b) const { return precedes(b, a); }
  };
  void add_far(const Event& event) {
    far_.push_back(event);
    std::ranges::push_heap(far_, Later());
  }
  void fetch() {
    while (!far_.empty() && near_.size() < kFetched) {
      std::ranges::pop_heap(far_, Later());
      near_.push_back(far_.back());
      far_.pop_back();
    }
    std::ranges::reverse(near_);
  }

  std::vector<Event> near_;  // the last one first
  std::vector<Event> far_;   // none of them precedes one that is near
  std::uint64_t added_ = 0;
};

}  // namespace redlock::sim
