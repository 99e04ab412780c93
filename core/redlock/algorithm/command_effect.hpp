// What a command does to its keys, what else sets it apart, and what every command must therefore
// be able to say.
//
// A command states it once, as kTraits, beside its fields. Those who carry commands ask for a
// trait, and never for a type: a new command is one struct and its codec. The concepts are the
// compiler's check of the rule that what acquires has an undo: a command that acquires something
// and does not say how that is removed is no command.
#pragma once
#include <concepts>
#include <cstddef>

#include "redlock/algorithm/lock_name.hpp"

namespace redlock {

enum class Effect {
  acquires,  // it may set a key of ours: undo() removes it
  prolongs,  // what is there may live longer
  removes,   // it may delete a key of ours; harmless where it comes twice, or late
  asks,      // it changes nothing
};

struct CommandTraits {
  Effect effect = Effect::asks;
  // Where it does not acquire at once it leaves an entry in the lock's queue, and is sent again and
  // again: one that was not sent has something to undo all the same, an earlier one.
  bool enqueues = false;
  // The lock may go to the first waiter by it. So its server may hand over a lock by it, too, that
  // nobody here wants any more.
  bool hands_over = false;
  // The lock is over where it fails, so no other attempt is made.
  bool only_chance = false;
  // False: it is one of the server's own commands.
  bool needs_script = true;
  // False: what a replica lacks of it lets nobody in who should stay out. See is_for_replicas().
  bool needs_replicas = true;
  // To one request, in order.
  std::size_t replies = 1;

  // Does it acquire, and another attempt is made where it fails?
  [[nodiscard]] constexpr bool is_retried() const {
    return effect == Effect::acquires && !only_chance;
  }
  [[nodiscard]] constexpr bool fit_together() const {
    return (effect == Effect::acquires || (!enqueues && !only_chance)) &&
           (effect == Effect::removes || !hands_over);
  }
};

template <class C>
concept NamesItsLock = requires(const C& command) {
  { C::kTraits } -> std::convertible_to<CommandTraits>;
  { command.lock() } -> std::same_as<LockName>;
};

template <class C>
concept Removes =
    NamesItsLock<C> && C::kTraits.effect == Effect::removes && requires(const C& command) {
      // Itself, as it may be sent once more by somebody who has stopped looking.
      { command.again() } -> std::same_as<C>;
    };

template <class C>
concept Acquires =
    NamesItsLock<C> && C::kTraits.effect == Effect::acquires && requires(const C& command) {
      { command.undo() } -> Removes;
    };

template <class C>
concept OnlyProlongsOrAsks =
    NamesItsLock<C> && (C::kTraits.effect == Effect::prolongs || C::kTraits.effect == Effect::asks);

template <class C>
concept ContradictsNothing = C::kTraits.fit_together();

template <class C>
concept IsCommand = ContradictsNothing<C> && (Acquires<C> || Removes<C> || OnlyProlongsOrAsks<C>);

}  // namespace redlock
