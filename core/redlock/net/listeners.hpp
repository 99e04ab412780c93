// The listeners of a pool, one a node, beside the nodes: opened when the first operation that
// listens needs that server, shared by all that listen to it, closed when nobody has for long.
//
// Who listens is asked anew in every turn and not counted: an operation may stop at any time, by an
// exception too. While nobody does, nothing is read, sent or waited for.
// Invariants: at most kListenersMax; one that somebody listens to is never closed to make room.
// One thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "redlock/algorithm/entropy.hpp"
#include "redlock/algorithm/line.hpp"
#include "redlock/net/listener.hpp"
#include "redlock/net/node.hpp"
#include "redlock/os/transport.hpp"

namespace redlock {

inline constexpr std::size_t kListenersMax = 256;

class Listeners {
 public:
  // Both must outlive it.
  Listeners(Transport& transport, Entropy& entropy) : transport_(transport), entropy_(entropy) {}

  // What came of all that was read and sent is taken notice of, and from now on nobody listens but
  // who says so.
  void begin_turn(Instant now) noexcept;
  // What there is to be told of a node. `change` differs whenever one subscription state follows
  // another.
  struct News {
    std::uint64_t change = 0;
    const SubscriptionState* subscription_state = nullptr;  // null: nothing yet
  };
  // Somebody listens to it, and a connection that is silent for `idle_limit` may be forgotten on
  // its way. Throws std::bad_alloc.
  News want(const std::shared_ptr<Node>& node, Duration idle_limit, Instant now);
  // Somebody begins to listen to these, all of them wanted in this turn: where fewer than `enough`
  // can be heard, what is left alone after some trouble is asked anew at once.
  void hurry(std::span<const std::shared_ptr<Node>> nodes, std::size_t enough) noexcept;
  // Opens and keeps alive what is wanted in this turn.
  void attend(Instant now) noexcept;
  // Has anything come since that is to be told?
  [[nodiscard]] bool has_news() const;
  // `offer(node, push)` takes what was pushed, one after the other.
  template <class Offer>
  void hand_on(Offer offer) noexcept {
    for (const auto& slot : slots_) {
      for (const Push& push : slot->pushes) offer(slot->node, push);
      slot->pushes.clear();
    }
  }

  enum class Scope { wanted, all };
  // True: of one of them bytes have come already that no polling shows.
  bool add_interests(Scope scope, std::vector<Interest>& interests);
  // Those that add_interests() has added last.
  void on_ready(std::span<const Interest> interests, Instant now) noexcept;
  // Does anybody?
  [[nodiscard]] bool listens_to(const Node& node) const;
  // Of those that are wanted.
  [[nodiscard]] bool overdue(Instant now) const;
  bool on_time(Instant now) noexcept;
  [[nodiscard]] std::optional<Instant> next_deadline() const;

  // Lets go of those that nobody has listened to since `before`.
  void close_idle(Instant before) noexcept;
  void close_all() noexcept;
  // They belong to the parent process.
  void forget_all() noexcept;
  [[nodiscard]] bool empty() const { return slots_.empty(); }
  // Those with a connection.
  [[nodiscard]] std::size_t connection_count() const;

 private:
  struct Slot {
    Slot(std::shared_ptr<Node> listened_to, Transport& transport, Entropy& entropy);
    std::shared_ptr<Node> node;
    Listener listener;
    Listener::Events pushes;
    std::uint64_t wanted_in = 0;  // the latest turn in which somebody listened
    Instant wanted_at;
  };

  [[nodiscard]] bool is_wanted(const Slot& slot) const { return slot.wanted_in == turn_; }
  // Null where there is no room.
  Slot* slot_of(const std::shared_ptr<Node>& node);
  void make_room();
  template <class IsDone>
  void close_if(IsDone is_done) noexcept;

  Transport& transport_;
  Entropy& entropy_;
  std::uint64_t turn_ = 1;
  bool changed_ = false;  // since the turn began
  std::vector<std::unique_ptr<Slot>> slots_;
  std::vector<Slot*> polled_;
  Scope polled_scope_ = Scope::all;
};

}  // namespace redlock
