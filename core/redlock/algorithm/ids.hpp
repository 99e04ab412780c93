// The names that a lock is made of, as types that never mix.
//
// A resource and a token are both strings on the wire; handing one to a function
// that wants the other is the classic way to write a cleanup that deletes nothing.
// Here it does not compile. Pure values; any thread.
#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace redlock {

inline constexpr std::size_t kNodesMax = 16;
inline constexpr std::size_t kResourceBytesMax = 64 * 1024;
// So many resources are held together at most: a server does nothing else while it looks at them.
inline constexpr std::size_t kResourcesTogetherMax = 16;
inline constexpr std::size_t kTokenBytesMax = 64 * 1024;

// The key under which the lock stands, byte for byte; any bytes, also none.
class Resource {
 public:
  Resource() = default;
  explicit Resource(std::string name) : name_(std::move(name)) {}
  [[nodiscard]] std::string_view view() const { return name_; }
  bool operator==(const Resource&) const = default;
  auto operator<=>(const Resource&) const = default;

 private:
  std::string name_;
};

// The secret value that proves who set the key.
class Token {
 public:
  Token() = default;
  explicit Token(std::string value) : value_(std::move(value)) {}
  [[nodiscard]] std::string_view view() const { return value_; }
  [[nodiscard]] bool empty() const { return value_.empty(); }
  bool operator==(const Token&) const = default;
  auto operator<=>(const Token&) const = default;

 private:
  std::string value_;
};

// What a key holds while readers share the lock, instead of a token: the scripts say it, too.
inline constexpr std::string_view kSharedMark = "redlock:shared";

// A server's position in one manager's list, from 0.
class NodeIndex {
 public:
  constexpr explicit NodeIndex(std::size_t position) : position_(position) {}
  [[nodiscard]] constexpr std::size_t value() const { return position_; }
  constexpr auto operator<=>(const NodeIndex&) const = default;

 private:
  std::size_t position_;
};

}  // namespace redlock
