// Numbers as PHP values and as text.
#include "lease/server_stats.hpp"

#include <string>

#include "border/globals.hpp"
#include "border/guard.hpp"
#include "border/milliseconds.hpp"
#include "border/text.hpp"

namespace redlock::php {

namespace {

// Copied before they are shown: what calls Zend may leave by a longjmp.
struct Shown {
  char name[256];
  ServerNumbers numbers;
};

// The server at this place in the order of names. False: there is none, or an exception is pending.
bool copy_server(std::size_t place, Shown& shown) {
  bool there = false;
  const bool copied = guarded({}, [&] {
    std::size_t at = 0;
    thread_state().book.for_each([&](const std::string& name, const ServerNumbers& numbers) {
      if (at++ != place) return;
      there = true;
      park(shown.name, name);
      shown.numbers = numbers;
    });
  });
  return copied && there;
}

std::optional<Duration> since_trouble(const ServerNumbers& numbers) {
  if (!numbers.troubled_at) return std::nullopt;
  return SystemClock().now() - *numbers.troubled_at;
}

void put_errors_by_fault(zval* into, const ServerNumbers& numbers) {
  array_init(into);
  for (std::size_t i = 0; i < numbers.errors.size(); ++i) {
    if (numbers.errors[i] == 0) continue;
    const std::string_view word = to_string(static_cast<Fault>(i));
    add_assoc_long_ex(into, word.data(), word.size(), static_cast<zend_long>(numbers.errors[i]));
  }
}

void put_numbers(zval* into, const ServerNumbers& numbers) {
  zval errors;
  array_init(into);
  add_assoc_long(into, "requests", static_cast<zend_long>(numbers.requests));
  put_errors_by_fault(&errors, numbers);
  add_assoc_zval(into, "errors", &errors);
  add_assoc_long(into, "connects", static_cast<zend_long>(numbers.connects));
  put_milliseconds(into, "roundTripP50", percentile(numbers.round_trips, 50));
  put_milliseconds(into, "roundTripP99", percentile(numbers.round_trips, 99));
  put_milliseconds(into, "sinceTrouble", since_trouble(numbers));
}

// Of all servers together.
struct Sums {
  std::uint64_t requests = 0;
  std::uint64_t errors = 0;
  std::uint64_t connects = 0;

  void add(const ServerNumbers& numbers) {
    requests += numbers.requests;
    connects += numbers.connects;
    for (const std::uint64_t of_fault : numbers.errors) errors += of_fault;
  }
};

}  // namespace

void put_server_stats(zval* into) {
  array_init(into);
  Shown shown{};
  for (std::size_t i = 0; copy_server(i, shown); ++i) {
    zval row;
    put_numbers(&row, shown.numbers);
    add_assoc_zval(into, shown.name, &row);
  }
}

void print_server_stats() {
  char requests[24] = "";
  char errors[24] = "";
  char connects[24] = "";
  const bool known = guarded({}, [&] {
    Sums sums;
    if (ThreadState* const thread = REDLOCK_G(thread); thread != nullptr) {
      thread->book.for_each(
          [&sums](const std::string&, const ServerNumbers& numbers) { sums.add(numbers); });
    }
    park(requests, std::to_string(sums.requests));
    park(errors, std::to_string(sums.errors));
    park(connects, std::to_string(sums.connects));
  });
  if (!known) return;
  php_info_print_table_row(2, "Requests to servers", requests);
  php_info_print_table_row(2, "Errors of servers", errors);
  php_info_print_table_row(2, "Connections opened", connects);
}

}  // namespace redlock::php
