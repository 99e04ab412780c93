// A place between two opcodes of PHP code, made fit for an exception.
//
// An interrupt comes before an opcode. What is thrown then counts for the VM as thrown in the
// middle of that opcode: it undoes what the opcode would have done by then, and leaves to it the
// values that the opcode would have taken. It was not run, so both have to be done here, or the VM
// frees what is not there, and loses what a function has just returned. So it is in all versions of
// PHP.
#pragma once
#include "border/zend.hpp"

namespace redlock::php {

class ThrowPlace {
 public:
  // Before any code runs in this interrupt of `frame`.
  explicit ThrowPlace(zend_execute_data* frame);
  // Behind it: where an exception is pending in the frame, what its opcode would have taken is let
  // go.
  void settle() const;

 private:
  zend_execute_data* frame_;
  const zend_op* next_;  // null: no such place
};

}  // namespace redlock::php
