// What all commands can be asked.
#include "redlock/algorithm/command.hpp"

#include <type_traits>

namespace redlock {

Effect effect_of(const Command& command) {
  return std::visit([](const auto& c) { return std::decay_t<decltype(c)>::kEffect; }, command);
}

LockName lock_name(const Command& command) {
  return std::visit([](const auto& c) { return c.lock(); }, command);
}

bool is_repeated_take(const Command& command) {
  return std::visit(
      [](const auto& c) {
        using C = std::decay_t<decltype(c)>;
        return requires { C::kRepeated; };
      },
      command);
}

bool is_retried_take(const Command& command) {
  return is_take(command) && std::visit(
                                 [](const auto& c) {
                                   using C = std::decay_t<decltype(c)>;
                                   return !requires { C::kOnlyChance; };
                                 },
                                 command);
}

std::optional<Command> undo_of(const Command& command) {
  return std::visit(
      [](const auto& c) -> std::optional<Command> {
        using C = std::decay_t<decltype(c)>;
        if constexpr (Takes<C>) {
          return c.undo();
        } else if constexpr (Removes<C>) {
          return c.again();
        } else {
          static_assert(C::kEffect == Effect::prolongs || C::kEffect == Effect::asks);
          return std::nullopt;
        }
      },
      command);
}

}  // namespace redlock
