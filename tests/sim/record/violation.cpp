// The names, as they stand in reports and in the documents.
#include "sim/record/violation.hpp"

#include <array>

namespace redlock::sim {

namespace {

constexpr std::array<std::string_view, kViolationKinds> kNames{"two-holders",
                                                               "validity-beyond-expiry",
                                                               "no-distinct-majority",
                                                               "foreign-removed",
                                                               "held-majority-lost",
                                                               "foreign-extended",
                                                               "live-overwritten",
                                                               "no-expiry",
                                                               "outlives-ttl",
                                                               "left-behind",
                                                               "not-undone",
                                                               "undone-late",
                                                               "release-late",
                                                               "unavailable",
                                                               "wrong-reply",
                                                               "over-budget",
                                                               "connection-given-up",
                                                               "connection-misused",
                                                               "sent-too-late",
                                                               "nobody-acquires",
                                                               "endless",
                                                               "removal-lost",
                                                               "wrong-database",
                                                               "parents-touched",
                                                               "trusted-after-release",
                                                               "kept-too-long",
                                                               "wrongly-served",
                                                               "vote-given-away",
                                                               "out-of-order",
                                                               "waits-in-vain",
                                                               "dead-in-line",
                                                               "fence-not-rising"};

}  // namespace

std::string_view name_of(ViolationKind kind) { return kNames[static_cast<std::size_t>(kind)]; }

}  // namespace redlock::sim
