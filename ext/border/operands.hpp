// What becomes of an opcode's operands, where they are temporary values of a function.
#pragma once
#include <cstdint>

#include "border/zend.hpp"

namespace redlock::php {

inline constexpr int kTemporary = IS_TMP_VAR | IS_VAR;

// Whether it takes, or leaves to a later opcode, a value that stands there.
[[nodiscard]] bool takes_first(std::uint8_t opcode);
[[nodiscard]] bool takes_second(std::uint8_t opcode);
// `next` is an opcode of the frame's function.
[[nodiscard]] bool has_data(const zend_execute_data* frame, const zend_op* next);
// What is thrown before `next` makes the VM free the value at `offset`.
[[nodiscard]] bool is_freed(const zend_execute_data* frame, const zend_op* next,
                            std::uint32_t offset);

}  // namespace redlock::php
