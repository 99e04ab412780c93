// Bounds and times are those of docs/limits.md, which says all of these and no others.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>

#include "redlock/algorithm/entropy.hpp"
#include "redlock/algorithm/fence.hpp"
#include "redlock/algorithm/holding.hpp"
#include "redlock/algorithm/quorum_kind.hpp"
#include "redlock/algorithm/renewal.hpp"
#include "redlock/algorithm/token_rotation.hpp"
#include "redlock/algorithm/validity.hpp"
#include "redlock/client/shared.hpp"
#include "redlock/config/guard_demands.hpp"
#include "redlock/config/tls_draft.hpp"
#include "redlock/config/url.hpp"
#include "redlock/lease/async_releases.hpp"
#include "redlock/lease/renewal_scheduler.hpp"
#include "redlock/lease/renewal_thread.hpp"
#include "redlock/locks/server_plan.hpp"
#include "redlock/net/hedged_requests.hpp"
#include "redlock/net/pool.hpp"
#include "redlock/net/release_tombstones.hpp"
#include "redlock/os/alarm.hpp"
#include "redlock/os/dial.hpp"
#include "redlock/os/process.hpp"
#include "redlock/os/resolver.hpp"
#include "redlock/os/socket.hpp"
#include "redlock/os/tls_context.hpp"
#include "redlock/os/tls_link.hpp"
#include "redlock/queue/line_memory.hpp"
#include "redlock/queue/permit_wait.hpp"
#include "redlock/queue/queued_acquire.hpp"
#include "redlock/queue/several_wait.hpp"
#include "redlock/wire/objection.hpp"
#include "redlock/wire/tls_stream.hpp"

