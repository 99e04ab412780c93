// Starting a process beside our threads, watching it, and signalling its group.
#include "cli/child.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "cli/exit_code.hpp"

namespace redlock::cli {

namespace {

// Ours, and what is to be known besides, which takes the place of a variable of that name.
std::vector<std::string> environment_with(const std::vector<std::string>& variables) {
  std::vector<std::string> all;
  for (const std::string& variable : variables) {
    if (variable.find('=') != std::string::npos) all.push_back(variable);
  }
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    bool replaced = false;
    for (const std::string& variable : variables) {
      replaced = replaced || text.starts_with(variable.substr(0, variable.find('=')) + "=");
    }
    if (!replaced) all.emplace_back(text);
  }
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Are standard input and output the terminal whose foreground is ours? In a pipeline it is not the
// command alone that needs it: there it has to ask.
bool at_terminal() {
  return tcgetpgrp(STDIN_FILENO) == getpgrp() && tcgetpgrp(STDOUT_FILENO) == getpgrp();
}

// In the child, which has our memory until it is another program: nothing but system calls may be
// made here. Should its parent vanish without a word, it is told to end.
[[noreturn]] void become(char* const* arguments, char* const* environment, const sigset_t& mask,
                         sighandler_t on_pipe, pid_t parent, int report) {
  (void)setpgid(0, 0);
  (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(kSystem);
  // What it was for us when we began, and we ignore it.
  (void)signal(SIGPIPE, on_pipe);
  (void)pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  (void)execvpe(arguments[0], arguments, environment);
  const int error = errno;
  (void)!write(report, &error, sizeof(error));
  _exit(kNotFound);
}

// Returns once the command runs, or cannot.
pid_t spawn(const std::vector<char*>& arguments, const std::vector<char*>& environment,
            const sigset_t& mask, sighandler_t on_pipe) {
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) {
    throw std::system_error(errno, std::generic_category(), "pipe");
  }
  const pid_t parent = getpid();
  // Copying our memory would take a good part of the time in which a command is started. The child
  // calls a function, which is allowed as long as it does not return.
  // NOLINTNEXTLINE(clang-analyzer-security.insecureAPI.vfork)
  const pid_t process = vfork();
  // NOLINTNEXTLINE(clang-analyzer-unix.Vfork)
  if (process == 0) become(arguments.data(), environment.data(), mask, on_pipe, parent, report[1]);
  int error = process < 0 ? errno : 0;
  close(report[1]);
  if (process > 0) (void)!read(report[0], &error, sizeof(error));
  close(report[0]);
  if (error == 0) return process;
  if (process > 0) (void)waitpid(process, nullptr, 0);
  throw CannotExecute(arguments.front(), error);
}

// The group of a process that lives, by its line in /proc; 0: there is none.
pid_t living_group(const std::filesystem::path& folder) {
  std::ifstream file(folder / "stat");
  std::string line;
  std::getline(file, line);
  // Behind the name, which may hold anything.
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream rest(line.substr(name_end + 1));
  char state = 0;
  pid_t parent = 0;
  pid_t group = 0;
  rest >> state >> parent >> group;
  return state == 'Z' || state == 'X' ? 0 : group;
}

}  // namespace

CannotExecute::CannotExecute(const std::string& command, int error)
    : std::runtime_error(command +
                         " cannot be executed: " + std::generic_category().message(error)),
      status(error == ENOENT ? kNotFound : kNotExecutable) {}

Child::Child(const std::vector<std::string>& command, const std::vector<std::string>& variables,
             const sigset_t& mask, sighandler_t on_pipe) {
  std::vector<std::string> words = command;
  std::vector<std::string> settings = environment_with(variables);
  std::vector<char*> arguments = pointers_to(words);
  std::vector<char*> environment = pointers_to(settings);
  has_terminal_ = at_terminal();
  process_ = spawn(arguments, environment, mask, on_pipe);
  // It may have touched the terminal already, and been stopped for it.
  if (has_terminal_) go_on();
}

Child::~Child() {
  take_terminal_back();
  if (terminal_ != STDIN_FILENO) close(terminal_);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::optional<Ended> Child::ended() {
  siginfo_t info{};
  const auto process = static_cast<id_t>(process_);
  if (waitid(P_PID, process, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) {
    return std::nullopt;
  }
  if (info.si_code == CLD_EXITED) return Ended{info.si_status, 0};
  return Ended{kBySignal + info.si_status, info.si_status};
}

int Child::stopped_by() {
  siginfo_t info{};
  const auto process = static_cast<id_t>(process_);
  const bool stopped = waitid(P_PID, process, &info, WSTOPPED | WNOHANG) == 0 && info.si_pid != 0;
  return stopped ? info.si_status : 0;
}

bool Child::lend_terminal() {
  // It may have asked for it by name.
  if (!has_terminal_ && terminal_ == STDIN_FILENO) {
    const int by_name = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    if (by_name < 0) return false;
    terminal_ = by_name;
  }
  if (tcgetpgrp(terminal_) != getpgrp()) return false;
  has_terminal_ = true;
  go_on();
  return true;
}

void Child::pause() noexcept {
  take_terminal_back();
  signal(SIGTSTP);
  // It may have to leave the screen in good order before it stops.
  constexpr timespec kStep{0, 5'000'000};
  for (int steps = 0; steps < 20 && stopped_by() == 0 && !ended(); ++steps)
    nanosleep(&kStep, nullptr);
  // Who takes no notice would go on, and nobody keeps the lock.
  signal(SIGSTOP);
}

// In the background it belongs to somebody else.
void Child::take_terminal_back() const noexcept {
  if (has_terminal_ && tcgetpgrp(terminal_) == process_) give_terminal(getpgrp());
}

void Child::go_on() const noexcept {
  // Who goes on in the background does not have it.
  if (has_terminal_ && tcgetpgrp(terminal_) == getpgrp()) give_terminal(process_);
  signal(SIGCONT);
}

// From the background this raises SIGTTOU, which is blocked.
void Child::give_terminal(pid_t group) const noexcept { (void)tcsetpgrp(terminal_, group); }

void Child::signal(int number) const noexcept { (void)kill(-process_, number); }

bool Child::group_lives() const {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (living_group(entry.path()) == process_) return true;
  }
  return false;
}

}  // namespace redlock::cli
