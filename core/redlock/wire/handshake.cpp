// Writing the handshake and judging its answers.
#include "redlock/wire/handshake.hpp"

#include <array>
#include <memory>
#include <string_view>

namespace redlock {

namespace {
// All but what the endpoint says; where it does not do, a copy of the password may stay behind.
constexpr std::size_t kWordsBytesMax = 256;
}  // namespace

Handshake::Handshake(const Endpoint& endpoint, WipedBuffer& out, NameManner manner) {
  std::string text;
  const std::unique_ptr<std::string, void (*)(std::string*)> wiped(
      &text, [](std::string* done) { wipe(*done); });
  if (!endpoint.password.empty()) {
    text.reserve(kWordsBytesMax + endpoint.user.size() + endpoint.password.size() +
                 endpoint.client_name.size());
    std::vector<std::string_view> arguments{"AUTH"};
    if (!endpoint.user.empty()) arguments.emplace_back(endpoint.user);
    arguments.emplace_back(endpoint.password);
    append_command(text, arguments);
    steps_.push_back(Step::auth);
  }
  if (!endpoint.client_name.empty() && manner != NameManner::left_out) {
    // Behind a SELECT everybody waits anyway.
    const bool follows = manner == NameManner::follows && endpoint.database == 0;
    append_command(follows ? late_name_ : text,
                   std::array<std::string_view, 3>{"CLIENT", "SETNAME", endpoint.client_name});
    if (!follows) steps_.push_back(Step::set_name);
    waits_for_name_ = !follows && manner != NameManner::travels;
  }
  if (endpoint.guard.any()) {
    append_command(text, guard_question(endpoint.guard));
    steps_.push_back(Step::guard);
    guard_ = endpoint.guard;
    waits_for_guard_ = true;
  }
  // The last, so that no other's answer can be taken for one of its own that is left out.
  if (endpoint.database != 0) {
    const std::string number = std::to_string(endpoint.database);
    append_command(text, std::array<std::string_view, 2>{"SELECT", number});
    steps_.push_back(Step::select);
    selected_ = false;
  }
  greeting_ = steps_.size();
  out += text;
}

void Handshake::say_late_name(WipedBuffer& out) {
  steps_.push_back(Step::set_name);
  out += late_name_;
  late_name_.clear();
  waits_for_name_ = true;
}

std::optional<Handshake::Refusal> Handshake::on_reply(const RespValue& value,
                                                      const Secrets& secrets) {
  const Step step = steps_[answered_++];
  const bool confirmed = value.kind == RespKind::status && value.text == "OK";
  const bool is_error = value.kind == RespKind::error;
  const Fault fault = is_error ? fault_of(value.text) : Fault::none;
  // Said to the connection, whatever was asked first on it.
  if (fault == Fault::maxclients || (is_error && value.text.starts_with("DENIED "))) {
    return Refusal{fault, "the connection was refused: " + secrets.shown(value.text)};
  }
  if (step == Step::guard) return judge(value, secrets);
  // A name is a courtesy; an ACL may forbid it.
  const bool tolerated = step == Step::set_name && is_error;
  if (confirmed || tolerated) {
    if (step == Step::select) selected_ = true;
    if (step == Step::set_name) {
      named_ = true;
      waits_for_name_ = false;
    }
    return std::nullopt;
  }
  if (!is_error) {
    return Refusal{Fault::protocol, "no valid reply to the handshake"};
  }
  const bool auth = step == Step::auth;
  return Refusal{auth && fault == Fault::rejected ? Fault::auth : fault,
                 (auth ? "AUTH" : "SELECT") + (" was refused: " + secrets.shown(value.text))};
}

std::optional<Handshake::Refusal> Handshake::judge(const RespValue& value, const Secrets& secrets) {
  if (value.kind != RespKind::bulk && value.kind != RespKind::error) {
    return Refusal{Fault::protocol, "no valid reply to the guard's INFO"};
  }
  objection_ = objection_to(value, guard_, secrets, facts_);
  waits_for_guard_ = false;
  return std::nullopt;
}

}  // namespace redlock
