// A session and a server that answers in order, with any slicing, pipelining and handshake, until
// the fuzzer slips foreign bytes in between.
//
// Claims: as long as the server is honest, each command gets the very answer that was given to it,
// in order, and the session stays whole; nothing but AUTH and CLIENT leaves before a SELECT is
// confirmed; nothing open is due before the next deadline. Foreign bytes may cost answers but
// never add one.
#include <map>
#include <vector>

#include "endpoints.hpp"
#include "model_server.hpp"
#include "redlock/algorithm/holding.hpp"
#include "redlock/wire/session.hpp"

namespace redlock::fuzz {

namespace {

constexpr int kStepsMax = 120;

class Conversation {
 public:
  explicit Conversation(Input input)
      : input_(input),
        variant_(static_cast<unsigned>(input_.choice(16))),
        session_(endpoint_of(variant_), encoder_) {}

  void run() {
    for (int i = 0; i < kStepsMax && !input_.empty(); ++i) step();
    while (!session_.output().empty() || !server_.wire.empty()) {
      send(session_.output().size());
      deliver(server_.wire.size());
    }
    // A refusal breaks the session as soon as it is read.
    if (honest_) REQUIRE(session_.broken() == server_.refused);
    std::erase_if(server_.expected, [](const Expected& expected) { return expected.maybe; });
    if (honest_) REQUIRE(server_.expected.empty() && open_.empty());
    session_.fail(Fault::closed, "the end", arrivals_);
    check();
    REQUIRE(open_.empty());
  }

 private:
  void step() {
    switch (input_.choice(9)) {
      case 0:
      case 1:
        return submit();
      case 8:
        return undo();
      case 2:
      case 3:
        return send(std::min<std::size_t>(input_.choice(), session_.output().size()));
      case 4:
      case 5:
      case 6:
        return deliver(std::min<std::size_t>(input_.choice(), server_.wire.size()));
      default:
        return slip_in(input_.text(input_.choice(64)));
    }
  }

  void submit() {
    const std::uint64_t id = input_.choice(8) == 0 ? 0 : ++last_id_;
    const Instant answer_by = Instant::from_ns(1 + input_.choice());
    const std::size_t kind = input_.choice();
    const Origin origin{id, NodeIndex(id % kNodesMax), id + 1};
    const bool was_broken = session_.broken();
    REQUIRE(session_.submit(origin, command_of(kind, id), answer_by) == !was_broken);
    if (!was_broken && id != 0) open_.emplace(id, answer_by);
    last_kind_ = id == 0 ? last_kind_ : kind;
  }

  // What a lost attempt does: its undo goes out behind it, and nobody waits for the answer.
  void undo() {
    const auto command = undo_of(*command_of(last_kind_, last_id_));
    if (last_id_ == 0 || !command || is_removal(*command_of(last_kind_, last_id_))) return;
    if (server_.undone.contains(last_id_)) return;
    server_.note_undo(last_id_);
    REQUIRE(session_.submit(Origin{}, std::make_shared<const Command>(*command), Instant()) ==
            !session_.broken());
  }

  void send(std::size_t size) {
    if (size == 0) return;
    const bool select_pending = (variant_ & 4U) != 0 && !session_.admitted();
    const std::string bytes(session_.output().substr(0, size));
    if (select_pending) {
      REQUIRE(bytes.find("EVAL") == std::string::npos && bytes.find("NX") == std::string::npos);
    }
    session_.mark_sent(size);
    server_.read(bytes, input_);
  }

  void deliver(std::size_t size) {
    const std::string bytes = server_.deliver(size);
    session_.on_bytes(bytes, arrivals_);
    check();
  }

  void slip_in(std::string_view bytes) {
    if (bytes.empty()) return;
    honest_ = false;
    session_.on_bytes(bytes, arrivals_);
    check();
  }

  void check() {
    for (const Arrival& arrival : arrivals_) {
      const auto asked = open_.find(arrival.origin.operation);
      REQUIRE(asked != open_.end());
      REQUIRE(arrival.origin.node == NodeIndex(asked->first % kNodesMax));
      REQUIRE(arrival.origin.attempt == asked->first + 1);
      if (honest_) check_answer(arrival);
      open_.erase(asked);
    }
    arrivals_.clear();
    if (honest_ && !session_.broken()) check_deadline();
  }

  // As the model's server has said it.
  static std::string text_of(const Reply& reply) {
    const auto number = [](std::int64_t value) { return std::to_string(value) + ' '; };
    if (const auto* const stored = reply.said<Token>()) return std::string(stored->view());
    if (const auto* const at = reply.said<QueuePosition>()) {
      return number(at->left->count_ms()) + number(at->index) + std::to_string(at->server_ms);
    }
    if (reply.said<std::shared_ptr<const LockState>>() == nullptr) return {};
    const LockState seen = seen_by({true, reply});
    const std::string waiters = number(seen.waiters.value_or(-1)) + number(std::ssize(seen.line));
    if (!seen.holding) return "-2 " + waiters;
    return number(seen.holding->left->count_ms()) + waiters +
           std::string(seen.holding->token.view());
  }

  void check_answer(const Arrival& arrival) {
    if (session_.broken() && server_.expected.empty()) {
      REQUIRE(arrival.reply.answer == Answer::unknown);
      return;
    }
    while (!server_.expected.empty() && server_.expected.front().maybe) {
      server_.expected.pop_front();
    }
    REQUIRE(!server_.expected.empty());
    const Expected expected = std::move(server_.expected.front());
    server_.expected.pop_front();
    REQUIRE(arrival.origin.operation == expected.id);
    REQUIRE(arrival.reply.answer == expected.answer);
    if (expected.answer != Answer::unknown) REQUIRE(text_of(arrival.reply) == expected.text);
  }

  void check_deadline() {
    const auto deadline = session_.next_deadline();
    Instant earliest = Instant::never();
    for (const auto& [id, answer_by] : open_) {
      if (!server_.repeated.contains(id)) earliest = std::min(earliest, answer_by);
    }
    if (!open_.empty()) REQUIRE(deadline && *deadline <= earliest);
  }

  Input input_;
  unsigned variant_;
  RequestEncoder encoder_;
  Session session_;
  ModelServer server_;
  std::vector<Arrival> arrivals_;
  std::map<OperationId, Instant> open_;
  std::uint64_t last_id_ = 0;
  std::size_t last_kind_ = 0;
  bool honest_ = true;
};

}  // namespace

}  // namespace redlock::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  redlock::fuzz::Conversation(redlock::fuzz::Input(data, size)).run();
  return 0;
}
