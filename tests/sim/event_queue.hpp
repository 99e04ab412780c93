// What will happen in a simulated world, in order of virtual time.
//
// Events of one instant run in the order in which they were added, except that those added
// with `first` precede all others.
//
// A list with the next event at its end: nearly all that is added comes before what has waited
// there for long, such as faults and time-outs, and so finds its place close to the end. Pure.
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
  EventQueue() { events_.reserve(kUsual); }
  void add(std::int64_t at_ns, EventKind kind, std::uint32_t subject, std::uint64_t detail = 0,
           bool first = false) {
    const std::uint64_t order = ++added_ + (first ? 0 : kOrdinary);
    const Event event{at_ns, order, kind, subject, detail};
    auto place = events_.end();
    const auto near = std::ssize(events_) > kNear ? place - kNear : events_.begin();
    while (place != near && precedes(place[-1], event)) --place;
    // Only where many wait, such as the bytes of an answer that come one by one.
    if (place == near) place = std::lower_bound(events_.begin(), near, event, follows);
    events_.insert(place, event);
  }
  [[nodiscard]] bool empty() const { return events_.empty(); }
  // Requires that it is not empty.
  [[nodiscard]] std::int64_t next_ns() const { return events_.back().at_ns; }
  // Requires that the queue is not empty.
  Event pop() {
    const Event event = events_.back();
    events_.pop_back();
    return event;
  }

 private:
  static constexpr std::size_t kUsual = 128;
  static constexpr std::ptrdiff_t kNear = 16;
  static constexpr std::uint64_t kOrdinary = std::uint64_t{1} << 62U;
  static bool precedes(const Event& a, const Event& b) {
    return a.at_ns != b.at_ns ? a.at_ns < b.at_ns : a.order < b.order;
  }
  static bool follows(const Event& a, const Event& b) { return precedes(b, a); }
  std::vector<Event> events_;  // the last one first
  std::uint64_t added_ = 0;
};

}  // namespace redlock::sim
