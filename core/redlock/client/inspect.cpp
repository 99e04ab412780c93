// What stands under a lock's name: looking at it, taking it over, and taking it away.
#include <algorithm>

#include "redlock/algorithm/holding.hpp"
#include "redlock/algorithm/ids.hpp"
#include "redlock/algorithm/quorum_kind.hpp"
#include "redlock/algorithm/quorum_query.hpp"
#include "redlock/client/blocking_lease.hpp"
#include "redlock/client/shared.hpp"
#include "redlock/locks/server_plan.hpp"
#include "redlock/redlock.hpp"

namespace redlock {
inline namespace v0 {

namespace {

std::optional<Holder> holder_of(const std::optional<Holding>& holding) {
  if (!holding) return std::nullopt;
  Holder holder{std::string(holding->token.view()), std::string(owner_of(holding->token)), {}};
  if (holding->left) holder.left = std::chrono::milliseconds(holding->left->count_ms());
  return holder;
}

View view_of(const LockState& seen) {
  View view{holder_of(seen.holding), seen.waiters, {}, seen.readers};
  for (const Waiter& waiter : seen.line) {
    view.line.push_back({std::string(waiter.token.view()), std::string(owner_of(waiter.token)),
                         std::chrono::milliseconds(waiter.waited.count_ms())});
  }
  return view;
}

}  // namespace

Inspection Client::inspect(std::string_view resource) {
  inner::Shared& shared = inner::alive(shared_);
  const Outcome outcome = shared.ask(
      [&](LockManager& locks) { return locks.begin_inspect(Resource{std::string(resource)}); });
  const std::vector<NodeReport>& reports = outcome.nodes;
  const bool reachable = outcome.decision != Decision::unreachable;
  Inspection inspection{
      reachable, reachable && maybe_held(outcome).empty(), view_of(seen_by_majority(outcome)), {}};
  inspection.votes_needed = outcome.quorum.grants();
  const std::vector<std::string> names = shared.plan()->servers.names();
  const std::vector<Trouble> troubles = shared.troubles_of(outcome);
  for (std::size_t i = 0; i < names.size(); ++i) {
    ServerView& server = inspection.servers.emplace_back(ServerView{names[i], {}, Fault::none, {}});
    if (i < reports.size()) server.view = view_of(seen_by(reports[i]));
    const auto trouble = std::ranges::find(troubles, names[i], &Trouble::server);
    if (server.view.holder || trouble == troubles.end()) continue;
    server.fault = trouble->fault;
    server.reason = trouble->reason;
  }
  return inspection;
}

ForcedRelease Client::force_release(std::string_view resource) {
  inner::Shared& shared = inner::alive(shared_);
  const Resource wanted{std::string(resource)};
  const Outcome seen = shared.ask([&](LockManager& locks) { return locks.begin_inspect(wanted); });
  if (seen.decision == Decision::unreachable) return {seen.decision, shared.troubles_of(seen)};
  const std::vector<Token> tokens = to_take_away(seen);
  const bool left_alone = tokens.empty() && !maybe_held(seen).empty();
  ForcedRelease released{left_alone ? Decision::split : Decision::denied, shared.troubles_of(seen)};
  for (const Token& token : tokens) {
    const Outcome outcome = shared.ask(
        [&](LockManager& locks) { return locks.begin_unlock(wanted, token, LossDetail::each); });
    const Decision became = taken_away(outcome);
    if (became != Decision::denied) released = {became, shared.troubles_of(outcome)};
    if (became != Decision::denied && became != Decision::granted) break;
  }
  return released;
}

Lease Client::attach(const Handle& handle, Milliseconds ttl) {
  inner::Shared& shared = inner::alive(shared_);
  const Duration extended_by = inner::duration_of(ttl);
  const Duration validity = inner::duration_of(handle.validity);
  Resources resources = inner::resources_of(handle.resources);
  if (handle.shared && !resources.single()) {
    throw ArgumentError("a shared handle must have a single resource");
  }
  // It would act for all readers at once.
  if (handle.token == kSharedMark) {
    throw ArgumentError("the handle's token must be a holder's, not the mark of a shared lock");
  }
  Token token{handle.token};
  check_resources(resources);
  check_token(token);
  check_ttl(extended_by, shared.plan()->options);
  if (validity > kTtlMax)
    throw ArgumentError("the handle's validity must be at most 3153600000000 ms");
  auto lease = std::make_shared<inner::BlockingLease>(
      shared_, std::move(resources), extended_by,
      handle.shared ? LockMode::shared : LockMode::exclusive);
  lease->lock().attach(std::move(token), shared.now() + validity, handle.fence);
  if (validity <= Duration()) lease->leave_to_others();
  return Lease(std::move(lease));
}

}  // namespace v0
}  // namespace redlock
