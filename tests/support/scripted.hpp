// An operation that does what its test says, and writes down what it is told.
#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "redlock/algorithm/operation.hpp"

namespace redlock::test {

class Scripted;

// What it does as it begins, when a node has answered and when its time has come; and what it was
// told. It outlives the operation, or its end.
struct Scene {
  std::function<void(Scripted&, Instant now)> begun;
  std::function<void(Scripted&, std::size_t node, Instant now)> answered;
  std::function<void(Scripted&, Instant now)> due;
  std::optional<Instant> due_at;
  // It listens until it says otherwise.
  bool listens = false;
  std::function<void(const SubscriptionState&)> heard;
  // What it says while no majority can be asked.
  std::vector<NodeReport> outage;
  std::vector<Reply> replies;
  std::vector<SubscriptionState> subscription_states;
};

class Scripted final : public Operation {
 public:
  Scripted(Scene& scene, std::size_t node_count) : scene_(scene), node_count_(node_count) {}

  void ask(std::size_t node, AttemptNumber attempt, Command command, Instant answer_by) {
    requests_.push_back(
        {NodeIndex(node), attempt, std::make_shared<const Command>(std::move(command)), answer_by});
  }
  void decide() { outcome_.emplace(); }

  [[nodiscard]] QuorumRule quorum() const override { return QuorumRule::majority(node_count_); }
  void start(Instant now) override {
    if (scene_.begun) scene_.begun(*this, now);
  }
  void on_reply(NodeIndex node, AttemptNumber /*attempt*/, Reply reply, Instant now) override {
    scene_.replies.push_back(std::move(reply));
    if (scene_.answered) scene_.answered(*this, node.value(), now);
  }
  void on_time(Instant now) override {
    scene_.due_at.reset();
    if (scene_.due) scene_.due(*this, now);
  }
  [[nodiscard]] bool listens() const override { return !outcome_ && scene_.listens; }
  void on_subscription(NodeIndex /*node*/, const SubscriptionState& subscription_state,
                       Instant /*now*/) override {
    scene_.subscription_states.push_back(subscription_state);
    if (scene_.heard) scene_.heard(subscription_state);
  }
  [[nodiscard]] std::vector<NodeReport> outage() const override { return scene_.outage; }
  void abort(Instant /*now*/) override { decide(); }
  [[nodiscard]] std::optional<Request> next_request() override {
    if (requests_.empty()) return std::nullopt;
    Request request = std::move(requests_.front());
    requests_.pop_front();
    return request;
  }
  [[nodiscard]] std::optional<Instant> next_deadline() const override {
    return outcome_ ? std::nullopt : scene_.due_at;
  }
  [[nodiscard]] const Outcome* outcome() const override { return outcome_ ? &*outcome_ : nullptr; }
  [[nodiscard]] Outcome collect() noexcept override { return std::move(*outcome_); }

 private:
  Scene& scene_;
  std::size_t node_count_;
  std::deque<Request> requests_;
  std::optional<Outcome> outcome_;
};

}  // namespace redlock::test
