// The limit loop as a program: `limit serve PORTS` answers commands on standard input with one line
// of JSON each; `limit contend PORTS CLIENTS REQUESTS HOLD_US RETRY_MS` runs one contention test.
#include <charconv>
#include <exception>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "contend.hpp"
#include "measure.hpp"
#include "quorum_lock.hpp"

namespace {

template <typename Number>
Number parse(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw std::runtime_error("not a number: " + std::string(text));
  }
  return number;
}

std::vector<std::uint16_t> parse_ports(const std::string& text) {
  std::vector<std::uint16_t> ports;
  std::istringstream list(text);
  for (std::string port; std::getline(list, port, ',');) {
    ports.push_back(parse<std::uint16_t>(port));
  }
  return ports;
}

void run_cycles(bench::QuorumLock& lock, std::size_t count) {
  std::vector<std::int64_t> lock_ns(count);
  std::vector<std::int64_t> unlock_ns(count);
  std::size_t failed = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t begin = bench::now_ns();
    const bool held = lock.lock();
    const std::int64_t middle = bench::now_ns();
    const bool released = lock.unlock();
    const std::int64_t end = bench::now_ns();
    lock_ns[i] = middle - begin;
    unlock_ns[i] = end - middle;
    failed += held && released ? 0U : 1U;
  }
  std::cout << R"({"failed":)" << failed << ',';
  bench::write_samples("lock_ns", lock_ns);
  std::cout << ',';
  bench::write_samples("unlock_ns", unlock_ns);
  std::cout << "}" << std::endl;
}

void run_round_trips(bench::QuorumLock& lock, std::size_t count) {
  std::vector<std::int64_t> round_trip_ns(count);
  for (std::int64_t& sample : round_trip_ns) {
    const std::int64_t begin = bench::now_ns();
    lock.ping();
    sample = bench::now_ns() - begin;
  }
  std::cout << '{';
  bench::write_samples("round_trip_ns", round_trip_ns);
  std::cout << "}" << std::endl;
}

void serve(const std::vector<std::uint16_t>& ports) {
  bench::QuorumLock lock(ports, "bench:limit");
  std::cout << R"({"ready":true,"hiredis":")" << HIREDIS_MAJOR << '.' << HIREDIS_MINOR << '.'
            << HIREDIS_PATCH << R"("})" << std::endl;
  std::string verb;
  for (std::size_t count = 0; std::cin >> verb >> count;) {
    if (verb == "cycles") {
      run_cycles(lock, count);
    } else if (verb == "round_trips") {
      run_round_trips(lock, count);
    } else {
      throw std::runtime_error("unknown command " + verb);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    if (arguments.size() == 2 && arguments[0] == "serve") {
      serve(parse_ports(arguments[1]));
    } else if (arguments.size() == 6 && arguments[0] == "contend") {
      bench::contend(parse_ports(arguments[1]),
                     {parse<std::uint32_t>(arguments[2]), parse<std::uint32_t>(arguments[3]),
                      parse<std::int64_t>(arguments[4]), parse<std::int64_t>(arguments[5])});
    } else {
      throw std::runtime_error(
          "expected: serve PORTS | contend PORTS CLIENTS REQUESTS HOLD_US "
          "RETRY_MS");
    }
  } catch (const std::exception& error) {
    std::cerr << "limit: " << error.what() << '\n';
    return 1;
  }
}
