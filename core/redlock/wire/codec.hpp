// RESP: requests in it are written here; replies are read by hiredis, behind bounds that hold
// before hiredis allocates or recurses.
//
// hiredis is named nowhere else. Pure computation on bytes; one thread per reader.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace redlock {

// Of a whole reply as it is encoded, with all its elements.
inline constexpr std::size_t kReplyBytesMax = 64 * 1024;
inline constexpr std::size_t kReplyNestingMax = 4;
inline constexpr std::size_t kReplyElementsMax = 128;

// Appends one command of at least one argument, as an array of bulk strings: byte for byte what
// hiredis formats. That goes through printf, and took a third of the library's own instructions.
void append_command(std::string& out, std::span<const std::string_view> arguments);

enum class RespKind { status, error, integer, bulk, nil, array, other };

struct RespValue {
  RespKind kind = RespKind::other;
  std::int64_t integer = 0;              // of an integer
  std::string text;                      // of a status, an error or a bulk string
  std::vector<RespValue> elements = {};  // of an array
};

// Bytes in, whole replies out. After an error every further call gives that error.
class RespReader {
 public:
  RespReader();
  ~RespReader();
  RespReader(RespReader&&) noexcept;
  RespReader& operator=(RespReader&&) noexcept;

  // `bytes` of any size; they are handed on in slices so that the bounds hold in between.
  void feed(std::string_view bytes);
  // The next whole reply, if there is one.
  [[nodiscard]] std::optional<RespValue> next();
  // Why the stream cannot be read any further; empty while it can.
  [[nodiscard]] const std::string& error() const { return error_; }

 private:
  struct State;
  void feed_slice();
  [[nodiscard]] std::size_t unread() const;
  std::unique_ptr<State> state_;
  std::string backlog_;
  std::size_t backlog_offset_ = 0;
  // Of what hiredis has been handed, the bytes behind the last whole reply.
  std::size_t open_bytes_ = 0;
  std::string error_;
};

// "0.14.1": the version whose headers this library was compiled with.
[[nodiscard]] std::string hiredis_version_built();
// Whose code serves the codec at run time: "linked in" where it is part of this library, else the
// file of the shared library; empty where that cannot be told.
[[nodiscard]] std::string hiredis_origin();

}  // namespace redlock
