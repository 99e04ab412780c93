// Tells a process from the one it was forked from: the only place that knows about forks.
//
// What was remembered before a fork belongs to the parent: connections, operations, outcomes,
// stamps, random bytes. So whoever remembers anything asks here first, before it looks at it.
// Two signs are compared: a count that a handler of pthread_atfork() keeps, which a bare clone(2)
// passes over, and memory that the kernel wipes in every child, which old kernels do not have. The
// process id alone would not do: it is the same on both sides where each is the first of its PID
// namespace.
// Threads are asked to rest while the process forks, so that a child finds nothing half done. What
// a child inherits of connections leads nowhere from its first moment on: were the socket open in
// two processes, servers would not see that the one that uses it has died. Any thread. The handlers
// go with the module it stands in when that is unloaded.
#pragma once
#include <csignal>
#include <cstdint>

namespace redlock {

// Numbers of descriptors from here on are not looked after, and stay open in a child until it uses
// them. So do those that RLIMIT_NOFILE, lowered since, allows nobody any more.
inline constexpr int kOwnDescriptorsMax = 1 << 16;
// In a child by fork(2) the number stands for /dev/null, from now on or no longer. It is not
// closed: whoever owns it there still does that. Before it is closed it must be taken back.
void keep_from_children(int descriptor) noexcept;
void leave_to_children(int descriptor) noexcept;

// Differs between a process and every one it descends from.
struct ProcessMark {
  std::uint64_t fork_count = 0;  // in the line from the first process that asked
  std::uint64_t number = 0;      // its own in that line; its process id where memory cannot tell
  bool operator==(const ProcessMark&) const = default;
};

// Throws std::bad_alloc when the system takes no handler; after its first success never.
[[nodiscard]] ProcessMark this_process();

// Remembers in which process its owner last looked.
class ForkWatch {
 public:
  ForkWatch() : known_(this_process()) {}
  // The owner's memories are its parent's.
  [[nodiscard]] bool forked() const { return this_process() != known_; }
  // They have been dropped: what is remembered from now on is this process's own.
  void start_over() { known_ = this_process(); }

 private:
  ProcessMark known_;
};

// A thread that rests while the process forks by fork(2); a bare clone(2) asks nobody.
class AtForkParticipant {
 public:
  // Throws what this_process() throws.
  AtForkParticipant() = default;
  AtForkParticipant(const AtForkParticipant&) = delete;
  AtForkParticipant& operator=(const AtForkParticipant&) = delete;
  virtual ~AtForkParticipant() = default;

  // From when on it is asked, and until when. Between the two it must stay where it is. leave() in
  // a child is no mistake, nor is a second one.
  void enter() noexcept;
  void leave() noexcept;
  // It belongs to the parent process, and its thread is not here.
  [[nodiscard]] bool forked() const { return watch_.forked(); }

 protected:
  // Begins to rest and returns when it does; in the process that forks, on the thread that forks.
  virtual void pause() noexcept = 0;
  // The process has forked; not called in the child, where nobody is left to go on.
  virtual void resume() noexcept = 0;

 private:
  friend class AtForkParticipants;
  ForkWatch watch_;
  AtForkParticipant* next_ = nullptr;
};

// While it lives, no signal handler runs on this thread: one could fork, which waits for whoever
// is in the middle of something.
class SignalsHeldBack {
 public:
  SignalsHeldBack() noexcept;
  SignalsHeldBack(const SignalsHeldBack&) = delete;
  SignalsHeldBack& operator=(const SignalsHeldBack&) = delete;
  ~SignalsHeldBack();

 private:
  sigset_t before_;
};

}  // namespace redlock
