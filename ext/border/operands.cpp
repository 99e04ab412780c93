// Which opcodes are unlike the others.
#include "border/operands.hpp"

namespace redlock::php {

// An opcode takes its operands, but for these: a class, which nobody frees, and what settle_own()
// sees to. What an opcode leaves to a later one is among what the VM frees.
bool takes_first(std::uint8_t opcode) {
  switch (opcode) {
    case ZEND_NEW:
    case ZEND_INIT_STATIC_METHOD_CALL:
    case ZEND_FETCH_CLASS_CONSTANT:
    case ZEND_END_SILENCE:
    case ZEND_ROPE_ADD:
    case ZEND_ROPE_END:
    case ZEND_FAST_RET:
    case ZEND_DISCARD_EXCEPTION:
      return false;
    default:
      return true;
  }
}

// A class too, and where a loop is going to write.
bool takes_second(std::uint8_t opcode) {
  switch (opcode) {
    case ZEND_INSTANCEOF:
    case ZEND_FETCH_STATIC_PROP_R:
    case ZEND_FETCH_STATIC_PROP_W:
    case ZEND_FETCH_STATIC_PROP_RW:
    case ZEND_FETCH_STATIC_PROP_IS:
    case ZEND_FETCH_STATIC_PROP_FUNC_ARG:
    case ZEND_FETCH_STATIC_PROP_UNSET:
    case ZEND_UNSET_STATIC_PROP:
    case ZEND_ISSET_ISEMPTY_STATIC_PROP:
    case ZEND_ASSIGN_STATIC_PROP:
    case ZEND_ASSIGN_STATIC_PROP_OP:
    case ZEND_ASSIGN_STATIC_PROP_REF:
    case ZEND_PRE_INC_STATIC_PROP:
    case ZEND_PRE_DEC_STATIC_PROP:
    case ZEND_POST_INC_STATIC_PROP:
    case ZEND_POST_DEC_STATIC_PROP:
    case ZEND_FE_FETCH_R:
    case ZEND_FE_FETCH_RW:
      return false;
    default:
      return true;
  }
}

// A third operand stands in an opcode of its own.
bool has_data(const zend_execute_data* frame, const zend_op* next) {
  const zend_op_array& code = frame->func->op_array;
  return next + 1 < code.opcodes + code.last && next[1].opcode == ZEND_OP_DATA;
}

// The VM itself frees it. What a loop on its way out lets go of counts as gone already.
bool is_freed(const zend_execute_data* frame, const zend_op* next, std::uint32_t offset) {
  const bool frees = next->opcode == ZEND_FREE || next->opcode == ZEND_FE_FREE;
  if (frees && (next->extended_value & ZEND_FREE_ON_RETURN) != 0) return false;
  const zend_op_array& code = frame->func->op_array;
  const auto at = static_cast<std::uint32_t>(next - code.opcodes);
  // An int before PHP 8.6.
  const auto ranges = static_cast<std::uint32_t>(code.last_live_range);
  for (std::uint32_t i = 0; i < ranges; ++i) {
    const zend_live_range& range = code.live_range[i];
    const bool same = (range.var & ~static_cast<std::uint32_t>(ZEND_LIVE_MASK)) == offset;
    if (same && range.start <= at && at < range.end) return true;
  }
  return false;
}

}  // namespace redlock::php
