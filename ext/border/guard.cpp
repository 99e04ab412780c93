// C++ exceptions as PHP's own errors.
#include "border/guard.hpp"

#include <new>
#include <string>
#include <string_view>

#include "border/text.hpp"
#include "redlock/config/endpoint.hpp"

namespace redlock::php {

namespace {

// "ttl must be positive" belongs to the argument ttl and is shown as PHP's own
// "Argument #2 ($ttl) must be positive". What names no argument is kept whole.
void place(Failure& failure, Failure::Kind kind, std::string_view what,
           std::span<const ArgumentPlace> places) {
  failure.kind = kind;
  std::string intro;
  for (const ArgumentPlace& candidate : places) {
    const std::string_view name = candidate.name;
    if (!what.starts_with(name) || what.substr(name.size(), 1) != " ") continue;
    failure.position = candidate.position;
    if (candidate.intro != nullptr) {
      intro = std::string(candidate.intro) + ": ";
    } else {
      what.remove_prefix(name.size() + 1);
    }
    break;
  }
  park(failure.text, intro + printable(what, sizeof failure.text));
}

void describe(Failure& failure, std::span<const ArgumentPlace> places) {
  try {
    throw;
  } catch (const TypeMismatch& mismatch) {
    place(failure, Failure::Kind::type, mismatch.what(), places);
  } catch (const ArgumentError& error) {
    place(failure, Failure::Kind::value, error.what(), places);
  }
}

}  // namespace

void describe_exception(Failure& failure, std::span<const ArgumentPlace> places) noexcept {
  try {
    describe(failure, places);
  } catch (const std::bad_alloc&) {
    park(failure.text, "Out of memory");
  } catch (const std::exception& error) {
    park(failure.text, error.what());
  } catch (...) {
    park(failure.text, "Unknown error");
  }
}

void raise(const Failure& failure) {
  const bool of_type = failure.kind == Failure::Kind::type;
  if (failure.kind == Failure::Kind::other) {
    zend_throw_error(nullptr, "%s", failure.text);
  } else if (failure.position == 0) {
    zend_throw_error(of_type ? zend_ce_type_error : zend_ce_value_error, "%s", failure.text);
  } else if (of_type) {
    zend_argument_type_error(failure.position, "%s", failure.text);
  } else {
    zend_argument_value_error(failure.position, "%s", failure.text);
  }
}

}  // namespace redlock::php
