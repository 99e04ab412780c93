// One overload per command.
#include "redlock/wire/translate.hpp"

#include <array>

#include "redlock/wire/scripts.hpp"

namespace redlock {

namespace {

template <class... Handlers>
struct Overloaded : Handlers... {
  using Handlers::operator()...;
};
template <class... Handlers>
Overloaded(Handlers...) -> Overloaded<Handlers...>;

// Rounded up: no key may end before its holder believes it does.
std::string in_ms(Duration span) {
  const std::int64_t whole = span.count_ms();
  return std::to_string(span > Duration::ms(whole) ? whole + 1 : whole);
}

// With a point whatever the locale says. Requires span >= 0.
std::string in_ms_exactly(Duration span) {
  constexpr std::int64_t kNsPerMs = 1'000'000;
  const std::string past_point = std::to_string(span.count_ns() % kNsPerMs);
  return std::to_string(span.count_ms()) + '.' + std::string(6 - past_point.size(), '0') +
         past_point;
}

std::string_view ms_per_unit(StampUnit unit) { return unit == StampUnit::seconds ? "1000" : "1"; }

std::string_view accepts_plain(StampProof proof) {
  return proof == StampProof::exact_or_plain ? "1" : "0";
}

struct RequestWriter {
  std::string& out;
  ScriptForm form;

  template <class... Arguments>
  void script(const Script& script, const Resource& key, const Arguments&... arguments) const {
    const bool by_text = form == ScriptForm::text;
    const std::array<std::string_view, 4 + sizeof...(Arguments)> all{
        by_text ? "EVAL" : "EVALSHA", by_text ? script.text : script.sha1, "1", key.view(),
        arguments...};
    append_command(out, all);
  }

