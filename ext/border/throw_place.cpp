// Opcodes, and what the VM's clean-up (ZEND_HANDLE_EXCEPTION) takes for granted of them.
#include "border/throw_place.hpp"

namespace redlock::php {

namespace {

constexpr int kTemporary = IS_TMP_VAR | IS_VAR;

zval* variable(zend_execute_data* frame, std::uint32_t offset) {
  return ZEND_CALL_VAR(frame, offset);
}

// Writes where the opcode is going to write, what is right to free.
void prepare(zend_execute_data* frame, const zend_op* next) {
  switch (next->opcode) {
    case ZEND_SEND_VAL:
    case ZEND_SEND_VAL_EX:
    case ZEND_SEND_VAR:
    case ZEND_SEND_VAR_EX:
    case ZEND_SEND_REF:
    case ZEND_SEND_VAR_NO_REF:
    case ZEND_SEND_VAR_NO_REF_EX:
    case ZEND_SEND_FUNC_ARG:
    case ZEND_SEND_USER:
      // One that is passed by name has no place yet, and is not counted.
      if (next->op2_type != IS_CONST) ZVAL_UNDEF(variable(frame->call, next->result.var));
      return;
    case ZEND_ROPE_INIT:
      *reinterpret_cast<zend_string**>(variable(frame, next->result.var)) = ZSTR_EMPTY_ALLOC();
      return;
    case ZEND_ROPE_ADD:
      reinterpret_cast<zend_string**>(variable(frame, next->result.var))[next->extended_value] =
          ZSTR_EMPTY_ALLOC();
      return;
    case ZEND_BEGIN_SILENCE:
      ZVAL_LONG(variable(frame, next->result.var), EG(error_reporting));
      return;
    default:
      return;
  }
}

// Those that take their first operand, and it is a value. Others may have a class there, or leave
// it to later ones.
bool takes_first(std::uint8_t opcode) {
  switch (opcode) {
    case ZEND_SEND_VAL:
    case ZEND_SEND_VAL_EX:
    case ZEND_SEND_VAR:
    case ZEND_SEND_VAR_EX:
    case ZEND_SEND_VAR_NO_REF:
    case ZEND_SEND_VAR_NO_REF_EX:
    case ZEND_SEND_FUNC_ARG:
    case ZEND_SEND_USER:
    case ZEND_SEND_ARRAY:
    case ZEND_SEND_UNPACK:
    case ZEND_INIT_ARRAY:
    case ZEND_ADD_ARRAY_ELEMENT:
    case ZEND_ADD_ARRAY_UNPACK:
    case ZEND_QM_ASSIGN:
    case ZEND_RETURN:
    case ZEND_RETURN_BY_REF:
    case ZEND_GENERATOR_RETURN:
    case ZEND_YIELD:
    case ZEND_YIELD_FROM:
    case ZEND_FREE:
    case ZEND_FE_FREE:
    case ZEND_JMPZ:
    case ZEND_JMPNZ:
    case ZEND_JMPZ_EX:
    case ZEND_JMPNZ_EX:
    case ZEND_JMP_SET:
    case ZEND_COALESCE:
    case ZEND_BOOL:
    case ZEND_BOOL_NOT:
    case ZEND_TYPE_CHECK:
    case ZEND_IS_IDENTICAL:
    case ZEND_IS_NOT_IDENTICAL:
    case ZEND_IS_EQUAL:
    case ZEND_IS_NOT_EQUAL:
    case ZEND_INSTANCEOF:
    case ZEND_CAST:
    case ZEND_ECHO:
    case ZEND_THROW:
    case ZEND_INIT_METHOD_CALL:
    case ZEND_FETCH_OBJ_R:
    case ZEND_FE_RESET_R:
      return true;
    default:
      return false;
  }
}

bool takes_second(std::uint8_t opcode) {
  return opcode == ZEND_ASSIGN || opcode == ZEND_ROPE_INIT || opcode == ZEND_ROPE_ADD ||
         opcode == ZEND_ROPE_END || opcode == ZEND_IS_IDENTICAL || opcode == ZEND_IS_NOT_IDENTICAL;
}

// What stands in an opcode of its own.
bool takes_data(std::uint8_t opcode) {
  return opcode == ZEND_ASSIGN_OBJ || opcode == ZEND_ASSIGN_DIM ||
         opcode == ZEND_ASSIGN_STATIC_PROP;
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

void let_go(zend_execute_data* frame, const zend_op* next, std::uint8_t type,
            std::uint32_t offset) {
  if ((type & kTemporary) == 0 || is_freed(frame, next, offset)) return;
  zval* const value = variable(frame, offset);
  const bool of_loop = next->opcode == ZEND_FE_FREE && Z_TYPE_P(value) != IS_ARRAY;
  if (of_loop && Z_FE_ITER_P(value) != static_cast<std::uint32_t>(-1)) {
    zend_hash_iterator_del(Z_FE_ITER_P(value));
  }
  zval_ptr_dtor(value);
}

}  // namespace

ThrowPlace::ThrowPlace(zend_execute_data* frame) : frame_(frame), next_(nullptr) {
  const bool of_php = frame != nullptr && frame == EG(current_execute_data) &&
                      frame->func != nullptr && ZEND_USER_CODE(frame->func->type);
  // With an exception on its way already that one's opcode was run.
  if (!of_php || EG(exception) != nullptr) return;
  next_ = frame->opline;
  prepare(frame, next_);
}

void ThrowPlace::settle() const {
  if (next_ == nullptr || EG(exception) == nullptr || EG(opline_before_exception) != next_) return;
  if (takes_first(next_->opcode)) let_go(frame_, next_, next_->op1_type, next_->op1.var);
  if (takes_second(next_->opcode)) let_go(frame_, next_, next_->op2_type, next_->op2.var);
  if (takes_data(next_->opcode)) let_go(frame_, next_, next_[1].op1_type, next_[1].op1.var);
}

}  // namespace redlock::php
