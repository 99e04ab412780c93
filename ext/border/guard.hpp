// The border between C++ and Zend, and the one rule that holds on it.
//
// Zend leaves functions by longjmp: a fatal error (memory limit, time limit, a fatal error in
// a signal handler) skips every destructor on its way. C++ leaves them by exceptions, which
// must not pass through Zend's frames. So every method alternates between two kinds of
// stretches:
//   - inside guarded(): C++ that may throw and own, and calls nothing of Zend that can allocate,
//     raise an error or run user code (reading arrays and strings is allowed);
//   - outside: Zend calls, while no C++ object with a destructor is alive in any frame of ours.
// What must pass from one stretch to the next is plain (numbers, pointers, char arrays) or
// parked in the heap object behind the PHP object.
#pragma once
#include <cstdint>
#include <span>
#include <stdexcept>
#include <type_traits>

#include "border/zend.hpp"

namespace redlock::php {

// An argument, or a part of one, of a type that cannot be meant; becomes a TypeError. Like
// ArgumentError, which becomes a ValueError, its text begins with the argument's name.
class TypeMismatch : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// Where an error that begins with `name` belongs in the PHP method's list of arguments.
struct ArgumentPlace {
  const char* name;
  std::uint32_t position;  // from 1
  // What the argument as a whole must be, when `name` is only a part of it.
  const char* intro = nullptr;
};

struct Failure {
  enum class Kind { value, type, other };
  Kind kind = Kind::other;
  std::uint32_t position = 0;  // 0: no argument in particular
  char text[1024];             // filled in only where there is a failure

  Failure() { text[0] = '\0'; }
};

// Describes the exception being handled.
void describe_exception(Failure& failure, std::span<const ArgumentPlace> places) noexcept;
// Throws it to PHP.
void raise(const Failure& failure);

// Runs `body`; what it throws is thrown to PHP instead, and the result is false.
template <class Body>
bool guarded(std::span<const ArgumentPlace> places, Body body) {
  static_assert(std::is_trivially_destructible_v<Body>);
  Failure failure;
  try {
    body();
    return true;
  } catch (...) {
    describe_exception(failure, places);
  }
  raise(failure);
  return false;
}

}  // namespace redlock::php
