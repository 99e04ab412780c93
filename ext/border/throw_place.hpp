// A place between two opcodes of PHP code, made fit for an exception.
//
// An interrupt comes before an opcode. What is thrown then counts for the VM as thrown in the
// middle of that opcode: it undoes what the opcode would have done by then, and leaves to it the
// values that the opcode would have taken. It was not run, so both have to be done here, or the VM
// frees what is not there, and loses what a function has just returned. So it is in all versions of
// PHP.
//
// Behind a function that an opcode itself calls, such as __get() or a destructor, PHP looks for
// interrupts too. There the opcode is under way, and sees to its values itself.
#pragma once
#include <cstdint>

#include "border/zend.hpp"

namespace redlock::php {

class ThrowPlace {
 public:
  // Before any code runs in this interrupt of `frame`, which is served to whoever goes on at
  // `asker`.
  ThrowPlace(zend_execute_data* frame, const void* asker);
  // Behind it: where an exception is pending in the frame, what its opcode would have taken is let
  // go.
  void settle() const;

 private:
  zend_execute_data* frame_;
  const zend_op* next_;  // null: no such place
  // Arguments of a call that __call() stands for: a backtrace would look for them where its opcode
  // is going to put them.
  std::uint32_t hidden_ = 0;
};

}  // namespace redlock::php
