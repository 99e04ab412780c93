// Blocking and reading signals.
#include "cli/signals.hpp"

#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace redlock::cli {

Signals::Signals(std::initializer_list<int> numbers) {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : numbers) {
    struct sigaction action{};
    sigaction(number, nullptr, &action);
    if (action.sa_handler != SIG_IGN) sigaddset(&set, number);
  }
  descriptor_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  if (descriptor_ < 0) throw std::system_error(errno, std::generic_category(), "signalfd");
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

Signals::~Signals() { close(descriptor_); }

std::optional<int> Signals::take() noexcept {
  signalfd_siginfo info{};
  if (read(descriptor_, &info, sizeof(info)) != sizeof(info)) return std::nullopt;
  return static_cast<int>(info.ssi_signo);
}

sigset_t signal_mask() {
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  return mask;
}

void stop_self(Whom whom) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTSTP);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  (void)(whom == Whom::group ? kill(0, SIGTSTP) : raise(SIGTSTP));
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

void die_by(int number, Whom whom) {
  // What went wrong, if anything did, is to be seen in the command's core.
  (void)prctl(PR_SET_DUMPABLE, 0);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  (void)(whom == Whom::group ? kill(0, number) : raise(number));
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

}  // namespace redlock::cli
