// LockManager's methods that look at a lock, whoever holds it, or take it away.
#include "border/object.hpp"
#include "lease/inspect.hpp"
#include "lease/take_away.hpp"
#include "redlock/algorithm/quorum_kind.hpp"

namespace {

using namespace redlock;
using namespace redlock::php;
using LockManagerObject = ObjectOf<std::shared_ptr<Locks>>;

// Of a method whose only argument is a resource. Null: an exception is pending.
Locks* parse_about(INTERNAL_FUNCTION_PARAMETERS, zval* resource) {
  (void)return_value;
  zend_string* name = nullptr;
  zend_long number = 0;
  ZEND_PARSE_PARAMETERS_START(1, 1)
  Z_PARAM_STR_OR_LONG(name, number)
  ZEND_PARSE_PARAMETERS_END_EX(return nullptr);
  if (name != nullptr) {
    ZVAL_STR(resource, name);
  } else {
    ZVAL_LONG(resource, number);
  }
  const std::shared_ptr<Locks>* const locks = LockManagerObject::initialised(ZEND_THIS);
  return locks == nullptr ? nullptr : locks->get();
}

}  // namespace

PHP_METHOD(RedLock_LockManager, inspect) {
  zval resource;
  Locks* const locks = parse_about(INTERNAL_FUNCTION_PARAM_PASSTHRU, &resource);
  if (locks == nullptr) RETURN_THROWS();
  constexpr std::string_view kMethod = "RedLock\\LockManager::inspect()";
  if (!inspect(*locks, &resource, kMethod, Unreachable::told)) RETURN_THROWS();
  put_inspection(return_value, *locks, &resource);
}

PHP_METHOD(RedLock_LockManager, owner) {
  zval resource;
  Locks* const locks = parse_about(INTERNAL_FUNCTION_PARAM_PASSTHRU, &resource);
  if (locks == nullptr) RETURN_THROWS();
  constexpr std::string_view kMethod = "RedLock\\LockManager::owner()";
  if (!inspect(*locks, &resource, kMethod, Unreachable::thrown)) RETURN_THROWS();
  if (!locks->decided) return throw_undecided(*locks, &resource, kMethod);
  const std::optional<Holding>& holding = locks->of_majority.holding;
  if (!holding) RETURN_NULL();
  const std::string_view owner = owner_of(holding->token);
  const std::string_view shown = owner.empty() ? holding->token.view() : owner;
  RETURN_STRINGL(shown.data(), shown.size());
}

PHP_METHOD(RedLock_LockManager, forceRelease) {
  zval resource;
  Locks* const locks = parse_about(INTERNAL_FUNCTION_PARAM_PASSTHRU, &resource);
  if (locks == nullptr) RETURN_THROWS();
  take_away(return_value, *locks, &resource, "RedLock\\LockManager::forceRelease()");
}
