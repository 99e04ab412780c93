// From any command to its own codec.
#include "redlock/wire/translate.hpp"

#include <algorithm>
#include <string_view>
#include <type_traits>
#include <utility>

#include "redlock/wire/fence_codec.hpp"
#include "redlock/wire/line_codec.hpp"
#include "redlock/wire/permit_codec.hpp"
#include "redlock/wire/quorum_codec.hpp"
#include "redlock/wire/shared_codec.hpp"
#include "redlock/wire/stamp_codec.hpp"

namespace redlock {

namespace {

constexpr std::string_view kScriptsAreNeeded =
    " (a lock is given back by a script: the server must run EVAL and EVALSHA, and an ACL allow"
    " +eval +evalsha)";

template <class C>
using CodecOf = CommandCodec<std::decay_t<C>>;

// What a command states of itself is how it is written.
template <class... C>
consteval bool write_what_they_state(std::type_identity<std::variant<C...>>) {
  return ((std::is_base_of_v<ScriptCodec, CommandCodec<C>> == C::kTraits.needs_script) && ...);
}
static_assert(write_what_they_state(std::type_identity<Command>()));

template <class... C>
consteval bool have_one_reply_each(std::type_identity<std::variant<C...>>) {
  return ((C::kTraits.replies == 1) && ...);
}
static_assert(have_one_reply_each(std::type_identity<Command>()), "a session knows no others");

template <class C>
std::optional<Reply> read(const C& command, const RespValue& value, const Secrets& secrets) {
  if (value.kind != RespKind::error) return CommandCodec<C>::read(command, value);
  if (ReadReply told = CommandCodec<C>::read_error(command, value)) return told;
  const Fault fault = fault_of(value.text);
  std::string reason = secrets.shown(value.text, command.lock().proof);
  if (fault == Fault::scripts) {
    reason.resize(std::min(reason.size(), kReasonBytesMax - kScriptsAreNeeded.size()));
    reason += kScriptsAreNeeded;
  }
  Reply reply = Reply::unknown(fault, std::move(reason));
  reply.passes = is_cluster_down(value.text);
  return reply;
}

}  // namespace

void append_request(std::string& out, const Command& command, ScriptForm form) {
  const RequestWriter request(out, form);
  std::visit([&](const auto& c) { CodecOf<decltype(c)>::write(request, c); }, command);
}

std::optional<Reply> reply_to(const Command& command, const RespValue& value,
                              const Secrets& secrets) {
  return std::visit([&](const auto& c) { return read(c, value, secrets); }, command);
}

bool is_refused_script(const RespValue& value) {
  return value.kind == RespKind::error && fault_of(value.text) == Fault::scripts;
}

bool is_unknown_script(const RespValue& value) {
  return value.kind == RespKind::error && value.text.starts_with("NOSCRIPT");
}

}  // namespace redlock
