// Which faults are permanent, and how many of them.
#include "redlock/algorithm/permanent_trouble.hpp"

namespace redlock {

namespace {

enum class Lasts { briefly, maybe, forever };

Lasts how_long(const Reply& reply) {
  switch (reply.fault) {
    case Fault::auth:
    case Fault::acl:
    case Fault::scripts:
    case Fault::protocol:
    case Fault::tls:
      return Lasts::forever;
    case Fault::readonly:
    case Fault::rejected:
      return Lasts::maybe;
    case Fault::cluster:
    case Fault::guard:
      return reply.passes ? Lasts::briefly : Lasts::maybe;
    default:
      return Lasts::briefly;
  }
}

}  // namespace

bool PermanentTrouble::bars(QuorumRule quorum, const std::vector<NodeReport>& latest, Instant now) {
  std::size_t forever = 0;
  std::size_t lasting = 0;
  std::size_t silent = 0;
  for (const NodeReport& report : latest) {
    if (!report.answered) {
      ++silent;
    } else if (report.reply.answer == Answer::unknown) {
      const Lasts lasts = how_long(report.reply);
      forever += lasts == Lasts::forever ? 1 : 0;
      lasting += lasts != Lasts::briefly ? 1 : 0;
    }
  }
  if (quorum.fails_without(forever)) return true;
  if (!quorum.fails_without(lasting + silent)) since_.reset();
  if (!quorum.fails_without(lasting)) return false;
  if (!since_) since_ = now;
  return now - *since_ >= kFailOverMax;
}

}  // namespace redlock
