// What is added to the set, and what leaves it.
#include "redlock/os/poll_set.hpp"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#ifdef __linux__
#include <sys/epoll.h>
#endif

namespace redlock {

#ifdef __linux__

static_assert(EPOLLIN == POLLIN && EPOLLOUT == POLLOUT);

int PollSet::match(std::span<const pollfd> wanted) {
  if (!set_.open()) set_ = Descriptor(epoll_create1(EPOLL_CLOEXEC));
  if (!set_.open()) return -1;
  remove_others(wanted);
  held_.clear();
  for (const pollfd& one : wanted) {
    if (one.fd < 0) continue;
    held_.push_back(one.fd);
    if (!add(one)) return -1;
  }
  return set_.number();
}

bool PollSet::add(const pollfd& wanted) {
  epoll_event event{};
  event.events = static_cast<std::uint32_t>(wanted.events);
  event.data.fd = wanted.fd;
  if (epoll_ctl(set_.number(), EPOLL_CTL_ADD, wanted.fd, &event) == 0) return true;
  return errno == EEXIST && epoll_ctl(set_.number(), EPOLL_CTL_MOD, wanted.fd, &event) == 0;
}

void PollSet::remove_others(std::span<const pollfd> wanted) {
  for (const int number : held_) {
    if (std::ranges::find(wanted, number, &pollfd::fd) != wanted.end()) continue;
    epoll_event unused{};
    // One that was closed is not there any more.
    epoll_ctl(set_.number(), EPOLL_CTL_DEL, number, &unused);
  }
}

#else

int PollSet::match(std::span<const pollfd> /*wanted*/) { return -1; }

#endif

void PollSet::forget() {
  set_ = Descriptor();
  held_.clear();
}

}  // namespace redlock
