// The commands and their options.
#include "cli/arguments.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <sstream>
#include <stdexcept>

#include "cli/exit_code.hpp"
#include "cli/servers.hpp"
#include "cli/time_text.hpp"
#include "cli/words.hpp"

namespace redlock::cli {

namespace {

constexpr std::string_view kExitCodes =
    "Exit status:\n"
    "  0     done\n"
    "  1     no: another client holds it (see -E), nothing to release, or a check that found\n"
    "        something\n"
    "  64    the arguments are not valid\n"
    "  69    no majority of the servers could be asked, or the key is no lock\n"
    "  71    the system refuses a thread, a descriptor or memory\n"
    "  74    standard output cannot be written\n"
    "  75    run: the lease was lost while the command ran\n"
    "  126   run: the command cannot be executed\n"
    "  127   run: there is no such command\n"
    "  128+n run: signal n killed the command\n"
    "  else  run: the exit status of the command";
constexpr std::string_view kServersHelp =
    "a,b,c, or @FILE with one a line; instead of REDLOCK_SERVERS in the environment. Every user of "
    "this machine can see arguments: passwords belong in a file";

// As the user wrote it.
struct Raw {
  std::string servers;
  std::string timeout = "250ms";
  std::string connect_timeout;
  std::string owner;
  bool no_line = false;
  bool guard = false;
  std::int64_t replicas = 0;
  std::string longest_ttl = "60s";
  std::string ttl = "30s";
  std::string wait = "0";
  std::string grace = "10s";
  std::string every = "1s";
  std::optional<int> permits;
  Run run;
  Inspect inspect;
  Release release;
  bool force = false;
  Check check;
  Top top;
};

void add_servers(CLI::App& command, Raw& raw) {
  command.add_option("-s,--servers", raw.servers, std::string(kServersHelp))->type_name("LIST");
  command.add_option("--timeout", raw.timeout, "how long each server may take to answer (250ms)")
      ->type_name("TIME");
  command
      .add_option(
          "--connect-timeout", raw.connect_timeout,
          "how long each server may take to connect (1s, or --timeout where that is longer)")
      ->type_name("TIME");
}

void add_longest_ttl(CLI::App& command, Raw& raw) {
  command
      .add_option("--longest-ttl", raw.longest_ttl,
                  "how long any lock on these servers may live: the guard's measure for those that "
                  "restarted (60s)")
      ->type_name("TIME");
}

CLI::App& add_run(CLI::App& app, Raw& raw) {
  CLI::App& run = *app.add_subcommand(
      "run",
      "Runs a command while it holds a lock, or several at once:\n"
      "  redlock run RESOURCE... [OPTIONS] -- COMMAND [ARGUMENT...]\n"
      "The lock is kept for as long as the command runs, and then given back. When it is\n"
      "lost, the command and all of its process group get SIGTERM, and SIGKILL later.\n"
      "The command finds REDLOCK_RESOURCE and REDLOCK_TOKEN in its environment, with --fence\n"
      "REDLOCK_FENCE too, with --permits REDLOCK_SLOT. Of several resources it finds one\n"
      "name a line.");
  run.add_option("RESOURCE", raw.run.resources,
                 "the name of the lock; up to 16 are taken together, all or none")
      ->required();
  run.add_option("-w,--wait", raw.wait,
                 "how long to stand in line while another client holds it: a TIME, or forever (0)")
      ->type_name("TIME");
  run.add_option("-t,--ttl", raw.ttl, "how long the lock lives if this machine dies (30s)")
      ->type_name("TIME");
  run.add_option("-g,--grace", raw.grace, "between SIGTERM and SIGKILL (10s)")->type_name("TIME");
  run.add_option("-E,--conflict-exit-code", raw.run.busy,
                 "exit status where another client holds it (1)")
      ->type_name("CODE");
  run.add_option("-o,--owner", raw.owner, "what inspect and top show of us (HOST/PID)")
      ->type_name("NAME");
  run.add_flag("--fence", raw.run.fence,
               "get a number that is larger than that of every holder before");
  run.add_flag("--shared", raw.run.shared,
               "hold it together with all others who say so, to read what it protects");
  run.add_option("-p,--permits", raw.permits,
                 "take one of so many permits of the resource, 1 to 1024, and not the lock itself")
      ->type_name("COUNT");
  run.add_flag("--guard", raw.guard,
               "no vote for servers that restarted lately, are replicas, may delete locks, or are\n"
               "named twice; check says which");
  run.add_option("--replicas", raw.replicas,
                 "count a server's vote only if so many of its replicas have it, 0 to 16 (0)")
      ->type_name("COUNT");
  run.add_flag("--no-line", raw.no_line, "wait by trying again and again, not in line");
  add_longest_ttl(run, raw);
  run.add_flag("-q,--quiet", raw.run.quiet, "say nothing where another client holds it");
  return run;
}

void add_others(CLI::App& app, Raw& raw) {
  CLI::App& inspect = *app.add_subcommand("inspect", "Shows who holds a lock, and who waits.");
  inspect.add_option("RESOURCE", raw.inspect.resource, "the name of the lock")->required();
  inspect.add_flag("--json", raw.inspect.as_json, "for programs");
  CLI::App& release = *app.add_subcommand(
      "release", "Takes a lock away from whoever holds it; who is first in line gets it.");
  release.add_option("RESOURCE", raw.release.resource, "the name of the lock")->required();
  release.add_flag("--force", raw.force, "needed: its holder may still be at work");
  CLI::App& check = *app.add_subcommand(
      "check", "Asks every server whether it is fit for locks, and says what to do.");
  check.add_flag("--json", raw.check.as_json, "for programs");
  check
      .add_option("--prefix", raw.check.prefix,
                  "what the names of your locks begin with: tries to take one of that name")
      ->type_name("TEXT");
  add_longest_ttl(check, raw);
  CLI::App& top = *app.add_subcommand("top", "Shows locks and who holds them, over and over.");
  top.add_option("RESOURCE", raw.top.resources, "the names of the locks")->required();
  top.add_option("-i,--interval", raw.every, "between two looks (1s)")->type_name("TIME");
  top.add_flag("--once", raw.top.once, "one look, without a terminal");
  for (CLI::App* command : {&inspect, &release, &check, &top}) add_servers(*command, raw);
}

std::string own_name() {
  std::array<char, 128> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) return {};
  return std::string(host.data()) + "/" + std::to_string(getpid());
}

Options options_from(const Raw& raw) {
  Options options;
  options.timeout = time_from("--timeout", raw.timeout);
  if (!raw.connect_timeout.empty()) {
    options.connect_timeout = time_from("--connect-timeout", raw.connect_timeout);
  }
  options.line = !raw.no_line;
  options.longest_ttl = time_from("--longest-ttl", raw.longest_ttl);
  if (options.longest_ttl.count() <= 0) {
    throw std::invalid_argument("--longest-ttl must be above 0");
  }
  return options;
}

// In the words of the command line.
void check_resources(const std::vector<std::string>& resources) {
  constexpr std::size_t kMost = 16;
  if (resources.size() > kMost) {
    throw std::invalid_argument("RESOURCE must be at most 16 names, " +
                                std::to_string(resources.size()) + " given");
  }
  for (auto at = resources.begin(); at != resources.end(); ++at) {
    if (std::find(resources.begin(), at, *at) == at) continue;
    throw std::invalid_argument("RESOURCE must not name '" + *at + "' twice");
  }
}

std::size_t permits_from(const Raw& raw) {
  constexpr int kMost = 1024;
  if (!raw.permits) return 0;
  if (*raw.permits < 1 || *raw.permits > kMost) {
    throw std::invalid_argument("--permits must be at least 1 and at most 1024");
  }
  if (raw.run.resources.size() > 1) {
    throw std::invalid_argument("--permits is for one RESOURCE only");
  }
  if (raw.run.fence) throw std::invalid_argument("--permits and --fence exclude each other");
  return static_cast<std::size_t>(*raw.permits);
}

Run run_from(const Raw& raw, std::span<const char* const> command) {
  Run run = raw.run;
  if (command.empty()) {
    throw std::invalid_argument("nothing to run: the command stands behind --");
  }
  check_resources(run.resources);
  if (run.shared && run.resources.size() > 1) {
    throw std::invalid_argument("--shared is for one RESOURCE only, " +
                                std::to_string(run.resources.size()) + " given");
  }
  run.permits = permits_from(raw);
  run.command.assign(command.begin(), command.end());
  run.ttl = time_from("--ttl", raw.ttl);
  if (raw.guard && run.ttl > time_from("--longest-ttl", raw.longest_ttl)) {
    throw std::invalid_argument("--ttl must be at most --longest-ttl, " + raw.longest_ttl +
                                ", with --guard");
  }
  if (raw.replicas < 0 || raw.replicas > kReplicasMax) {
    throw std::invalid_argument("--replicas must be at least 0 and at most " +
                                std::to_string(kReplicasMax));
  }
  run.wait = wait_from("--wait", raw.wait);
  run.grace = time_from("--grace", raw.grace);
  if (run.busy < 0 || run.busy > 255) {
    throw std::invalid_argument("--conflict-exit-code must be at least 0 and at most 255");
  }
  return run;
}

Release release_from(const Raw& raw) {
  if (raw.force) return raw.release;
  throw std::invalid_argument(
      "the holder of a lock may still be at work: to take it away all the same, say --force");
}

Top top_from(const Raw& raw) {
  Top top = raw.top;
  top.every = time_from("--interval", raw.every);
  if (top.every < std::chrono::milliseconds(100)) {
    throw std::invalid_argument("--interval must be at least 100ms");
  }
  return top;
}

Request request_from(const std::string& command, const Raw& raw,
                     std::span<const char* const> to_run) {
  Request request{{}, options_from(raw), raw.inspect};
  if (command == "run") {
    request.what = run_from(raw, to_run);
    request.options.owner = raw.owner.empty() ? own_name() : raw.owner;
    request.options.fence = raw.run.fence;
    if (raw.guard) request.options.guard = Guard::all();
    request.options.replicas = raw.replicas;
  } else if (command == "release") {
    request.what = release_from(raw);
  } else if (command == "check") {
    Check check = raw.check;
    check.longest_ttl = time_from("--longest-ttl", raw.longest_ttl);
    request.what = check;
  } else if (command == "top") {
    request.what = top_from(raw);
  }
  request.servers = servers_from(raw.servers);
  return request;
}

std::string version_text() {
  return "redlock " + std::to_string(REDLOCK_VERSION / 10000) + "." +
         std::to_string(REDLOCK_VERSION / 100 % 100) + "." + std::to_string(REDLOCK_VERSION % 100);
}

int refuse(const std::string& what) {
  complain(what);
  return kUsage;
}

}  // namespace