namespace redlock::limits_test {
namespace {

using inner::kWaitSlice;

// By name, as the page writes it.
using Limits = std::map<std::string, std::string>;

template <class Number>
std::string count(Number number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

std::string bytes(std::size_t size) {
  if (size % (1024 * 1024) == 0) return count(size / 1024 / 1024) + " MiB";
  return size % 1024 == 0 ? count(size / 1024) + " KiB" : count(size) + " B";
}

std::string span(Duration span) {
  for (const auto& [unit, name] : {std::pair{Duration::seconds(1), " s"}, {Duration::ms(1), " ms"}})
    if (span.count_ns() % unit.count_ns() == 0)
      return count(span.count_ns() / unit.count_ns()) + name;
  return count(span.count_ns() / 1'000) + " us";
}

#define REDLOCK_LIMIT(kind, name) {#name, kind(name)}

Limits given() {
  return {REDLOCK_LIMIT(count, kNodesMax),
          REDLOCK_LIMIT(bytes, kResourceBytesMax),
          REDLOCK_LIMIT(count, kResourcesTogetherMax),
          REDLOCK_LIMIT(count, kPermitsMax),
          REDLOCK_LIMIT(bytes, kSlotNameBytesMax),
          REDLOCK_LIMIT(bytes, kTokenBytesMax),
          REDLOCK_LIMIT(bytes, kOwnerBytesMax),
          REDLOCK_LIMIT(span, kTimeoutMax),
          REDLOCK_LIMIT(span, kTimeoutDefault),
          REDLOCK_LIMIT(span, kFenceTtlDefault),
          REDLOCK_LIMIT(span, kLongestTtlDefault),
          REDLOCK_LIMIT(count, kReplicasMax),
          REDLOCK_LIMIT(span, kWaitEndsLate),
          REDLOCK_LIMIT(span, kLookAgainAfter),
          REDLOCK_LIMIT(span, kPauseMax),
          REDLOCK_LIMIT(span, kIdleLimitMin),
          REDLOCK_LIMIT(span, kIdleLimitDefault),
          REDLOCK_LIMIT(bytes, kServerTextBytesMax),
          REDLOCK_LIMIT(bytes, kHostBytesMax),
          REDLOCK_LIMIT(bytes, kUnixPathBytesMax),
          REDLOCK_LIMIT(bytes, kCredentialBytesMax),
          REDLOCK_LIMIT(bytes, kClientNameBytesMax),
          REDLOCK_LIMIT(count, kDatabaseMax),
          REDLOCK_LIMIT(bytes, kTlsTextBytesMax),
          REDLOCK_LIMIT(bytes, kTlsPassphraseBytesMax)};
}

Limits connections() {
  return {REDLOCK_LIMIT(count, kConnectionsMax),   REDLOCK_LIMIT(count, kListenersMax),
          REDLOCK_LIMIT(count, kEndpointsKept),    REDLOCK_LIMIT(span, kTidyEvery),
          REDLOCK_LIMIT(span, kIdleLook),          REDLOCK_LIMIT(span, kBackoffFirst),
          REDLOCK_LIMIT(span, kBackoffMax),        REDLOCK_LIMIT(count, kHedgedOneIn),
          REDLOCK_LIMIT(count, kAwaitedMax),       REDLOCK_LIMIT(count, kAwaitedBesidesRemovalsMax),
          REDLOCK_LIMIT(bytes, kQueuedBytesMax),   REDLOCK_LIMIT(bytes, kLookAheadBytes),
          REDLOCK_LIMIT(bytes, kReceiveBytes),     REDLOCK_LIMIT(count, kReceivesMax),
          REDLOCK_LIMIT(bytes, kReplyBytesMax),    REDLOCK_LIMIT(count, kReplyElementsMax),
          REDLOCK_LIMIT(count, kReplyNestingMax),  REDLOCK_LIMIT(bytes, kSearchedBytesMax),
          REDLOCK_LIMIT(bytes, kReasonBytesMax),   REDLOCK_LIMIT(count, kHalfClosedMax),
          REDLOCK_LIMIT(span, kHalfClosedLook),    REDLOCK_LIMIT(span, kLastReadMax),
          REDLOCK_LIMIT(bytes, kReadAtOnceBytes),  REDLOCK_LIMIT(span, kAwake),
          REDLOCK_LIMIT(span, kAlarmedSleep),      REDLOCK_LIMIT(count, kServersCounted),
          REDLOCK_LIMIT(count, kOwnDescriptorsMax)};
}

Limits names_and_tls() {
  return {REDLOCK_LIMIT(count, kAddressesMax),     REDLOCK_LIMIT(span, kAddressShareMax),
          REDLOCK_LIMIT(span, kBusyPause),         REDLOCK_LIMIT(span, kResolvedFor),
          REDLOCK_LIMIT(count, kResolvedNamesMax), REDLOCK_LIMIT(count, kLookUpsMax),
          REDLOCK_LIMIT(count, kTlsContextsMax),   REDLOCK_LIMIT(count, kTlsSessionsMax),
          REDLOCK_LIMIT(span, kTlsTrustedFor),     REDLOCK_LIMIT(bytes, kTlsRecordMax),
          REDLOCK_LIMIT(bytes, kTlsFeedMax),       REDLOCK_LIMIT(count, kTlsFeedsMax),
          REDLOCK_LIMIT(bytes, kTlsOutputMax),     REDLOCK_LIMIT(bytes, kTlsCertificatesMax)};
}

Limits removals_and_lines() {
  return {REDLOCK_LIMIT(count, kCarriedMax),       REDLOCK_LIMIT(span, kCarriedAnswerTime),
          REDLOCK_LIMIT(count, kCarriedAtOnceMax), REDLOCK_LIMIT(count, kRemovalsByTextMax),
          REDLOCK_LIMIT(span, kOwedFor),           REDLOCK_LIMIT(span, kRepeatPause),
          REDLOCK_LIMIT(count, kSetAsideMax),      REDLOCK_LIMIT(count, kReleaseTombstonesMax),
          REDLOCK_LIMIT(span, kUnheardMax),        REDLOCK_LIMIT(span, kHeartbeat),
          REDLOCK_LIMIT(span, kFirstAsksEvery),    REDLOCK_LIMIT(span, kEachPositionAsksLater),
          REDLOCK_LIMIT(span, kOthersAskWithin),   REDLOCK_LIMIT(span, kAfterTheEnd),
          REDLOCK_LIMIT(span, kWaitedFor),         REDLOCK_LIMIT(count, kWaitedMax),
          REDLOCK_LIMIT(count, kNamedInLine),      REDLOCK_LIMIT(span, kTicketOffMax),
          REDLOCK_LIMIT(count, kOffersMax),        REDLOCK_LIMIT(count, kOfferAfterRoundTrips),
          REDLOCK_LIMIT(span, kOfferPauseMin),     REDLOCK_LIMIT(span, kOfferPauseMax),
          REDLOCK_LIMIT(span, kSeveralPauseMin),   REDLOCK_LIMIT(count, kSeveralDoublingsMax),
          REDLOCK_LIMIT(count, kSlotTriesMax),     REDLOCK_LIMIT(span, kSlotPauseMin),
          REDLOCK_LIMIT(span, kSlotPauseMax),      REDLOCK_LIMIT(span, kTooFewFor),
          REDLOCK_LIMIT(span, kTroublePauseFirst), REDLOCK_LIMIT(span, kTroublePauseMax),
          REDLOCK_LIMIT(span, kBriefSubscription), REDLOCK_LIMIT(count, kBriefSubscriptionsMax),
          REDLOCK_LIMIT(span, kRefusedFor),        REDLOCK_LIMIT(count, kTurnedAwayMax),
          REDLOCK_LIMIT(bytes, kBytesAsyncMax),    REDLOCK_LIMIT(span, kPauseAfterSilence),
          REDLOCK_LIMIT(span, kWaitSlice),         REDLOCK_LIMIT(count, kSplitTriesMax)};
}

Limits leases_and_proof() {
  return {REDLOCK_LIMIT(count, kRenewalPart),
          REDLOCK_LIMIT(count, kTroublePart),
          REDLOCK_LIMIT(count, kGridPart),
          REDLOCK_LIMIT(count, kExtendsUnderWayMax),
          REDLOCK_LIMIT(count, kBatchMax),
          REDLOCK_LIMIT(count, kRepairsMax),
          REDLOCK_LIMIT(span, kCrowdedPause),
          REDLOCK_LIMIT(span, kRenewalIdle),
          REDLOCK_LIMIT(count, kStragglersOneIn),
          REDLOCK_LIMIT(count, kTokenRandomBytes),
          REDLOCK_LIMIT(count, kStampFractionDigits),
          REDLOCK_LIMIT(count, kFenceMax),
          REDLOCK_LIMIT(count, kFenceRaisesMax),
          REDLOCK_LIMIT(span, kDriftFloor)};
}

// The page's rows: "| `kName` | value | …".
Limits documented() {
  std::ifstream page(REDLOCK_LIMITS);
  EXPECT_TRUE(page) << REDLOCK_LIMITS;
  Limits limits;
  for (std::string line; std::getline(page, line);) {
    const std::size_t end = line.find("` | ");
    if (!line.starts_with("| `k") || end == std::string::npos) continue;
    const std::size_t value = end + 4;
    limits[line.substr(3, end - 3)] = line.substr(value, line.find(" |", value) - value);
  }
  return limits;
}

TEST(Limits, AreThoseThatAreDocumented) {
  Limits limits;
  for (const Limits& some :
       {given(), connections(), names_and_tls(), removals_and_lines(), leases_and_proof()})
    limits.insert(some.begin(), some.end());
  const Limits page = documented();
  for (const auto& [name, value] : limits)
    EXPECT_EQ(page.contains(name) ? page.at(name) : "nothing", value) << name;
  for (const auto& [name, value] : page)
    EXPECT_TRUE(limits.contains(name)) << name << " is no more";
}

}  // namespace
}  // namespace redlock::limits_test
