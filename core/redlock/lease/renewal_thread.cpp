// The renewal thread, and how its owner talks to it.
#include "redlock/lease/renewal_thread.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <list>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>

#include "redlock/locks/runtime.hpp"
#include "redlock/os/process.hpp"
#include "redlock/os/waker.hpp"

namespace redlock {

namespace {

// Where memory is short, the thread tries again after so long.
constexpr Duration kShortagePause = Duration::ms(10);

void pause_for_memory() noexcept {
  const timespec pause{0, static_cast<long>(kShortagePause.count_ns())};
  nanosleep(&pause, nullptr);
}

// One lease that is to be kept from now on, or no more.
struct Order {
  std::shared_ptr<LeaseDeadline> lease_deadline;
  std::unique_ptr<const KeptLease> lease;  // null: no more
};
using Orders = std::list<Order>;

}  // namespace

class RenewalThread::Worker final : public AtForkParticipant {
 public:
  explicit Worker(Duration idle)
      : idle_(idle), runtime_({}, &waker_), scheduler_(runtime_.pool()) {}
  ~Worker() override;

  void keep(const KeptLease& lease);
  void stop(const LeaseDeadline& lease_deadline) noexcept;
  [[nodiscard]] bool alive() noexcept;
  // In a child: the parent's thread had nothing half done when the process forked.
  [[nodiscard]] bool in_order() const { return !alive_ || (asked_to_rest() && rests_ == rest_); }

 private:
  void pause() noexcept override;
  void resume() noexcept override;
  [[nodiscard]] bool asked_to_rest() const { return rest_ % 2 != 0; }
  // Throws std::system_error where the system has no thread for it.
  void start();
  void join_thread() noexcept;
  static void* run(void* self) noexcept;
  void work() noexcept;
  void sleep_through_forks() noexcept;
  // One turn without the mutex; false: nothing was to be done for so long that the thread may end.
  [[nodiscard]] bool turn(Orders& todo);
  // What there was no memory for stays, to be tried again.
  void obey(Orders& todo) noexcept;
  [[nodiscard]] Instant idle_end(Instant now);

  const Duration idle_;
  Waker waker_;
  Runtime runtime_;
  SystemClock clock_;

  // Under the mutex.
  std::mutex mutex_;
  Orders inbox_;
  bool alive_ = false;  // there is a thread
  bool ending_ = false;
  // For forks, each with an odd number while the thread is to rest; and for which it rests. Changed
  // under the mutex, waited for without. No condition variable: in a child, where the one who waits
  // is missing, none can be destroyed.
  std::atomic<int> rest_ = 0;
  std::atomic<int> rests_ = 0;

  // The owner's.
  pthread_t thread_{};
  bool joinable_ = false;
  // One for each lease that was given to be kept, so that stopping it needs no memory.
  std::map<const LeaseDeadline*, Orders> spare_;

