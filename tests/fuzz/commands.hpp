// One command of every kind, named by a number that its key carries.
#pragma once
#include <charconv>
#include <string>
#include <string_view>
#include <variant>

#include "redlock/wire/encoder.hpp"

namespace redlock::fuzz {

inline constexpr std::size_t kCommandKinds = std::variant_size_v<Command>;

inline std::string key_of(std::uint64_t id) { return "key" + std::to_string(id); }

// 0 for a key that key_of() did not make.
inline std::uint64_t id_of(std::string_view key) {
  std::uint64_t id = 0;
  if (key.starts_with("key")) std::from_chars(key.data() + 3, key.data() + key.size(), id);
  return id;
}

inline SharedCommand command_of(std::size_t kind, std::uint64_t id) {
  const Resource key(key_of(id));
  const Token token("70" + std::to_string(id));
  const Duration span = Duration::ms(1000);
  const std::string stamp = "1700000000000." + std::to_string(id);
  const auto make = [&]() -> Command {
    switch (kind % kCommandKinds) {
      case 0:
        return SetIfAbsent{key, token, span};
      case 1:
        return ReleaseAndHandOver{key, token};
      case 2:
        return ExtendIfEqual{key, token, span};
      case 3:
        return CheckEqual{key, token};
      case 4:
        return StampAcquire{key, token, span};
      case 5:
        return StampUndo{key, token};
      case 6:
        return StampRelease{key, Token(stamp), span};
      case 7:
        return StampCheck{key, Token(stamp)};
      case 8:
        return CheckEndless{key};
      case 9:
        return Inspect{key};
      case 10:
        return Enqueue{key, token, span, {1'700'000'000'000, "redlock:here", id + 1}};
      default:
        return RotateIfEqual{key, Token("69" + std::to_string(id)), token, span};
    }
  };
  return std::make_shared<const Command>(make());
}

}  // namespace redlock::fuzz
