// One look-up of a host name on its way: hosts file, search domains and name servers, as c-ares
// does it. c-ares is named nowhere else.
//
// Nothing here blocks or starts a thread: whoever polls, polls the look-up's sockets too and drives
// it. Each look-up has a channel of its own, so the system's files (/etc/resolv.conf,
// /etc/nsswitch.conf, /etc/hosts) are read for each, and whatever is given up is given up alone. A
// child process lets go of its parent's look-ups by destroying them: that sends nothing, and closes
// the child's copies of the sockets only. One thread.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "redlock/algorithm/time.hpp"
#include "redlock/os/address.hpp"

struct pollfd;

namespace redlock {

// Where names are looked up; what is empty is as the system says. For tests.
struct NameSources {
  std::string servers;      // "127.0.0.1:5353,[::1]:53"
  std::string resolv_conf;  // a file in the form of /etc/resolv.conf
};

class LookUp {
 public:
  // May be done at once. Throws std::bad_alloc.
  LookUp(const NameSources& sources, const std::string& host, std::uint16_t port);
  LookUp(const LookUp&) = delete;
  LookUp& operator=(const LookUp&) = delete;
  ~LookUp();

  [[nodiscard]] bool done() const;
  // Requires done().
  [[nodiscard]] const Resolution& result() const;
  // Appends the sockets to poll; none once it is done.
  void watch(std::vector<pollfd>& polled) const;
  // How long it may be left alone though no socket is ready.
  [[nodiscard]] std::optional<Duration> patience() const;
  // Reads what has come, and asks again or gives up where its own time is over.
  void drive();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The version of the c-ares that runs, as "1.18.1".
[[nodiscard]] std::string cares_version();

}  // namespace redlock
