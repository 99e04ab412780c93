// What all commands can be asked.
#include "redlock/algorithm/command.hpp"

#include <array>
#include <type_traits>

namespace redlock {

namespace {

template <class... C>
constexpr std::array<CommandTraits, sizeof...(C)> traits_in(
    std::type_identity<std::variant<C...>>) {
  return {C::kTraits...};
}
constexpr auto kTraits = traits_in(std::type_identity<Command>());

}  // namespace

const CommandTraits& traits_of(const Command& command) { return kTraits[command.index()]; }

LockName lock_name(const Command& command) {
  return std::visit([](const auto& c) { return c.lock(); }, command);
}

std::optional<Command> undo_of(const Command& command) {
  return std::visit(
      [](const auto& c) -> std::optional<Command> {
        using C = std::decay_t<decltype(c)>;
        if constexpr (Acquires<C>) {
          return c.undo();
        } else if constexpr (Removes<C>) {
          return c.again();
        } else {
          static_assert(C::kTraits.effect == Effect::prolongs || C::kTraits.effect == Effect::asks);
          return std::nullopt;
        }
      },
      command);
}

}  // namespace redlock
