// What model and product must agree on.
#include <algorithm>

#include "exhaustive/trace.hpp"

namespace redlock::exhaustive {

namespace {

std::string text_of(const std::vector<Code>& codes) {
  std::string text;
  for (const Code code : codes) text += " " + std::to_string(code);
  return text;
}

std::string text_of(const std::vector<Input>& inputs) {
  static constexpr std::array<const char*, kHeardKinds> kHeard{"yes", "no", "silence", "in doubt",
                                                               "not sent"};
  std::string text;
  for (const Input& input : inputs) {
    if (input.kind == InputKind::on_time) {
      text += " time";
      continue;
    }
    text += " server " + std::to_string(input.node + 1) + "/" + std::to_string(input.attempt);
    if (input.kind == InputKind::suspicion) text += "?";
    if (input.kind == InputKind::delay) text += "+" + std::to_string(input.ticks);
    if (input.kind != InputKind::reply) continue;
    text += std::string(":") + kHeard[static_cast<std::size_t>(input.heard)];
  }
  return text;
}

std::string text_of(std::optional<int> ticks) { return ticks ? std::to_string(*ticks) : "never"; }

Zombie zombie_of(const std::vector<Code>& codes) {
  Zombie zombie = 0;
  for (std::size_t i = 0; i < codes.size() && i < sizeof zombie; ++i) {
    zombie |= Zombie{codes[i]} << 8U * i;
  }
  return zombie;
}

}  // namespace

void Trace::differ(const std::string& what, const std::string& model, const std::string& product) {
  if (difference_.empty()) difference_ = what + ": model " + model + ", product " + product;
}

void Trace::compare() {
  compare_told();
  const Phase phase = state_.clients[0].phase;
  const bool operating =
      phase == Phase::acquiring || phase == Phase::extending || phase == Phase::releasing;
  if (operating != product_.operating()) {
    return differ("an operation is under way", operating ? "yes" : "no",
                  product_.operating() ? "yes" : "no");
  }
  for (const auto& [server, codes] : product_.wire().left_behind()) {
    left_behind_[static_cast<std::size_t>(server)].push_back(zombie_of(codes));
  }
  product_.wire().left_behind().clear();
  for (int s = 0; s < world_.settings().servers && difference_.empty() && !cut_short_; ++s) {
    compare_link(s);
    compare_left_behind(s);
  }
  if (!cut_short_) compare_due();
}

void Trace::compare_told() {
  for (Input& input : model_told_) {
    // The machines make no difference between the two.
    if (input.heard == Heard::timeout) input.heard = Heard::closed;
  }
  const std::vector<Input> product = product_.take_told();
  latest_told_ = text_of(model_told_);
  if (model_told_ != product) differ("told", text_of(model_told_), text_of(product));
  model_told_.clear();
}

void Trace::compare_link(int server) {
  const Link& link = state_.links[0][static_cast<std::size_t>(server)];
  const Node& node = product_.node(server);
  const std::string where = "server " + std::to_string(server + 1) + ": ";
  const bool stands = link.open && !link.closing;
  if (stands != node.has_conversation() || link.closing != node.closing()) {
    return differ(where + "connection",
                  link.closing ? "closing"
                  : stands     ? "open"
                               : "none",
                  node.closing()            ? "closing"
                  : node.has_conversation() ? "open"
                                            : "none");
  }
  std::vector<Code> carried;
  for (int bit = 0; bit < 32; ++bit) {
    const bool is_set = (link.carried >> static_cast<unsigned>(bit) & 1U) != 0;
    if (is_set) carried.push_back(code_of(bit % 16, bit / 16, false));
  }
  std::ranges::sort(carried);
  const std::vector<Code> product = product_.carried(server);
  if (carried != product) {
    return differ(where + "carried over", text_of(carried), text_of(product));
  }
  compare_queue(where, link, product_.wire().to(server));
}

void Trace::compare_queue(const std::string& where, const Link& link,
                          const ProductWire::Connection* connection) {
  std::vector<Code> model;
  std::vector<Code> product;
  for (int i = 0; i < link.count && !link.held; ++i) {
    const Message& message = link.queue[static_cast<std::size_t>(i)];
    model.push_back(code_of(message.command, message.round, message.by_sha1));
  }
  if (connection != nullptr) {
    for (const ProductWire::Sent& sent : connection->unanswered) product.push_back(sent.code);
  }
  if (model == product) return;
  std::ranges::sort(model);
  std::ranges::sort(product);
  // The model carries a set. What it holds is there, and goes first.
  product.erase(std::unique(product.begin(), product.end()), product.end());
  if (model == product && events_ > 0 && connection->unanswered.size() > 1) {
    cut_short_ = true;
    return;
  }
  differ(where + "unanswered", text_of(model), text_of(product));
}

void Trace::compare_left_behind(int server) {
  if (!difference_.empty() || cut_short_) return;
  auto& product = left_behind_[static_cast<std::size_t>(server)];
  std::ranges::sort(product);
  const Link& link = state_.links[0][static_cast<std::size_t>(server)];
  const std::vector<Zombie> model(link.zombies.begin(), link.zombies.begin() + link.zombie_count);
  if (model == product) return;
  std::string model_text;
  std::string product_text;
  for (const Zombie zombie : model) model_text += " " + std::to_string(zombie);
  for (const Zombie zombie : product) product_text += " " + std::to_string(zombie);
  differ("left on closed connections", model_text, product_text);
}

void Trace::compare_due() {
  std::optional<int> model;
  const auto consider = [&model](int ticks) {
    if (ticks < kNeverDue && (!model || ticks < *model)) model = ticks;
  };
  const Client& client = state_.clients[0];
  if (client.machine != 0) {
    if (const auto due = world_.machines().at(client.machine).due) consider(*due);
    if (client.hedged.kept != 0) consider(client.hedged.ask_left);
  }
  for (const Link& link : state_.links[0]) {
    if (!link.open || link.closing) continue;
    if (link.held) {
      consider(link.ready_left);
      continue;
    }
    for (int i = 0; i < link.count; ++i) consider(link.queue[static_cast<std::size_t>(i)].left);
  }
  std::optional<int> product = product_.due();
  if (product && *product < 0) product = 0;
  if (model != product) differ("ticks until something is due", text_of(model), text_of(product));
}

}  // namespace redlock::exhaustive