  // The thread's.
  RenewalScheduler scheduler_;
  Instant idle_since_ = Instant::never();  // never: it has leases
};

RenewalThread::Worker::~Worker() {
  // There is no thread in a child.
  if (forked()) return;
  {
    const SignalsHeldBack held;
    const std::scoped_lock lock(mutex_);
    ending_ = true;
  }
  waker_.call();
  join_thread();
}

void RenewalThread::Worker::join_thread() noexcept {
  if (!joinable_) return;
  pthread_join(thread_, nullptr);
  joinable_ = false;
  leave();
}

void RenewalThread::Worker::keep(const KeptLease& lease) {
  Orders added;
  added.push_back({lease.lease_deadline, std::make_unique<const KeptLease>(lease)});
  Orders spare;
  spare.push_back({lease.lease_deadline, nullptr});
  // One that is kept already has it.
  const auto place = spare_.try_emplace(lease.lease_deadline.get(), std::move(spare)).first;
  try {
    const SignalsHeldBack held;
    std::unique_lock lock(mutex_);
    // First, so that a thread that ends looks whether there is anything.
    inbox_.splice(inbox_.end(), added);
    const bool alive = alive_;
    lock.unlock();
    if (!alive) start();
  } catch (...) {
    // There is no thread, and so no lease is kept.
    inbox_.clear();
    spare_.erase(place);
    throw;
  }
  waker_.call();
}

void RenewalThread::Worker::start() {
  join_thread();
  alive_ = true;
  const int error = pthread_create(&thread_, nullptr, run, this);
  if (error != 0) {
    alive_ = false;
    throw std::system_error(error, std::generic_category(), "no thread is available");
  }
  joinable_ = true;
  // From here on a fork waits for it.
  enter();
}

void RenewalThread::Worker::stop(const LeaseDeadline& lease_deadline) noexcept {
  const auto spare = spare_.find(&lease_deadline);
  if (spare == spare_.end()) return;
  {
    const SignalsHeldBack held;
    const std::scoped_lock lock(mutex_);
    if (alive_) inbox_.splice(inbox_.end(), spare->second);
  }
  spare_.erase(spare);
}

bool RenewalThread::Worker::alive() noexcept {
  const SignalsHeldBack held;
  const std::scoped_lock lock(mutex_);
  return alive_;
}

void RenewalThread::Worker::pause() noexcept {
  {
    const std::scoped_lock lock(mutex_);
    if (!alive_) return;
    ++rest_;
  }
  waker_.call();
  for (int known = rests_; known != rest_; known = rests_) rests_.wait(known);
}

void RenewalThread::Worker::resume() noexcept {
  const std::scoped_lock lock(mutex_);
  if (!asked_to_rest()) return;
  ++rest_;
  rest_.notify_all();
}

void* RenewalThread::Worker::run(void* self) noexcept {
  static_cast<Worker*>(self)->work();
  return nullptr;
}

void RenewalThread::Worker::sleep_through_forks() noexcept {
  while (asked_to_rest()) {
    const int asked = rest_;
    rests_ = asked;
    rests_.notify_all();
    rest_.wait(asked);
  }
}

void RenewalThread::Worker::work() noexcept {
  Orders todo;
  idle_since_ = Instant::never();
  for (bool over = false; !over;) {
    sleep_through_forks();
    bool ending = false;
    {
      const std::scoped_lock lock(mutex_);
      todo.splice(todo.end(), inbox_);
      ending = ending_;
    }
    bool busy = !ending;
    try {
      if (busy) busy = turn(todo);
    } catch (...) {
      pause_for_memory();
    }
    const std::scoped_lock lock(mutex_);
    // A fork that waits for it to rest is waited for.
    over = !asked_to_rest() && (ending || (!busy && todo.empty() && inbox_.empty()));
    if (!over) continue;
    scheduler_.clear();
    runtime_.pool().close_all();
    alive_ = false;
  }
}

bool RenewalThread::Worker::turn(Orders& todo) {
  obey(todo);
  const Instant now = clock_.now();
  scheduler_.drive(now);
  const Instant idle_end = this->idle_end(now);
  if (now >= idle_end) return false;
  const Instant again = todo.empty() ? Instant::never() : now + kShortagePause;
  runtime_.pool().step(
      std::min({scheduler_.next_event().value_or(Instant::never()), idle_end, again}));
  return true;
}

Instant RenewalThread::Worker::idle_end(Instant now) {
  if (scheduler_.size() > 0) {
    return idle_since_ = Instant::never();
  }
  idle_since_ = std::min(idle_since_, now);
  return idle_since_ + idle_;
}

void RenewalThread::Worker::obey(Orders& todo) noexcept {
  try {
    for (; !todo.empty(); todo.pop_front()) {
      const Order& order = todo.front();
      if (order.lease) {
        scheduler_.keep(*order.lease);
      } else {
        scheduler_.stop(*order.lease_deadline);
      }
    }
  } catch (...) {
    // No memory: the thread does not sleep for long while something stays.
  }
}

RenewalThread::RenewalThread(Duration idle) noexcept : idle_(idle) {}

RenewalThread::~RenewalThread() { notice_fork(); }

void RenewalThread::notice_fork() noexcept {
  if (!worker_ || !worker_->forked()) return;
  // The thread is the parent's. What it was in the middle of, where nobody asked it to rest, is
  // left alone.
  if (!worker_->in_order()) (void)worker_.release();
  worker_.reset();
}

void RenewalThread::keep(const KeptLease& lease) {
  notice_fork();
  if (!worker_) worker_ = std::make_unique<Worker>(idle_);
  worker_->keep(lease);
}

void RenewalThread::stop(const LeaseDeadline& lease_deadline) noexcept {
  notice_fork();
  if (worker_) worker_->stop(lease_deadline);
}

bool RenewalThread::running() {
  notice_fork();
  return worker_ && worker_->alive();
}

}  // namespace redlock