  void operator()(const SetIfAbsent& c) const {
    const std::string ttl = in_ms(c.ttl);
    const std::array<std::string_view, 6> all{"SET", c.resource.view(), c.token.view(), "NX", "PX",
                                              ttl};
    append_command(out, all);
  }
  void operator()(const DeleteIfEqual& c) const {
    script(scripts::delete_if_equal, c.resource, c.token.view());
  }
  void operator()(const ExtendIfEqual& c) const {
    script(scripts::extend_if_equal, c.resource, c.token.view(), in_ms(c.ttl));
  }
  void operator()(const CheckEqual& c) const {
    script(scripts::check_equal, c.resource, c.token.view());
  }
  void operator()(const CheckEndless& c) const {
    append_command(out, std::array<std::string_view, 2>{"PTTL", c.resource.view()});
  }
  void operator()(const StampTake& c) const {
    script(scripts::stamp_take, c.key, in_ms(c.lease), c.token.view(), ms_per_unit(c.unit));
  }
  void operator()(const StampUndo& c) const { script(scripts::stamp_undo, c.key, c.token.view()); }
  void operator()(const StampRelease& c) const {
    script(scripts::stamp_release, c.key, c.stamp, in_ms_exactly(c.margin), ms_per_unit(c.unit),
           accepts_plain(c.proof));
  }
  void operator()(const StampCheck& c) const {
    script(scripts::stamp_check, c.key, c.stamp, accepts_plain(c.proof));
  }
};

std::optional<Reply> reply_to_set(const RespValue& value) {
  if (value.kind == RespKind::status && value.text == "OK") return Reply::granted();
  if (value.kind == RespKind::nil) return Reply::denied();
  return std::nullopt;
}

std::optional<Reply> reply_to_stamp_take(const RespValue& value) {
  if (value.kind == RespKind::bulk) return Reply::granted(value.text);
  if (value.kind == RespKind::integer && value.integer == 0) return Reply::denied();
  return std::nullopt;
}

// PTTL says -2 where there is no key, -1 where it has no end.
std::optional<Reply> reply_to_pttl(const RespValue& value) {
  if (value.kind != RespKind::integer) return std::nullopt;
  return value.integer == -1 ? Reply::granted() : Reply::denied();
}

std::optional<Reply> reply_to_script(const RespValue& value) {
  if (value.kind != RespKind::integer) return std::nullopt;
  if (value.integer == 1) return Reply::granted();
  if (value.integer == 0) return Reply::denied();
  return std::nullopt;
}

bool mentions(const RespValue& value, std::string_view word) {
  return value.text.find(word) != std::string::npos;
}

// What keeps a stamp from being taken; empty: nothing of the key's.
const char* obstacle_to(const StampTake& take, const RespValue& value) {
  if (mentions(value, "WRONGTYPE")) return "the key has another type";
  if (mentions(value, kForeignError)) return "the value is no timestamp";
  const bool in_seconds = take.unit == StampUnit::seconds;
  if (mentions(value, kTooFineError)) {
    return in_seconds ? "the stamp seems to be in milliseconds, and seconds are expected"
                      : "the stamp seems to be in microseconds, and milliseconds are expected";
  }
  if (!mentions(value, kTooCoarseError)) return "";
  return "the stamp seems to be in seconds, and milliseconds are expected";
}

// Every version of the servers wraps a script's error in words of its own.
Reply reply_to_error(const Command& command, const RespValue& value, const Secrets& secrets) {
  const bool wrong_type = mentions(value, "WRONGTYPE");
  if (const auto* take = std::get_if<StampTake>(&command)) {
    const std::string obstacle = obstacle_to(*take, value);
    if (!obstacle.empty()) return Reply::unknown(Fault::foreign, obstacle);
  } else if (wrong_type && is_script(command)) {
    // A key of another type is certainly not ours.
    return Reply::denied();
  }
  return Reply::unknown(fault_of(value.text), secrets.shown(value.text, lock_name(command).proof));
}

}  // namespace

void append_request(std::string& out, const Command& command, ScriptForm form) {
  std::visit(RequestWriter{out, form}, command);
}

bool is_script(const Command& command) {
  return !std::holds_alternative<SetIfAbsent>(command) &&
         !std::holds_alternative<CheckEndless>(command);
}

std::optional<Reply> reply_to(const Command& command, const RespValue& value,
                              const Secrets& secrets) {
  if (value.kind == RespKind::error) return reply_to_error(command, value, secrets);
  if (std::holds_alternative<SetIfAbsent>(command)) return reply_to_set(value);
  if (std::holds_alternative<StampTake>(command)) return reply_to_stamp_take(value);
  if (std::holds_alternative<CheckEndless>(command)) return reply_to_pttl(value);
  return reply_to_script(value);
}

bool is_unknown_script(const RespValue& value) {
  return value.kind == RespKind::error && value.text.starts_with("NOSCRIPT");
}

std::optional<Command> undo_of(const Command& command) {
  using Result = std::optional<Command>;
  return std::visit(Overloaded{[](const SetIfAbsent& c) -> Result {
                                 return DeleteIfEqual{c.resource, c.token};
                               },
                               [](const StampTake& c) -> Result {
                                 return StampUndo{c.key, c.token};
                               },
                               [](StampRelease c) -> Result {
                                 // Between the two an old client may have taken the lock.
                                 c.proof = StampProof::exact;
                                 return c;
                               },
                               [&](const auto&) -> Result {
                                 if (is_removal(command)) return command;
                                 return std::nullopt;
                               }},
                    command);
}

bool is_removal(const Command& command) {
  return std::holds_alternative<DeleteIfEqual>(command) ||
         std::holds_alternative<StampUndo>(command) ||
         std::holds_alternative<StampRelease>(command);
}

bool is_take(const Command& command) {
  return std::holds_alternative<SetIfAbsent>(command) || std::holds_alternative<StampTake>(command);
}

LockName lock_name(const Command& command) {
  return std::visit(Overloaded{[](const StampTake& c) {
                                 return LockName{c.key.view(), c.token.view()};
                               },
                               [](const StampUndo& c) {
                                 return LockName{c.key.view(), c.token.view()};
                               },
                               [](const StampRelease& c) {
                                 return LockName{c.key.view(), c.stamp};
                               },
                               [](const StampCheck& c) {
                                 return LockName{c.key.view(), c.stamp};
                               },
                               [](const CheckEndless& c) {
                                 return LockName{c.resource.view(), {}};
                               },
                               [](const auto& c) {
                                 return LockName{c.resource.view(), c.token.view()};
                               }},
                    command);
}

}  // namespace redlock
