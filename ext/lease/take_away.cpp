// One inspection, and a removal for each token that it may be held by.
#include "lease/take_away.hpp"

#include <optional>
#include <vector>

#include "lease/inspect.hpp"
#include "redlock/algorithm/quorum_query.hpp"

namespace redlock::php {

namespace {

// Zend's own: a signal handler may inspect something else through the same object meanwhile.
void put_tokens(zval* into, const std::vector<Token>& tokens) {
  array_init(into);
  for (const Token& token : tokens) {
    add_next_index_stringl(into, token.view().data(), token.view().size());
  }
}

// Granted, denied, or nothing: an exception is pending.
std::optional<Decision> remove_one(Locks& locks, const zval* resource, std::string_view method,
                                   const zval* token) {
  QuorumRequest asked{QuorumVerb::unlock, method, {}, resource};
  asked.token = {Z_STRVAL_P(token), Z_STRLEN_P(token)};
  asked.detail = LossDetail::each;
  QuorumCall call(locks, asked);
  if (!ask(call)) return std::nullopt;
  const Decision became = taken_away(locks.outcome);
  if (became == Decision::granted || became == Decision::denied) return became;
  throw_unreachable(call);
  return std::nullopt;
}

}  // namespace

void take_away(zval* return_value, Locks& locks, const zval* resource, std::string_view method) {
  if (!inspect(locks, resource, method, Unreachable::thrown)) return;
  if (locks.to_take_away.empty() && !locks.decided) return throw_undecided(locks, resource, method);
  zval tokens;
  put_tokens(&tokens, locks.to_take_away);
  bool certain = true;
  bool taken = false;
  zval* token = nullptr;
  ZEND_HASH_FOREACH_VAL(Z_ARRVAL(tokens), token) {
    const std::optional<Decision> became = remove_one(locks, resource, method, token);
    certain = became.has_value();
    taken = taken || became == Decision::granted;
    if (!certain) break;
  }
  ZEND_HASH_FOREACH_END();
  zval_ptr_dtor(&tokens);
  if (certain) RETURN_BOOL(taken);
}

}  // namespace redlock::php
