// The options of TLS as a configuration names them, one by one, and what they mean together.
//
// The names are those of PHP's stream contexts. Pure; throws ArgumentError, which names the option
// and never shows its value.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "redlock/config/tls_options.hpp"

namespace redlock {

inline constexpr std::size_t kTlsTextBytesMax = 4096;
inline constexpr std::size_t kTlsPassphraseBytesMax = 1024;

// What an option of this name is given as.
enum class TlsKind {
  unknown,
  text,
  flag,
  methods,  // PHP's STREAM_CRYPTO_METHOD_*_CLIENT, or several of them
  idle,     // harmless here, whatever its value
};
[[nodiscard]] TlsKind tls_kind(std::string_view name);
[[noreturn]] void refuse_tls_option(const std::string& shown_name);

class TlsDraft {
 public:
  // Whether any option was given that has a meaning without TLS neither.
  [[nodiscard]] bool given() const { return given_; }
  // An empty text is an option that is not given. Each function requires a name of its kind.
  void set_text(std::string_view name, std::string text);
  void set_flag(std::string_view name, bool on);
  // Refuses sets without TLS 1.2: nothing older is spoken, and nothing newer alone.
  void set_methods(std::string_view name, std::int64_t methods);
  // Throws where they do not fit together.
  [[nodiscard]] TlsOptions options() const;

 private:
  TlsOptions options_;
  bool allow_self_signed_ = false;
  bool given_ = false;
};

// Texts that no file, host or list can have, and a key for no certificate. Throws ArgumentError.
void check_tls(const TlsOptions& options);

}  // namespace redlock
