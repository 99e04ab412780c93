// Which process is running, as the production code is told.
//
// this_process() is answered from here (the linker wraps it): all clients live in one process, but
// each is one of its own, and its child is another. One thread per world.
#pragma once
#include "redlock/os/process.hpp"

namespace redlock::sim {

// While it lives, the production code runs in this process.
class InProcess {
 public:
  // Must outlive the object; may change meanwhile, as it does where a signal handler forks.
  explicit InProcess(const ProcessMark& mark);
  ~InProcess();
  InProcess(const InProcess&) = delete;
  InProcess& operator=(const InProcess&) = delete;

 private:
  const ProcessMark* outer_;
};

}  // namespace redlock::sim
