// What was not sent in time is never sent: an attempt's takes are written within its time, and none
// after the call has returned.
#pragma once
#include <vector>

#include "sim/record/record.hpp"

namespace redlock::sim {

class InTime {
 public:
  // The record must outlive it.
  explicit InTime(Record& record) : record_(record) {}

  // A take of this client's was carried out.
  void judge(const Origin& origin, const Deed& deed);

 private:
  // When a token's takes were written, whichever the server.
  struct Written {
    std::uint64_t token = 0;
    std::int64_t first_ns = 0;
    std::int64_t last_ns = 0;
  };

  Record& record_;
  std::vector<Written> written_;
};

}  // namespace redlock::sim
