// What every connection says and hears, without the socket: the greeting first, then bytes to send,
// whole replies out of the bytes received, and the end.
//
// A kind of conversation derives from it and knows what the replies mean: `Session` awaits one for
// each command. `net/connection` carries any kind that satisfies IsConversation.
// A name may follow, when everything has been answered. Invariants: the answers to both are taken
// off here, the greeting's first; once broken it reads nothing more, for good. Pure: no clock, no
// I/O. One thread; lives as long as its connection.
#pragma once
#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "redlock/algorithm/reply.hpp"
#include "redlock/algorithm/time.hpp"
#include "redlock/config/endpoint.hpp"
#include "redlock/config/secret.hpp"
#include "redlock/wire/codec.hpp"
#include "redlock/wire/handshake.hpp"
#include "redlock/wire/server_errors.hpp"

namespace redlock {

class Conversation {
 public:
  // Is the greeting unanswered?
  [[nodiscard]] bool greeting() const { return !handshake_.greeted(); }
  // Did the server refuse it? Then nothing that was said behind it was carried out.
  [[nodiscard]] bool greeting_refused() const { return greeting_refused_; }
  // How the name is told to a server of which it is not known yet whether it hangs up at that.
  static constexpr NameManner kNewName = NameManner::waited_for;
  // Begins anew, on another connection and in this manner. Requires that nothing but the greeting
  // was said, or a name that followed.
  void greet(const Endpoint& endpoint, NameManner manner);
  // Is there a name that follows, and has not been said?
  [[nodiscard]] bool owes_name() const { return handshake_.owes_name(); }
  // Says it. Requires that it is owed, and that nothing is awaited.
  void say_late_name();
  // Has everything been answered but the greeting, and no answer come to the name in it, or but a
  // name that follows? A server that closes the connection then may do so because of the name.
  [[nodiscard]] bool waits_for_name() const {
    return unanswered_bytes_ > 0 && handshake_.waits_for_name();
  }
  // Has the server answered the client's name?
  [[nodiscard]] bool named() const { return handshake_.named(); }
  // Has the server said anything?
  [[nodiscard]] bool heard_any() const { return !first_heard_.empty(); }
  // Why the guard lets the server have no vote. Known once the greeting has been answered.
  [[nodiscard]] const Objection* objection() const {
    return handshake_.objection() ? &*handshake_.objection() : nullptr;
  }
  // Objects for another reason than what the server says.
  void object(Objection objection) { handshake_.object(std::move(objection)); }
  // Which process it is; empty where no guard has asked.
  [[nodiscard]] const std::string& run_id() const { return handshake_.facts().run_id; }
  // May anything be said besides the greeting? False while a SELECT is unconfirmed, a name, or what
  // a guard asks.
  [[nodiscard]] bool admitted() const { return handshake_.admits(); }
  [[nodiscard]] bool broken() const { return broken_; }
  // Why, once broken.
  [[nodiscard]] Fault fault() const { return fault_; }
  [[nodiscard]] const std::string& reason() const { return reason_; }
  // At least as many bytes as have been sent and not been answered yet.
  [[nodiscard]] std::size_t unanswered_bytes() const { return unanswered_bytes_; }
  // The first `size` bytes of what was to be sent have been sent.
  void mark_sent(std::size_t size);

 protected:
  // Writes the greeting.
  explicit Conversation(const Endpoint& endpoint);
  ~Conversation() = default;

  // Bytes that were made and not sent, and more of them.
  [[nodiscard]] std::string_view rest() const {
    return std::string_view(output_).substr(output_offset_);
  }
  void say(std::string_view bytes) { output_ += bytes; }
  // The last `size` bytes were not sent and never will be.
  void unsay(std::size_t size) noexcept { output_.resize(output_.size() - size); }
  [[nodiscard]] bool sent_any() const { return sent_any_; }

  void hear(std::string_view bytes);
  struct Ending {
    Fault fault = Fault::none;
    std::string reason;
  };
  // The next whole reply to what was said behind the greeting. Nothing: it has not come yet, or the
  // conversation is at its end, and then `ending` says why.
  [[nodiscard]] std::optional<RespValue> next_reply(std::optional<Ending>& ending);
  // Nobody waits for anything that was sent: it has been answered, but maybe for the name.
  void note_all_answered() {
    if (handshake_.done()) unanswered_bytes_ = 0;
  }
  // Is the database the right one, for all that is known?
  [[nodiscard]] bool selected() const { return handshake_.selected(); }
  void mark_broken(Fault fault, const std::string& reason);
  [[nodiscard]] const Secrets& secrets() const { return secrets_; }

 private:
  Secrets secrets_;
  RespReader reader_;
  std::string first_heard_;  // enough to tell another protocol by
  WipedBuffer output_;
  std::size_t output_offset_ = 0;
  Handshake handshake_;
  bool handshake_sent_ = false;
  bool greeting_refused_ = false;
  bool sent_any_ = false;
  std::size_t unanswered_bytes_ = 0;  // sent since nothing was awaited last
  bool broken_ = false;
  Fault fault_ = Fault::none;
  std::string reason_;
};

// What a connection asks of the kind of conversation that it carries. Its events are what replies
// and the end come to: for a session the answers to commands.
template <class C>
concept IsConversation =
    std::derived_from<C, Conversation> &&
    requires(C& said, const C& known, std::string_view bytes, Instant now, Fault fault,
             const std::string& reason, std::vector<typename C::Event>& events) {
      { known.has_output() } -> std::same_as<bool>;
      // What is to be sent next; valid until the next call.
      { said.output() } -> std::same_as<std::string_view>;
      // The socket takes no more for now.
      { said.take_back() } noexcept;
      // What is not written though its time is over is dropped.
      said.drop_expired(now, events);
      // What was received, in slices of any size.
      said.on_bytes(bytes, events);
      // The end; everybody who waits is told.
      said.fail(fault, reason, events);
      // The greeting has been answered: whoever waits, and has been waiting for that, wants an
      // answer by then.
      said.begin_answers(now);
      // When the most impatient of those who wait wants an answer.
      { known.next_deadline() } -> std::same_as<std::optional<Instant>>;
      // Nothing is awaited and nothing is to be sent.
      { known.idle() } -> std::same_as<bool>;
    };

// One that can go on elsewhere where its server turns out to be a replica.
template <class C>
concept CanBeginAnew = requires(C& said) { said.allow_anew(true); };

}  // namespace redlock
