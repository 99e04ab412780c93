// Settings of opcache, which need not be there.
#include "border/jit.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "border/zend.hpp"

namespace redlock::php {

namespace {

// Empty: there is none. It takes no const.
std::string_view setting(std::string_view name) {
  const char* const text =
      zend_ini_string_ex(const_cast<char*>(name.data()), name.size(), false, nullptr);
  return text == nullptr ? std::string_view() : std::string_view(text);
}

bool is_set(std::string_view name) {
  return zend_ini_long(const_cast<char*>(name.data()), name.size(), false) > 0;
}

}  // namespace

bool jit_is_on() {
  const zval* const sapi = zend_get_constant_str(ZEND_STRL("PHP_SAPI"));
  const bool of_command_line = sapi != nullptr && std::string_view(Z_STRVAL_P(sapi)) == "cli";
  if (!is_set("opcache.enable") || (of_command_line && !is_set("opcache.enable_cli"))) return false;
  if (!is_set("opcache.jit_buffer_size")) return false;
  constexpr std::array<std::string_view, 6> off = {"", "0", "off", "no", "false", "disable"};
  return std::find(off.begin(), off.end(), setting("opcache.jit")) == off.end();
}

}  // namespace redlock::php
