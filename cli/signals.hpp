// Signals as something to wait for: blocked in the whole process, and read from a descriptor.
#pragma once
#include <csignal>
#include <initializer_list>
#include <optional>

namespace redlock::cli {

// Of those that are ignored when redlock starts none is read: under nohup a SIGHUP says nothing.
class Signals {
 public:
  // Blocks them. Throws std::system_error.
  explicit Signals(std::initializer_list<int> numbers);
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals();

  // Readable while one has come that was not taken.
  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] std::optional<int> take() noexcept;

 private:
  int descriptor_ = -1;
};

// The mask of a process that starts.
[[nodiscard]] sigset_t signal_mask();
enum class Whom {
  process,
  group,  // as if it had been typed
};
// As Ctrl-Z does: not where nobody is left who could let us go on. SIGTSTP is blocked afterwards.
void stop_self(Whom whom);
// As if the signal had come without us: does not return, unless it does not end a process.
void die_by(int number, Whom whom);

}  // namespace redlock::cli
