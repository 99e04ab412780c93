// Stands between the library and the operating system, and hiredis: calls that fail, or lie, on
// demand.
//
// The test programs are linked with --wrap for each name below, so that the library runs
// unchanged. What is planned concerns the calling thread alone, while the object lives.
#pragma once
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <vector>

namespace redlock::test {

class SystemCalls {
 public:
  SystemCalls();
  SystemCalls(const SystemCalls&) = delete;
  SystemCalls& operator=(const SystemCalls&) = delete;
  ~SystemCalls();

  // The n-th call from now on, from 0, fails with `error`; of any name, or only of one.
  void fail(std::size_t n, int error, std::string only = {});
  // So do all behind it.
  void fail_from(std::size_t n, int error);
  // Has the planned failure happened?
  [[nodiscard]] bool failed() const { return failed_; }

  // What getpid() says.
  std::optional<pid_t> process_id;
  // What the wall clock says, since 1970.
  std::optional<std::int64_t> wall_ms;
  // The clocks that were read.
  std::vector<clockid_t> clocks;

  // Of the wrappers: is this the call that fails?
  [[nodiscard]] bool fails(const char* name);
  // Of hiredis, which fails where it is named alone: it is none of the system's.
  [[nodiscard]] bool fails_by_name(const char* name) { return only_ == name && fails(name); }

 private:
  std::optional<std::size_t> left_;
  int error_ = 0;
  std::string only_;
  bool failed_ = false;
  bool lasting_ = false;
};

}  // namespace redlock::test
