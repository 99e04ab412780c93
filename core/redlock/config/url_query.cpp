// The parameters of Symfony's, Predis' and Laravel's texts.
#include "redlock/config/url_query.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "redlock/config/field_names.hpp"
#include "redlock/config/refusal.hpp"
#include "redlock/config/url_text.hpp"

namespace redlock {

namespace {

constexpr std::string_view kKnown =
    "timeout, connectTimeout, database, dbindex, auth, username, password, host[...] and ssl[...]";

// "name[key]", or a name alone.
struct Parameter {
  std::string name;
  std::string key;
  bool has_key = false;
  std::string value;
};

// It may be a password, whether it is taken or refused.
struct Wiped {
  std::string& value;
  ~Wiped() { wipe(value); }
};

Parameter parameter_of(std::string_view pair) {
  const std::size_t equals = pair.find('=');
  Parameter parameter;
  parameter.name = form_decoded(pair.substr(0, equals));
  if (equals != std::string_view::npos) parameter.value = form_decoded(pair.substr(equals + 1));
  const std::size_t open = parameter.name.find('[');
  if (open != std::string::npos && parameter.name.ends_with(']')) {
    parameter.has_key = true;
    parameter.key = parameter.name.substr(open + 1, parameter.name.size() - open - 2);
    parameter.name.resize(open);
  }
  return parameter;
}

bool showable(std::string_view name) {
  constexpr std::size_t kShownBytesMax = 64;
  return !name.empty() && name.size() <= kShownBytesMax && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  });
}

class QueryReader {
 public:
  QueryReader(std::string_view text, ServerParts& parts)
      // Where an '@' follows, what looks like a query may be a password with a '?' in it.
      : secret_(text.find('@') != std::string_view::npos), parts_(parts) {}

  void take(std::string_view pair) {
    Parameter parameter = parameter_of(pair);
    const Wiped wiped{parameter.value};
    check_new(parameter);
    if (!take_known(parameter)) take_foreign(parameter);
  }

 private:
  [[nodiscard]] std::string shown(std::string_view name) const {
    return !secret_ && showable(name) ? std::string("'").append(name) + "'" : "of this name";
  }

  void check_new(const Parameter& parameter) {
    // auth[]=user&auth[]=password are two.
    const std::string position =
        parameter.name == "auth" && parameter.key.empty() ? std::to_string(auth_count_) : "";
    const bool is_new = seen_.insert(parameter.name + '[' + parameter.key + position).second;
    if (!is_new) refuse("the URL parameter " + shown(parameter.name) + " must not be given twice");
  }

  bool take_known(Parameter& parameter) {
    const std::string& name = parameter.name;
    if (parameter.has_key) {
      if (name == "host") {
        take_host(parameter);
      } else if (name == "auth") {
        take_auth(parameter);
      } else if (name == "ssl" || name == "stream") {
        take_tls(parameter);
      } else {
        return false;
      }
      return true;
    }
    constexpr const char* kDatabaseComplaint = "database must be a number between 0 and 1000000";
    if (name == "timeout") {
      set_timeout(parts_, decimal_seconds(parameter.value), false);
    } else if (name == "connectTimeout") {
      set_connect_timeout(parts_, decimal_seconds(parameter.value));
    } else if (name == "database" || name == "dbindex") {
      set_database(parts_, whole_number(parameter.value, kDatabaseComplaint));
    } else if (name == "auth" || name == "password") {
      set_password(parts_, std::move(parameter.value));
    } else if (name == "username") {
      set_user(parts_, std::move(parameter.value));
    } else {
      return false;
    }
    return true;
  }

  // "host[name:port]"; a socket is "host[/path:]".
  void take_host(const Parameter& parameter) {
    if (parts_.host || parts_.path) refuse_several_hosts();
    if (!parameter.value.empty()) refuse("a host of the URL must not have parameters of its own");
    // It would be shown, and may stand behind a password.
    if (parameter.key.find('@') != std::string::npos) refuse("host must not contain '@' or '/'");
    if (parameter.key.starts_with('/')) {
      parts_.path = parameter.key.ends_with(':') ? parameter.key.substr(0, parameter.key.size() - 1)
                                                 : parameter.key;
      return;
    }
    Authority authority = authority_of(parameter.key);
    parts_.host = std::move(authority.host);
    parts_.port = authority.port;
  }

  // "auth[]=password", or "auth[]=user&auth[]=password": the first is a user once there is a
  // second.
  void take_auth(Parameter& parameter) {
    constexpr const char* kExpected =
        "auth must be a password, or auth[] a user and auth[] a password";
    const std::string position = std::to_string(auth_count_++);
    if (!parameter.key.empty() && parameter.key != position) refuse(kExpected);
    if (auth_count_ > 2) refuse(kExpected);
    if (auth_count_ == 2 && parts_.password) {
      set_user(parts_, std::string(parts_.password->text()));
      parts_.password.reset();
    }
    set_password(parts_, std::move(parameter.value));
  }

  void take_tls(Parameter& parameter) {
    const std::string& option = parameter.key;
    switch (tls_kind(option)) {
      case TlsKind::text:
        return parts_.tls_options.set_text(option, std::move(parameter.value));
      case TlsKind::flag: {
        const std::optional<bool> on = flag_word(parameter.value);
        if (!on && !parameter.value.empty()) refuse(option + " must be 1 or 0");
        if (on) parts_.tls_options.set_flag(option, *on);
        return;
      }
      case TlsKind::methods:
        return parts_.tls_options.set_methods(
            option, whole_number(parameter.value, (option + " must be a number").c_str()));
      case TlsKind::idle:
        return;
      case TlsKind::unknown:
        refuse_tls_option(shown(option));
    }
  }

  void take_foreign(const Parameter& parameter) {
    switch (meaning_of(parameter.name)) {
      case FieldMeaning::idle:
        return;
      case FieldMeaning::several:
        if (parameter.value.empty() || flag_word(parameter.value) == false) return;
        refuse_several(parameter.name);
      case FieldMeaning::prefix:
        if (parameter.value.empty()) return;
        refuse_prefix();
      case FieldMeaning::unknown:
        refuse("there is no URL parameter " + shown(parameter.name) +
               "; only these may stand behind '?': " + std::string(kKnown) +
               (secret_ ? " (a '?' in a password is written %3F)" : ""));
    }
  }

  bool secret_;
  ServerParts& parts_;
  std::set<std::string> seen_;
  int auth_count_ = 0;
};

}  // namespace

void take_query(std::string_view text, ServerParts& parts) {
  QueryReader reader(text, parts);
  while (!text.empty()) {
    const std::size_t end = text.find('&');
    const std::string_view pair = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    if (!pair.empty()) reader.take(pair);
  }
}

}  // namespace redlock
