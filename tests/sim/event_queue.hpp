// What will happen in a simulated world, in order of virtual time.
//
// Events of one instant run in the order in which they were added, except that those added
// with `first` precede all others. Pure.
#pragma once
#include <algorithm>
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
  EventQueue() { heap_.reserve(kUsual); }
  void add(std::int64_t at_ns, EventKind kind, std::uint32_t subject, std::uint64_t detail = 0,
           bool first = false) {
    const std::uint64_t order = ++added_ + (first ? 0 : kOrdinary);
    heap_.push_back({at_ns, order, kind, subject, detail});
    std::ranges::push_heap(heap_, Later());
  }
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  // Requires that it is not empty.
  [[nodiscard]] std::int64_t next_ns() const { return heap_.front().at_ns; }
  // Requires that the queue is not empty.
  Event pop() {
    std::ranges::pop_heap(heap_, Later());
    const Event event = heap_.back();
    heap_.pop_back();
    return event;
  }

 private:
  static constexpr std::size_t kUsual = 128;
  static constexpr std::uint64_t kOrdinary = std::uint64_t{1} << 62U;
  // A type of its own, not a function: the heap's inner loop takes it in whole.
  struct Later {
    bool operator()(const Event& a, const Event& b) const {
      // Without a branch, which nobody could predict.
      const int later = static_cast<int>(a.at_ns > b.at_ns);
      const int same = static_cast<int>(a.at_ns == b.at_ns);
      return (later | (same & static_cast<int>(a.order > b.order))) != 0;
    }
  };
  std::vector<Event> heap_;
  std::uint64_t added_ = 0;
};

}  // namespace redlock::sim
