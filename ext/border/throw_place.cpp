// What the VM's clean-up (ZEND_HANDLE_EXCEPTION) takes for granted of opcodes.
#include "border/throw_place.hpp"

#include <unwind.h>

#include "border/operands.hpp"

namespace redlock::php {

namespace {

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

// A finally block that is over goes on with what it came between: a return, or an exception.
void end_finally(zend_execute_data* frame, const zval* came_from) {
  const zend_op* const code = frame->func->op_array.opcodes;
  const std::uint32_t back = Z_OPLINE_NUM_P(came_from);
  if (back != static_cast<std::uint32_t>(-1)) {
    if ((code[back].op2_type & kTemporary) != 0) {
      zval_ptr_dtor(variable(frame, code[back].op2.var));
    }
  } else if (zend_is_unwind_exit(EG(exception)) || zend_is_graceful_exit(EG(exception))) {
    OBJ_RELEASE(Z_OBJ_P(came_from));
  } else {
    zend_exception_set_previous(EG(exception), Z_OBJ_P(came_from));
  }
}

// A loop that is left by a return: the VM frees what is to be returned, but before RETURN alone.
void free_returned(zend_execute_data* frame, const zend_op* next) {
  if ((next->extended_value & ZEND_FREE_ON_RETURN) == 0) return;
  while (next->opcode == ZEND_FREE || next->opcode == ZEND_FE_FREE) ++next;
  const bool returns = next->opcode == ZEND_RETURN_BY_REF || next->opcode == ZEND_GENERATOR_RETURN;
  if (returns && (next->op1_type & kTemporary) != 0) {
    zval_ptr_dtor(variable(frame, next->op1.var));
  } else if (next->opcode == ZEND_FAST_CALL && (next->op2_type & kTemporary) != 0) {
    zval_ptr_dtor(variable(frame, next->op2.var));
  }
}

// The call of a method that __call() or __callStatic() stands for: this opcode is its whole code,
// and would have taken its arguments, and its function, which was made for it. The frame keeps a
// copy of that for as long as the VM leaves it.
void end_magic_call(zend_execute_data* frame) {
  thread_local zend_function leaving;
  const std::uint32_t count = ZEND_CALL_NUM_ARGS(frame);
  ZEND_CALL_NUM_ARGS(frame) = 0;
  for (std::uint32_t i = 1; i <= count; ++i) zval_ptr_dtor(ZEND_CALL_ARG(frame, i));
  zend_function* const made = frame->func;
  leaving = *made;
  leaving.common.function_name = ZSTR_EMPTY_ALLOC();
  frame->func = &leaving;
  zend_string_release(made->common.function_name);
  zend_free_trampoline(made);
}

// What else would be lost, and operands that are no values.
void settle_own(zend_execute_data* frame, const zend_op* next) {
  zval* const first = variable(frame, next->op1.var);
  switch (next->opcode) {
    case ZEND_END_SILENCE:
      if (E_HAS_ONLY_FATAL_ERRORS(EG(error_reporting)) &&
          !E_HAS_ONLY_FATAL_ERRORS(Z_LVAL_P(first))) {
        EG(error_reporting) = static_cast<int>(Z_LVAL_P(first));
      }
      return;
    case ZEND_ROPE_END:
      for (std::uint32_t i = 0; i < next->extended_value; ++i) {
        zend_string_release_ex(reinterpret_cast<zend_string**>(first)[i], false);
      }
      return;
    case ZEND_FAST_RET:
      end_finally(frame, first);
      return;
    case ZEND_FREE:
    case ZEND_FE_FREE:
      free_returned(frame, next);
      return;
    case ZEND_CALL_TRAMPOLINE:
      end_magic_call(frame);
      return;
    default:
      return;
  }
}

// Is it the end of zend_call_function() that asks? Nothing in PHP's own state tells it from the VM.
bool is_in_a_call(const void* asker) {
  void* const function = _Unwind_FindEnclosingFunction(const_cast<void*>(asker));
  return function == reinterpret_cast<void*>(&zend_call_function);
}

}  // namespace

ThrowPlace::ThrowPlace(zend_execute_data* frame, const void* asker)
    : frame_(frame), next_(nullptr) {
  const bool of_php = frame != nullptr && frame == EG(current_execute_data) &&
                      frame->func != nullptr && ZEND_USER_CODE(frame->func->type);
  // With an exception on its way already that one's opcode was run.
  if (!of_php || EG(exception) != nullptr || is_in_a_call(asker)) return;
  next_ = frame->opline;
  prepare(frame, next_);
  if (next_->opcode == ZEND_CALL_TRAMPOLINE) {
    hidden_ = ZEND_CALL_NUM_ARGS(frame);
    ZEND_CALL_NUM_ARGS(frame) = 0;
  }
}

void ThrowPlace::settle() const {
  if (next_ == nullptr) return;
  if (next_->opcode == ZEND_CALL_TRAMPOLINE) ZEND_CALL_NUM_ARGS(frame_) = hidden_;
  if (EG(exception) == nullptr || EG(opline_before_exception) != next_) return;
  if (takes_first(next_->opcode)) let_go(frame_, next_, next_->op1_type, next_->op1.var);
  if (takes_second(next_->opcode)) let_go(frame_, next_, next_->op2_type, next_->op2.var);
  if (has_data(frame_, next_)) let_go(frame_, next_, next_[1].op1_type, next_[1].op1.var);
  settle_own(frame_, next_);
}

}  // namespace redlock::php
