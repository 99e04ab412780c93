// Why an argument is refused.
#pragma once
#include <string>

#include "redlock/config/endpoint.hpp"

namespace redlock::test {

// What the ArgumentError says that `call` ends with; "accepted" where it ends with none.
template <class Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace redlock::test
