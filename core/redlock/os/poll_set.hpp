// A set of descriptors that is a descriptor itself: readable while one of them is ready. An event
// loop that waits for much else waits for that one.
//
// By Linux's epoll; elsewhere there is none. A descriptor that is closed leaves the set by itself,
// and its number may be another one's then, so that a set is matched anew before each wait.
// One thread.
#pragma once
#include <span>
#include <vector>

#include "redlock/os/descriptor.hpp"

struct pollfd;

namespace redlock {

class PollSet {
 public:
  // Makes it hold exactly these, by what they wait for; one whose number is negative is left out.
  // Negative where the system has no descriptor, or no room, for it: then the caller has to poll
  // them. The number stays the same until forget().
  [[nodiscard]] int match(std::span<const pollfd> wanted);
  // Closes the set, which a child of a fork shares with its parent.
  void forget();

 private:
  [[nodiscard]] bool add(const pollfd& wanted);
  void remove_others(std::span<const pollfd> wanted);

  Descriptor set_;
  std::vector<int> held_;
};

}  // namespace redlock
