// The faults' words, and the reason where there is one.
#include "redlock/algorithm/reply.hpp"

namespace redlock {
inline namespace v0 {

std::string_view to_string(Fault fault) {
  switch (fault) {
    case Fault::none:
      return "none";
    case Fault::resolve:
      return "resolve";
    case Fault::refused:
      return "refused";
    case Fault::connect:
      return "unreachable";
    case Fault::tls:
      return "tls";
    case Fault::timeout:
      return "timeout";
    case Fault::closed:
      return "closed";
    case Fault::protocol:
      return "protocol";
    case Fault::auth:
      return "auth";
    case Fault::acl:
      return "denied by ACL";
    case Fault::scripts:
      return "scripts";
    case Fault::readonly:
      return "readonly";
    case Fault::loading:
      return "loading";
    case Fault::oom:
      return "oom";
    case Fault::busy:
      return "busy";
    case Fault::misconf:
      return "misconf";
    case Fault::noreplicas:
      return "noreplicas";
    case Fault::cluster:
      return "cluster";
    case Fault::maxclients:
      return "maxclients";
    case Fault::rejected:
      return "rejected";
    case Fault::foreign:
      return "foreign";
    case Fault::guard:
      return "guard";
    case Fault::bound:
      return "limit";
    case Fault::unanswered:
      return "unanswered";
  }
  return "none";
}

}  // namespace v0

const std::string& Reply::reason() const {
  static const std::string kNone;
  const std::string* const reason = said<std::string>();
  return reason == nullptr ? kNone : *reason;
}

}  // namespace redlock
