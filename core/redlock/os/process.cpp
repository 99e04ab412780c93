// A count of forks beside memory that the kernel wipes in every child, and those who rest
// meanwhile.
#include "redlock/os/process.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <limits>
#include <mutex>
#include <new>

namespace redlock {

namespace {

// Lock-free, so that the child of a process with many threads can count.
std::atomic<std::uint64_t> fork_count = 0;
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

bool register_handler();

// A bit for each descriptor that a child is not to have. No lock: threads go on while one forks,
// and a signal handler may fork anywhere.
constexpr int kBits = std::numeric_limits<std::uint64_t>::digits;
std::array<std::atomic<std::uint64_t>, kOwnDescriptorsMax / kBits> kept_from_children;

bool is_looked_after(int descriptor) { return descriptor >= 0 && descriptor < kOwnDescriptorsMax; }
std::atomic<std::uint64_t>& word_of(int descriptor) {
  return kept_from_children[static_cast<std::size_t>(descriptor / kBits)];
}
std::uint64_t bit_of(int descriptor) { return std::uint64_t{1} << (descriptor % kBits); }

int open_nowhere() { return open("/dev/null", O_RDWR | O_CLOEXEC); }

// Where all numbers are taken, that of one of ours is what there is. It must not be lost, for its
// owner closes it some day.
int open_nowhere_at(int number) {
  rlimit bound{};
  const bool may_have_it = errno == EMFILE && getrlimit(RLIMIT_NOFILE, &bound) == 0 &&
                           static_cast<rlim_t>(number) < bound.rlim_cur &&
                           access("/dev/null", R_OK | W_OK) == 0;
  if (!may_have_it) return -1;
  close(number);
  return open_nowhere();
}

// In a child. Where there is no /dev/null to be had they stay as they are.
void lead_nowhere() noexcept {
  int nowhere = -1;
  bool is_ours = false;  // its number
  for (std::size_t i = 0; i < kept_from_children.size(); ++i) {
    std::uint64_t word = kept_from_children[i].load(std::memory_order_relaxed);
    for (; word != 0; word &= word - 1) {
      const int number = static_cast<int>(i) * kBits + std::countr_zero(word);
      // Where somebody closed it behind our back, the number may be another's. All of ours close
      // on exec.
      const int flags = fcntl(number, F_GETFD);
      if (flags < 0 || (flags & FD_CLOEXEC) == 0) continue;
      if (nowhere < 0) nowhere = open_nowhere();
      if (nowhere < 0) nowhere = open_nowhere_at(number);
      if (nowhere < 0) return;
      is_ours = is_ours || nowhere == number;
      // Onto itself it is refused, and nothing is to be done.
      dup3(nowhere, number, O_CLOEXEC);
    }
  }
  if (nowhere >= 0 && !is_ours) close(nowhere);
}

// A process's number in the line of its ancestors that asked; 0: it has none yet. The kernel shows
// a child 0, whoever made it and however, and to look costs no system call, of which a lock and its
// release would make some twenty. Null where there is no such memory (Linux before 4.14). It stays
// mapped, one page, when the module is unloaded: others may ask until the very end.
std::atomic<std::uint64_t>* make_number() {
#ifdef MADV_WIPEONFORK
  using Number = std::atomic<std::uint64_t>;
  void* const page =
      mmap(nullptr, sizeof(Number), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return nullptr;
  if (madvise(page, sizeof(Number), MADV_WIPEONFORK) == 0) return new (page) Number(0);
  munmap(page, sizeof(Number));
#endif
  return nullptr;
}

// Copied by a fork, so that a child's number is greater than all its ancestors'.
std::atomic<std::uint64_t> last_number = 0;

std::uint64_t number_of_process() {
  static std::atomic<std::uint64_t>* const kNumber = make_number();
  if (kNumber == nullptr) return static_cast<std::uint64_t>(getpid());
  std::uint64_t known = kNumber->load(std::memory_order_relaxed);
  if (known != 0) return known;
  const std::uint64_t next = last_number.fetch_add(1, std::memory_order_relaxed) + 1;
  return kNumber->compare_exchange_strong(known, next, std::memory_order_relaxed) ? next : known;
}

}  // namespace

// Those who are asked, in a list of their own links.
class AtForkParticipants {
 public:
  static void prepare() {
    mutex.lock();
    for (AtForkParticipant* participant = first; participant != nullptr;
         participant = participant->next_) {
      // Left over from a parent that made this process by a bare clone: its thread is not here.
      if (!participant->forked()) participant->pause();
    }
  }
  static void in_parent() {
    for (AtForkParticipant* participant = first; participant != nullptr;
         participant = participant->next_) {
      if (!participant->forked()) participant->resume();
    }
    mutex.unlock();
  }
  static void in_child() {
    fork_count.fetch_add(1, std::memory_order_relaxed);
    lead_nowhere();
    first = nullptr;
    mutex.unlock();
  }
  static void add(AtForkParticipant& participant) {
    const SignalsHeldBack held;
    const std::scoped_lock lock(mutex);
    participant.next_ = first;
    first = &participant;
  }
  static void remove(AtForkParticipant& participant) {
    const SignalsHeldBack held;
    const std::scoped_lock lock(mutex);
    AtForkParticipant** link = &first;
    while (*link != nullptr && *link != &participant) link = &(*link)->next_;
    if (*link != nullptr) *link = participant.next_;
  }

 private:
  static inline std::mutex mutex;
  static inline AtForkParticipant* first = nullptr;
};

namespace {

bool register_handler() {
  const int failed = pthread_atfork(AtForkParticipants::prepare, AtForkParticipants::in_parent,
                                    AtForkParticipants::in_child);
  if (failed != 0) throw std::bad_alloc();
  return true;
}

}  // namespace

void keep_from_children(int descriptor) noexcept {
  if (is_looked_after(descriptor)) word_of(descriptor).fetch_or(bit_of(descriptor));
}

void leave_to_children(int descriptor) noexcept {
  if (is_looked_after(descriptor)) word_of(descriptor).fetch_and(~bit_of(descriptor));
}

void AtForkParticipant::enter() noexcept { AtForkParticipants::add(*this); }

void AtForkParticipant::leave() noexcept {
  if (!forked()) AtForkParticipants::remove(*this);
}

SignalsHeldBack::SignalsHeldBack() noexcept {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before_);
}

SignalsHeldBack::~SignalsHeldBack() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

ProcessMark this_process() {
  // An exception leaves it unset, and the next call tries again.
  [[maybe_unused]] static const bool kRegistered = register_handler();
  return {fork_count.load(std::memory_order_relaxed), number_of_process()};
}

}  // namespace redlock
