// The fuzzer's bytes, dealt out from both ends: choices from the back, text from the front.
//
// So a seed reads as the text it feeds, with a few bytes of choices behind it, and a dictionary
// word that the fuzzer inserts stays in one piece. An exhausted input gives zeros and nothing.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace redlock::fuzz {

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size)
      : rest_(reinterpret_cast<const char*>(data), size) {}

  [[nodiscard]] bool empty() const { return rest_.empty(); }

  std::uint8_t choice() {
    if (rest_.empty()) return 0;
    const auto byte = static_cast<std::uint8_t>(rest_.back());
    rest_.remove_suffix(1);
    return byte;
  }
  // Not quite uniform, which does not matter here.
  std::size_t choice(std::size_t count) { return choice() % count; }

  // Eight bytes as they stand.
  template <class Value>
  Value number() {
    static_assert(sizeof(Value) == sizeof(std::uint64_t));
    std::uint64_t bits = 0;
    for (int i = 0; i < 8; ++i) bits = bits << 8U | choice();
    Value value{};
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }

  std::string_view text(std::size_t size_max) {
    const std::string_view front = rest_.substr(0, std::min(size_max, rest_.size()));
    rest_.remove_prefix(front.size());
    return front;
  }

 private:
  std::string_view rest_;
};

}  // namespace redlock::fuzz
