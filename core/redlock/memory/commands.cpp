// The commands on keys, with the texts of Redis 7.0.
#include <limits>

#include "redlock/memory/server.hpp"

namespace redlock::memory {

namespace {

// How SET's options read.
struct SetOptions {
  bool only_absent = false;
  bool only_present = false;
  bool keep_ttl = false;
  bool has_expiry = false;
  bool expiry_is_absolute = false;
  std::string_view expiry;
  std::int64_t unit_ms = 1;
};

bool parse_set_options(const Arguments& arguments, SetOptions& options) {
  for (std::size_t i = 3; i < arguments.size(); ++i) {
    const std::string_view word = arguments[i];
    const bool more = i + 1 < arguments.size();
    if (equals_ignoring_case(word, "nx") && !options.only_present) {
      options.only_absent = true;
    } else if (equals_ignoring_case(word, "xx") && !options.only_absent) {
      options.only_present = true;
    } else if (equals_ignoring_case(word, "keepttl") && !options.has_expiry) {
      options.keep_ttl = true;
    } else if (more && !options.has_expiry && !options.keep_ttl &&
               (equals_ignoring_case(word, "px") || equals_ignoring_case(word, "ex") ||
                equals_ignoring_case(word, "pxat"))) {
      options.has_expiry = true;
      options.expiry_is_absolute = word.size() == 4;
      options.unit_ms = equals_ignoring_case(word, "ex") ? 1000 : 1;
      options.expiry = arguments[++i];
    } else {
      return false;
    }
  }
  return true;
}

// From now_ms and a span to the moment of expiry; false when it cannot be said in 64 bits.
bool add_span(std::int64_t now_ms, std::int64_t span, std::int64_t unit_ms, std::int64_t& at_ms) {
  std::int64_t span_ms = 0;
  return !__builtin_mul_overflow(span, unit_ms, &span_ms) &&
         !__builtin_add_overflow(now_ms, span_ms, &at_ms);
}

}  // namespace

bool Server::find_typed(std::string_view name, ValueType type, const Entry*& entry,
                        std::string& out) {
  entry = keyspace_.find(session_->database, name);
  if (entry == nullptr || entry->type == type) return true;
  append_error(out, "WRONGTYPE Operation against a key holding the wrong kind of value");
  return false;
}

void Server::store(std::string_view name, std::string_view value,
                   std::optional<std::int64_t> expires_ms) {
  keyspace_.put(Entry{session_->database, std::string(name), std::string(value), ValueType::string,
                      expires_ms});
}

void Server::get(const Arguments& arguments, std::string& out) {
  const Entry* entry = nullptr;
  if (!find_string(arguments[1], entry, out)) return;
  if (entry == nullptr) return append_nil(out);
  append_bulk(out, entry->value);
}

void Server::set(const Arguments& arguments, std::string& out) {
  SetOptions options;
  if (!parse_set_options(arguments, options)) return append_error(out, "ERR syntax error");
  std::optional<std::int64_t> expires_ms;
  if (options.has_expiry) {
    std::int64_t span = 0;
    std::int64_t at_ms = 0;
    if (!parse_integer(options.expiry, span)) return append_error(out, kNoInteger);
    const std::int64_t from_ms = options.expiry_is_absolute ? 0 : keyspace_.now_ms();
    if (span <= 0 || !add_span(from_ms, span, options.unit_ms, at_ms)) {
      return append_error(out, "ERR invalid expire time in 'set' command");
    }
    expires_ms = at_ms;
  }
  const Entry* entry = keyspace_.find(session_->database, arguments[1]);
  if (entry == nullptr ? options.only_present : options.only_absent) return append_nil(out);
  if (options.keep_ttl && entry != nullptr) expires_ms = entry->expires_ms;
  store(arguments[1], arguments[2], expires_ms);
  append_status(out, "OK");
}

void Server::setnx(const Arguments& arguments, std::string& out) {
  if (keyspace_.find(session_->database, arguments[1]) != nullptr) return append_integer(out, 0);
  store(arguments[1], arguments[2]);
  append_integer(out, 1);
}

void Server::getset(const Arguments& arguments, std::string& out) {
  const Entry* entry = nullptr;
  if (!find_string(arguments[1], entry, out)) return;
  if (entry == nullptr) {
    append_nil(out);
  } else {
    append_bulk(out, entry->value);
  }
  store(arguments[1], arguments[2]);
}

void Server::del(const Arguments& arguments, std::string& out) {
  std::int64_t count = 0;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    if (keyspace_.erase(session_->database, arguments[i])) ++count;
  }
  append_integer(out, count);
}

void Server::exists(const Arguments& arguments, std::string& out) {
  std::int64_t count = 0;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    if (keyspace_.find(session_->database, arguments[i]) != nullptr) ++count;
  }
  append_integer(out, count);
}

void Server::pttl(const Arguments& arguments, std::string& out) {
  const Entry* entry = keyspace_.find(session_->database, arguments[1]);
  if (entry == nullptr) return append_integer(out, -2);
  if (!entry->expires_ms) return append_integer(out, -1);
  append_integer(out, *entry->expires_ms - keyspace_.now_ms());
}

void Server::expire_in(const Arguments& arguments, std::int64_t unit_ms, std::string_view verb,
                       std::string& out) {
  std::int64_t span = 0;
  std::int64_t at_ms = 0;
  if (arguments.size() > 3) {
    return append_error(out, "ERR Unsupported option " + std::string(arguments[3]));
  }
  if (!parse_integer(arguments[2], span)) return append_error(out, kNoInteger);
  if (!add_span(keyspace_.now_ms(), span, unit_ms, at_ms)) {
    return append_error(out, "ERR invalid expire time in '" + std::string(verb) + "' command");
  }
  if (keyspace_.find(session_->database, arguments[1]) == nullptr) return append_integer(out, 0);
  if (at_ms <= keyspace_.now_ms()) {
    keyspace_.erase(session_->database, arguments[1]);
  } else {
    keyspace_.set_expiry(session_->database, arguments[1], at_ms);
  }
  append_integer(out, 1);
}

void Server::pexpire(const Arguments& arguments, std::string& out) {
  expire_in(arguments, 1, "pexpire", out);
}

void Server::expire(const Arguments& arguments, std::string& out) {
  expire_in(arguments, 1000, "expire", out);
}

void Server::flushall(const Arguments& /*arguments*/, std::string& out) {
  keyspace_.clear();
  append_status(out, "OK");
}

}  // namespace redlock::memory
