// LockManager's options by their names.
#include "lease/options.hpp"

#include "border/convert_option.hpp"
#include "border/guard.hpp"
#include "border/text.hpp"
#include "quorum/options.hpp"
#include "redlock/algorithm/quorum_kind.hpp"

namespace redlock::php {

namespace {

Duration long_time_option(std::string_view name, const zval* value, Duration usual) {
  const std::int64_t ms = whole_number_from(option_label(name), value).value_or(usual.count_ms());
  if (ms <= 0) throw ArgumentError(option_label(name) + " must be greater than 0");
  if (ms > kTtlMax.count_ms()) {
    throw ArgumentError(option_label(name) + " must be at most 3153600000000 ms");
  }
  return Duration::ms(ms);
}

bool kept_at_end_option(std::string_view name, const zval* value) {
  const std::string what = text_from(option_label(name), value);
  if (what == "release") return false;
  if (what == "keep") return true;
  throw ArgumentError(option_label(name) + " must be 'release' or 'keep', " + in_quotes(what) +
                      " given");
}

std::string_view owner_option(std::string_view name, const zval* value) {
  const std::string owner = text_from(option_label(name), value);
  if (owner.empty()) throw ArgumentError(option_label(name) + " must not be empty");
  if (owner.size() > kOwnerBytesMax) {
    throw ArgumentError(option_label(name) + " must be at most 256 bytes long");
  }
  ZVAL_DEREF(value);
  return view_of(Z_STR_P(value));
}

Guard guard_option(std::string_view name, const zval* value) {
  ZVAL_DEREF(value);
  if (Z_TYPE_P(value) == IS_TRUE) return Guard::all();
  if (Z_TYPE_P(value) == IS_FALSE || Z_TYPE_P(value) == IS_NULL) return {};
  if (Z_TYPE_P(value) != IS_ARRAY) {
    refuse_type(option_label(name), "bool or an array of its parts", value);
  }
  Guard guard;
  const zval* part = nullptr;
  ZEND_HASH_FOREACH_VAL(Z_ARRVAL_P(value), part) {
    const std::string text = text_from(option_label(name), part);
    if (!add_guard_part(guard, text)) {
      throw ArgumentError(option_label(name) + " must have parts among " +
                          std::string(kGuardParts) + ", " + in_quotes(text) + " given");
    }
  }
  ZEND_HASH_FOREACH_END();
  return guard;
}

// The options of every lease, however it comes about.
bool take_lease_option(LeaseTerms& into, std::string_view name, const zval* value) {
  if (name == "keepAlive") {
    into.keep_alive = flag_from(option_label(name), value);
  } else if (name == "interrupt") {
    into.interrupt = flag_from(option_label(name), value);
  } else if (name == "fence") {
    into.fence = flag_from(option_label(name), value);
  } else if (name == "atEnd") {
    into.kept_at_end = kept_at_end_option(name, value);
  } else {
    return false;
  }
  return true;
}

}  // namespace

void take_manager_options(ManagerOptions& into, HashTable* options) {
  for_each_option(options, [&into](std::string_view name, const zval* value) {
    if (name == "retryDelay") {
      into.retry_delay_ms =
          whole_number_from(option_label(name), value).value_or(into.retry_delay_ms);
    } else if (name == "line") {
      into.in_line = flag_from(option_label(name), value);
    } else if (name == "keepAliveMax") {
      into.renew_max = long_time_option(name, value, into.renew_max);
    } else if (name == "fenceTtl") {
      into.lock.fence_ttl = long_time_option(name, value, into.lock.fence_ttl);
    } else if (name == "guard") {
      into.lock.guard = guard_option(name, value);
    } else if (name == "longestTtl") {
      into.lock.longest_ttl = long_time_option(name, value, into.lock.longest_ttl);
    } else if (name == "replicas") {
      into.lock.replicas = whole_number_from(option_label(name), value).value_or(0);
    } else if (name != "onEvent") {  // which find_handler() has judged
      return take_lock_option(into.lock, name, value);
    }
    return true;
  });
  // The plan judges it.
  into.lock.retry = RetryPolicy::jittered(1, into.retry_delay_ms);
}

void take_acquire_options(LeaseTerms& into, HashTable* options) {
  for_each_option(options, [&into](std::string_view name, const zval* value) {
    if (name == "owner") {
      into.owner = owner_option(name, value);
    } else if (name == "reentrant") {
      into.reentrant = flag_from(option_label(name), value);
    } else {
      return take_lease_option(into, name, value);
    }
    return true;
  });
}

void take_attach_options(LeaseTerms& into, HashTable* options) {
  for_each_option(options, [&into](std::string_view name, const zval* value) {
    if (name == "owner" || name == "reentrant") {
      throw ArgumentError(option_label(name) +
                          " is an option of acquire() and synchronized() only");
    }
    if (name != "ttl") return take_lease_option(into, name, value);
    const std::optional<std::int64_t> ms = whole_number_from(option_label(name), value);
    if (ms) into.ttl = Duration::ms(*ms);
    return true;
  });
}

}  // namespace redlock::php
