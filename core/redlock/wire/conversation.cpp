// The greeting, and whole replies out of bytes.
#include "redlock/wire/conversation.hpp"

namespace redlock {

namespace {

// How a server that expects TLS begins to complain of what it got.
constexpr std::string_view kTlsAlert = "\x15\x03";

}  // namespace

Conversation::Conversation(const Endpoint& endpoint)
    : secrets_(endpoint), handshake_(endpoint, output_) {}

void Conversation::greet(const Endpoint& endpoint, NameManner manner) {
  WipedBuffer output;
  Handshake handshake(endpoint, output, manner);
  RespReader reader;
  reader_ = std::move(reader);
  handshake_ = std::move(handshake);
  output_.swap(output);
  wipe(output.data(), output.size());
  output_offset_ = 0;
  first_heard_.clear();
  handshake_sent_ = sent_any_ = false;
  unanswered_bytes_ = 0;
}

void Conversation::mark_sent(std::size_t size) {
  sent_any_ = sent_any_ || size > 0;
  unanswered_bytes_ += size;
  output_offset_ += size;
  if (output_offset_ < output_.size()) return;
  if (!handshake_sent_) wipe(output_.data(), output_.size());
  handshake_sent_ = true;
  output_.clear();
  output_offset_ = 0;
}

void Conversation::say_late_name() { handshake_.say_late_name(output_); }

void Conversation::hear(std::string_view bytes) {
  first_heard_ += bytes.substr(0, kTlsAlert.size() - first_heard_.size());
  reader_.feed(bytes);
}

std::optional<RespValue> Conversation::next_reply(std::optional<Ending>& ending) {
  for (;;) {
    std::optional<RespValue> value = reader_.next();
    if (!value && !reader_.error().empty()) {
      ending = first_heard_ == kTlsAlert
                   ? Ending{Fault::tls, "the server speaks TLS, and this client does not"}
                   : Ending{Fault::protocol, "no valid reply: " + secrets_.shown(reader_.error())};
    }
    if (!value || handshake_.done()) return value;
    if (auto refusal = handshake_.on_reply(*value, secrets_)) {
      ending = {refusal->fault, std::move(refusal->reason)};
      greeting_refused_ = true;
      return std::nullopt;
    }
  }
}

void Conversation::mark_broken(Fault fault, const std::string& reason) {
  broken_ = true;
  fault_ = fault;
  reason_ = reason;
}

}  // namespace redlock
