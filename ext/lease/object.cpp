// How a Lease object begins and ends.
#include "lease/object.hpp"

#include <system_error>
#include <utility>

#include "border/exceptions.hpp"
#include "border/guard.hpp"
#include "border/text.hpp"

namespace redlock::php {

zend_class_entry* lease_class = nullptr;

bool LeaseState::leave() noexcept {
  if (over_) return false;
  over_ = true;
  std::erase(shared_->users, object_);
  return shared_->users.empty();
}

// What was there before goes last, out of reach.
void LeaseState::set_errors(const zval& errors) noexcept {
  zval old = std::exchange(errors_, errors);
  zval_ptr_dtor(&old);
}

void LeaseState::forget_errors() noexcept { set_errors({}); }

void LeaseState::note_errors(const QuorumState& state) {
  zval errors{};
  const bool any = !state.troubles.empty() || !state.line_troubles.empty() || !state.remark.empty();
  if (any) put_errors(&errors, state);
  set_errors(errors);
}

void LeaseState::go() noexcept {
  if (over_) return;
  request_ends() && shared_->kept_at_end() ? transfer() : give_back();
}

// The opcode behind the call looks at what it returned, as at a condition, and frees it. Nobody
// else was given it, and no code of the frame has run in between.
bool LeaseState::dies_unused() const noexcept {
  zend_execute_data* const frame = EG(current_execute_data);
  if (over_ || returned_to_ == nullptr || frame != returned_to_) return false;
  const zend_op* const now = frame->opline;
  if (now == returned_at_) return now->result_type == IS_UNUSED;
  const auto is_result = [this](std::uint8_t type, znode_op operand) {
    return (type & (IS_TMP_VAR | IS_VAR)) != 0 && operand.var == returned_at_->result.var;
  };
  if (now != returned_at_ + 1) return false;
  if (!is_result(now->op1_type, now->op1) && !is_result(now->op2_type, now->op2)) return false;
  switch (now->opcode) {
    case ZEND_JMPZ:
    case ZEND_JMPNZ:
    case ZEND_JMPZ_EX:
    case ZEND_JMPNZ_EX:
    case ZEND_BOOL:
    case ZEND_BOOL_NOT:
    case ZEND_TYPE_CHECK:
    case ZEND_IS_IDENTICAL:
    case ZEND_IS_NOT_IDENTICAL:
    case ZEND_IS_EQUAL:
    case ZEND_IS_NOT_EQUAL:
    case ZEND_INSTANCEOF:
    case ZEND_FREE:
      return true;
    default:
      return false;
  }
}

void LeaseState::give_back() noexcept {
  if (!leave()) return;
  if (shared_->lock().is_shared()) {
    shared_->end(HeldLock::End::transferred);
  } else {
    shared_->give_back();
  }
}

bool LeaseState::begin_release() {
  if (!leave()) return false;
  shared_->end(HeldLock::End::released);
  return true;
}

void LeaseState::transfer() noexcept {
  if (over_) return;
  shared_->note_transferred();
  if (leave()) shared_->end(HeldLock::End::transferred);
}

namespace {

// A suspended one is unwound. Whether code of a shutdown function let go of it cannot be seen.
bool fiber_ends_with_request() {
  const bool unwinds = EG(exception) != nullptr && zend_is_graceful_exit(EG(exception));
  return unwinds && (EG(flags) & EG_FLAGS_IN_SHUTDOWN) != 0;
}

}  // namespace

// Whatever goes while code runs is let go by that code, also in a shutdown function or a
// destructor; what is left, and what exit() unwinds, ends with the request.
bool LeaseState::request_ends() {
  if (EG(exception) != nullptr && zend_is_unwind_exit(EG(exception))) return true;
  if (fiber_ends_with_request()) return true;
  return (EG(flags) & EG_FLAGS_IN_SHUTDOWN) != 0 && EG(current_execute_data) == nullptr;
}

void make_lease(zval* into) { object_init_ex(into, lease_class); }

void keep_manager(const zval* lease, const Locks& locks) {
  zend_object* const manager = locks.events.manager();
  if (manager != nullptr) ZVAL_OBJ_COPY(LeaseObject::kept_by(Z_OBJ_P(lease)), manager);
}

// The properties stand in the order of their declaration.
void name_lease(const zval* lease, const zval* resource) {
  LeaseState* const state = LeaseObject::state_of(Z_OBJ_P(lease));
  const std::string_view token = state->shared().lock().token().view();
  state->set_resource(resource);
  ZVAL_COPY(OBJ_PROP_NUM(Z_OBJ_P(lease), 0), resource);
  ZVAL_STRINGL(OBJ_PROP_NUM(Z_OBJ_P(lease), 1), token.data(), token.size());
  const std::optional<std::int64_t> fence = state->shared().lock().fence();
  zval* const shown = OBJ_PROP_NUM(Z_OBJ_P(lease), 2);
  ZVAL_NULL(shown);
  if (fence) ZVAL_LONG(shown, static_cast<zend_long>(*fence));
}

void rename_leases(const SharedLease& lease, zend_string* token) noexcept {
  for (zend_object* const object : lease.users) {
    zval* shown = OBJ_PROP_NUM(object, 1);
    ZVAL_DEREF(shown);
    // What somebody has written there may run code of his when it goes, in the midst of this.
    if (Z_TYPE_P(shown) != IS_STRING) continue;
    zend_string* const old = Z_STR_P(shown);
    ZVAL_STR_COPY(shown, token);
    zend_string_release(old);
  }
}

void renumber_leases(const SharedLease& lease) noexcept {
  if (!lease.lock().fence()) return;
  for (zend_object* const object : lease.users) {
    zval* shown = OBJ_PROP_NUM(object, 2);
    ZVAL_DEREF(shown);
    if (Z_TYPE_P(shown) == IS_LONG) ZVAL_LONG(shown, static_cast<zend_long>(*lease.lock().fence()));
  }
}

bool keep_lease(const zval* lease, const LeaseTerms& terms) {
  LeaseState* const state = LeaseObject::state_of(Z_OBJ_P(lease));
  char trouble[256] = "";
  const bool asked = guarded({}, [&] {
    try {
      state->shared().keep(terms);
    } catch (const std::system_error& error) {
      park(trouble, std::string("the lease cannot be kept alive: ") + error.what());
    }
  });
  if (asked && trouble[0] == '\0') return true;
  state->give_back();
  if (asked) zend_throw_exception(keep_alive_exception_class, trouble, 0);
  return false;
}

}  // namespace redlock::php
