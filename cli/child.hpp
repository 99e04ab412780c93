// The command that redlock runs: a process group of its own, which gets the terminal where there is
// one, and is signalled as a whole.
//
// Until the process is let go of its number is its own, whatever it has ended with, so no signal
// can reach a stranger. One thread.
#pragma once
#include <sys/types.h>
#include <unistd.h>

#include <csignal>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace redlock::cli {

// It cannot be executed. `status` is what a shell would say: 126, or 127 where there is none.
struct CannotExecute : std::runtime_error {
  CannotExecute(const std::string& command, int error);
  int status;
};

// How a process ended.
struct Ended {
  int status;  // as shells have it
  int signal;  // 0: by itself
};

class Child {
 public:
  // Starts `command` with our environment and these variables besides ("NAME=value"; "NAME" alone
  // takes it out), with `mask`, and with what was done about SIGPIPE.
  // Throws CannotExecute.
  Child(const std::vector<std::string>& command, const std::vector<std::string>& variables,
        const sigset_t& mask, sighandler_t on_pipe);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  // Lets go of the process, which must have ended or been told to, and takes the terminal back.
  ~Child();

  // Once it has.
  [[nodiscard]] std::optional<Ended> ended();
  // The signal by which it was stopped since this was asked last; 0: it was not.
  [[nodiscard]] int stopped_by();
  [[nodiscard]] bool has_terminal() const { return has_terminal_; }
  // Whoever asks for a terminal that he has not is stopped. Gives it to the command where it is
  // ours to give, and lets it go on.
  [[nodiscard]] bool lend_terminal();
  // Stops it, and takes the terminal back; and the other way round.
  void pause() noexcept;
  void go_on() const noexcept;
  // To all of its group that is left.
  void signal(int number) const noexcept;
  // Is anybody else of its group left, besides zombies?
  [[nodiscard]] bool group_lives() const;

 private:
  void give_terminal(pid_t group) const noexcept;
  void take_terminal_back() const noexcept;

  pid_t process_ = 0;
  bool has_terminal_ = false;
  int terminal_ = STDIN_FILENO;
};

}  // namespace redlock::cli
