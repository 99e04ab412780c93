// Driving the reactor, and looking at what its nodes keep to themselves.
#include "exhaustive/product.hpp"

#include <algorithm>

namespace redlock::exhaustive {

namespace {

// Longer than anything that an operation waits for.
constexpr int kSoonTicks = 64;

// Passes everything on, and writes down what can still change the outcome.
class Witness final : public Operation {
 public:
  Witness(std::unique_ptr<Operation> operation, std::vector<Input>& told, Clock& clock, int answer)
      : operation_(std::move(operation)), told_(told), clock_(clock), answer_(answer) {}

  [[nodiscard]] QuorumRule quorum() const override { return operation_->quorum(); }
  void start(Instant now) override { operation_->start(now); }
  void on_reply(NodeIndex node, AttemptNumber attempt, Reply reply, Instant now) override {
    const Heard heard = reply.answer == redlock::Answer::granted  ? Heard::granted
                        : reply.answer == redlock::Answer::denied ? Heard::denied
                        : reply.sent                              ? Heard::closed
                                                                  : Heard::connect;
    note({InputKind::reply, byte(node.value()), byte(attempt), heard});
    operation_->on_reply(node, attempt, std::move(reply), now);
  }
  void on_time(Instant now) override {
    note({InputKind::on_time, 0, 0, Heard::granted});
    operation_->on_time(now);
  }
  void on_suspicion(NodeIndex node, AttemptNumber attempt) override {
    if (dynamic_cast<Acquire*>(operation_.get()) != nullptr) {
      note({InputKind::suspicion, byte(node.value()), byte(attempt), Heard::granted});
    }
    operation_->on_suspicion(node, attempt);
  }
  void on_delay(NodeIndex node, AttemptNumber attempt, Instant connected_by) override {
    const std::int64_t ticks = (connected_by - clock_.now()).count_ns() / kTick.count_ns();
    // What is over makes no difference.
    const auto due = std::max<std::int64_t>(ticks + answer_, 0);
    note({InputKind::delay, byte(node.value()), byte(attempt), Heard::granted, byte(due)});
    operation_->on_delay(node, attempt, connected_by);
  }
  void abort(Instant now) override { operation_->abort(now); }
  [[nodiscard]] std::optional<Request> next_request() override {
    return operation_->next_request();
  }
  [[nodiscard]] std::optional<Instant> next_deadline() const override {
    return operation_->next_deadline();
  }
  [[nodiscard]] const Outcome* outcome() const override { return operation_->outcome(); }
  [[nodiscard]] Outcome collect() noexcept override { return operation_->collect(); }

 private:
  void note(const Input& input) {
    if (operation_->outcome() == nullptr) told_.push_back(input);
  }

  std::unique_ptr<Operation> operation_;
  std::vector<Input>& told_;
  Clock& clock_;
  int answer_;  // ticks until it is due
};

Endpoint endpoint_of(const Settings& settings, std::size_t server) {
  Endpoint endpoint;
  endpoint.host = "s";
  endpoint.port = static_cast<std::uint16_t>(server);
  endpoint.database = settings.handshake ? 1 : 0;
  return endpoint;
}

}  // namespace

Product::Product(const Settings& settings, const CommandBook& book, Dictionary& dictionary,
                 std::uint64_t seed)
    : settings_(settings),
      book_(book),
      dictionary_(dictionary),
      chance_(seed),
      wire_(dictionary, settings.handshake ? 1 : 0),
      reactor_(wire_, clock_, chance_) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(settings.servers); ++i) {
    nodes_.push_back(
        std::make_shared<Node>(std::make_unique<FixedLocator>(endpoint_of(settings, i)),
                               kTick * settings.answer, wire_, chance_, encoder_));
  }
}

void Product::begin(const Root& root, int round) {
  std::unique_ptr<Operation> operation;
  if (root.kind == Root::Kind::acquire) {
    entropies_.push_back(std::make_unique<CountingEntropy>());
    operation = make_acquire(settings_, round, *entropies_.back());
  } else {
    operation = make_query(settings_, book_, root, round);
  }
  operation_ = reactor_.begin(
      std::make_unique<Witness>(std::move(operation), told_, clock_, settings_.answer), nodes_);
  take_done();
}

void Product::step(bool connects) {
  wire_.let_connect(connects);
  reactor_.step(clock_.now());
  wire_.let_connect(false);
  take_done();
}

void Product::take_done() {
  if (operation_ == 0 || !reactor_.done(operation_)) return;
  decision_ = reactor_.collect(operation_).decision;
  operation_ = 0;
}

unsigned Product::left_alone() {
  unsigned mask = 0;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const bool open = nodes_[i]->has_conversation() || nodes_[i]->closing();
    if (open || !nodes_[i]->connected_or_free(clock_.now())) mask |= 1U << i;
  }
  return mask;
}

std::array<Byte, kServersMax> Product::order() const {
  std::array<Byte, kServersMax> order{};
  std::array<bool, kServersMax> listed{};
  std::size_t count = 0;
  const auto list = [&](std::size_t server) {
    if (listed[server]) return;
    listed[server] = true;
    order[count++] = byte(server);
  };
  for (const auto& node : reactor_.live()) list(node->endpoint().port);
  for (std::size_t i = 0; i < order.size(); ++i) list(i);
  return order;
}

std::vector<Code> Product::carried(int server) const {
  std::vector<Code> codes;
  for (const auto& [removal, again] : node(server).carried()) {
    std::string bytes;
    append_request(bytes, *removal, ScriptForm::text);
    codes.push_back(dictionary_.look_up(bytes));
  }
  std::ranges::sort(codes);
  codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
  return codes;
}

std::optional<int> Product::due() {
  const std::optional<Instant> due = reactor_.next_deadline();
  if (!due || *due - clock_.now() > kTick * kSoonTicks) return std::nullopt;
  return static_cast<int>((*due - clock_.now()).count_ns() / kTick.count_ns());
}

}  // namespace redlock::exhaustive
