// What a command does to its keys, and what every command must therefore be able to say.
//
// The concepts are the compiler's check of the rule that what takes has an undo: a command that
// takes something and does not say how that is removed is no command.
#pragma once
#include <concepts>

#include "redlock/algorithm/lock_name.hpp"

namespace redlock {

enum class Effect {
  takes,     // it may set a key of ours: undo() removes it
  prolongs,  // what is there may live longer
  removes,   // it may delete a key of ours; harmless where it comes twice, or late
  asks,      // it changes nothing
};

template <class C>
concept NamesItsLock = requires(const C& command) {
  { C::kEffect } -> std::convertible_to<Effect>;
  { command.lock() } -> std::same_as<LockName>;
};

template <class C>
concept Removes = NamesItsLock<C> && C::kEffect == Effect::removes&& requires(const C& command) {
  // Itself, as it may be sent once more by somebody who has stopped looking.
  { command.again() } -> std::same_as<C>;
};

template <class C>
concept Takes = NamesItsLock<C> && C::kEffect == Effect::takes&& requires(const C& command) {
  { command.undo() } -> Removes;
};

template <class C>
concept IsCommand = Takes<C> || Removes<C> ||
    (NamesItsLock<C> && (C::kEffect == Effect::prolongs || C::kEffect == Effect::asks));

}  // namespace redlock