std::variant<Request, int> parse(int count, const char* const* arguments) {
  // What stands behind -- is not ours to read.
  const std::span<const char* const> all(arguments, static_cast<std::size_t>(std::max(count, 0)));
  auto ours = std::ranges::find(all, std::string_view("--"),
                                [](const char* text) { return std::string_view(text); });
  const std::string first = all.size() > 1 ? all[1] : "";
  if (first != "run") ours = all.end();
  const auto own_count = static_cast<std::size_t>(ours - all.begin());

  CLI::App app("Locks over several Redis or Valkey servers.", "redlock");
  app.set_version_flag("--version", version_text());
  app.footer("redlock COMMAND --help tells more; see also redlock(1).");
  app.require_subcommand(1);
  Raw raw;
  CLI::App& run = add_run(app, raw);
  add_servers(run, raw);
  add_others(app, raw);
  for (CLI::App* command : app.get_subcommands(nullptr)) {
    command->footer(std::string(kExitCodes));
  }
  if (first.empty()) return refuse("no command given (try redlock --help)");
  const auto is_first = [&](const CLI::App* command) { return command->get_name() == first; };
  if (!first.starts_with('-') && std::ranges::none_of(app.get_subcommands(nullptr), is_first)) {
    return refuse("unknown command '" + first + "' (try redlock --help)");
  }
  try {
    app.parse(static_cast<int>(own_count), arguments);
    const std::string command = app.get_subcommands().front()->get_name();
    return request_from(command, raw, all.subspan(std::min(all.size(), own_count + 1)));
  } catch (const CLI::Success& wanted) {
    // Help or the version.
    std::ostringstream said;
    const int status = app.exit(wanted, said);
    say(said.str());
    return status;
  } catch (const CLI::ParseError& error) {
    return refuse(std::string(error.what()) + " (try redlock " + first + " --help)");
  } catch (const std::invalid_argument& error) {
    return refuse(error.what());
  }
}

}  // namespace redlock::cli
