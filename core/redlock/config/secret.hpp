// Text that does not stay in memory when it is done with: passwords, and what carries them.
//
// A file that is dumped, a core or a swapped page, must not tell the passwords of servers that
// were left long ago. Pure values; any thread.
#pragma once
#include <compare>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace redlock {

// Overwrites what nobody will read again; no compiler may leave it out.
inline void wipe(char* bytes, std::size_t size) noexcept { explicit_bzero(bytes, size); }
// Of a string that is done with; its room included, which a shorter text may have left behind.
inline void wipe(std::string& text) noexcept {
  text.resize(text.capacity());
  wipe(text.data(), text.size());
  text.clear();
}

class Secret {
 public:
  Secret() = default;
  // Implicit, because a password is written down as text everywhere.
  Secret(std::string text) {  // NOLINT
    text_.swap(text);
    wipe(text);
  }
  Secret(const char* text) : text_(text) {}  // NOLINT
  Secret(const Secret&) = default;
  Secret(Secret&& other) noexcept : text_(std::move(other.text_)) { wipe(other.text_); }
  Secret& operator=(Secret other) noexcept {
    text_.swap(other.text_);
    return *this;
  }
  ~Secret() { wipe(text_); }

  [[nodiscard]] bool empty() const { return text_.empty(); }
  [[nodiscard]] std::size_t size() const { return text_.size(); }
  [[nodiscard]] const std::string& text() const { return text_; }
  operator std::string_view() const { return text_; }  // NOLINT
  friend bool operator==(const Secret&, const Secret&) = default;
  friend std::strong_ordering operator<=>(const Secret&, const Secret&) = default;

 private:
  std::string text_;
};

// For buffers that secrets pass through: what is given back is empty.
template <class T>
struct WipingAllocator {
  using value_type = T;
  WipingAllocator() = default;
  template <class U>
  WipingAllocator(const WipingAllocator<U>& /*other*/) {}  // NOLINT
  [[nodiscard]] T* allocate(std::size_t count) { return std::allocator<T>().allocate(count); }
  void deallocate(T* memory, std::size_t count) {
    wipe(reinterpret_cast<char*>(memory), count * sizeof(T));
    std::allocator<T>().deallocate(memory, count);
  }
  bool operator==(const WipingAllocator&) const = default;
};
using WipedBuffer = std::basic_string<char, std::char_traits<char>, WipingAllocator<char>>;

}  // namespace redlock
