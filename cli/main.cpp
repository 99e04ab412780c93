// redlock: locks over several Redis or Valkey servers, for shells, cron jobs and people.
#include <fcntl.h>
#include <unistd.h>

#include <new>
#include <stdexcept>
#include <system_error>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/words.hpp"

namespace {

using namespace redlock::cli;

int perform(const Request& request) {
  redlock::Client client(request.servers, request.options);
  struct {
    redlock::Client& with;
    int operator()(const Run& asked) const { return run(with, asked); }
    int operator()(const Inspect& asked) const { return inspect(with, asked); }
    int operator()(const Release& asked) const { return release(with, asked); }
    int operator()(const Check& asked) const { return check(with, asked); }
    int operator()(const Top& asked) const { return top(with, asked); }
  } const dispatch{client};
  return std::visit(dispatch, request.what);
}

// Where one of the three was closed, a connection would be it, and read what is said to people.
// What takes its place cannot be written: who asks for an output that goes nowhere is to hear of
// it.
void fill_standard_descriptors() {
  int filled = 0;
  while (filled >= 0 && filled <= STDERR_FILENO) filled = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (filled >= 0) close(filled);
}

}  // namespace

int main(int count, char** arguments) {
  fill_standard_descriptors();
  try {
    const auto parsed = parse(count, arguments);
    if (const int* const status = std::get_if<int>(&parsed)) return *status;
    return perform(std::get<Request>(parsed));
  } catch (const std::invalid_argument& error) {
    complain(error.what());
    return kUsage;
  } catch (const OutputError& error) {
    complain(error.what());
    return kOutput;
  } catch (const std::exception& error) {
    complain(error.what());
    return kSystem;
  }
}
