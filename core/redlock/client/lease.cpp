// Leases and what keeps them alive, as their users hold them.
#include "redlock/client/held.hpp"
#include "redlock/redlock.hpp"

namespace redlock {
inline namespace v0 {

Lease::Lease(std::shared_ptr<inner::Held> held) noexcept : held_(std::move(held)) {}

Lease::Lease(Lease&& other) noexcept = default;

Lease& Lease::operator=(Lease&& other) noexcept {
  if (this == &other) return *this;
  if (held_) held_->drop();
  held_ = std::move(other.held_);
  return *this;
}

Lease::~Lease() {
  if (held_) held_->drop();
}

std::string_view Lease::resource() const noexcept {
  return held_ ? held_->resource() : std::string_view();
}

std::string_view Lease::token() const noexcept {
  return held_ ? held_->token() : std::string_view();
}

std::chrono::milliseconds Lease::remaining() const noexcept {
  return std::chrono::milliseconds(held_ ? held_->left().count_ms() : 0);
}

bool Lease::live() const noexcept { return held_ && held_->left() > Duration(); }

bool Lease::extend(Milliseconds ttl) { return held_ && held_->extend(inner::duration_of(ttl)); }

bool Lease::shorten(Milliseconds ttl) { return held_ && held_->shorten(inner::duration_of(ttl)); }

bool Lease::confirm() { return held_ && held_->confirm(); }

bool Lease::release(std::vector<Trouble>* troubles) { return held_ && held_->release(troubles); }

KeepAlive Lease::keep_alive(Milliseconds max) {
  if (held_) return {held_, held_->begin_renewal(inner::duration_of(max))};
  std::stop_source loss;
  (void)loss.request_stop();
  return {nullptr, loss.get_token()};
}

KeepAlive::KeepAlive(std::shared_ptr<inner::Held> held, std::stop_token lost) noexcept
    : held_(std::move(held)), lost_(std::move(lost)) {}

KeepAlive::KeepAlive(KeepAlive&& other) noexcept = default;

KeepAlive& KeepAlive::operator=(KeepAlive&& other) noexcept {
  if (this == &other) return *this;
  if (held_) held_->end_renewal(lost_);
  held_ = std::move(other.held_);
  lost_ = std::move(other.lost_);
  return *this;
}

KeepAlive::~KeepAlive() {
  if (held_) held_->end_renewal(lost_);
}

}  // namespace v0
}  // namespace redlock
