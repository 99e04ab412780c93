// What the names mean that other clients' configurations have for the settings of a connection,
// and that are none of ours.
//
// Pure.
#pragma once
#include <string>
#include <string_view>

namespace redlock {

enum class FieldMeaning {
  unknown,
  idle,     // harmless for a lock, whatever its value: docs/operations.md lists them
  several,  // many servers that are used as one
  prefix,   // what all keys begin with
};
[[nodiscard]] FieldMeaning meaning_of(std::string_view name);

// Of a field that is not empty and not switched off. Throw ArgumentError.
[[noreturn]] void refuse_several(std::string_view name);
[[noreturn]] void refuse_prefix();
// Of a text with more than one host.
[[noreturn]] void refuse_several_hosts();

}  // namespace redlock
