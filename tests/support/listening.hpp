// An operation that only listens, and writes down what it is told.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "redlock/algorithm/operation.hpp"

namespace redlock::test {

// What the operation was told; it outlives it.
struct Told {
  struct Heard {
    std::size_t node = 0;
    SubscriptionState subscription_state;
  };
  std::vector<Heard> subscription_states;
  std::vector<Push> pushes;
  // Set by a test: it listens no more, it asks this of every node when it is told a channel, it
  // throws when it is told anything.
  bool unsubscribed = false;
  std::function<Command(std::size_t node, const std::string& channel)> join;
  bool fails = false;
  std::vector<Reply> replies;
  bool is_granted = false;

  // The channel that was told last of a node; empty where there is none.
  [[nodiscard]] std::string channel(std::size_t node) const {
    std::string latest;
    for (const Heard& heard : subscription_states) {
      if (heard.node == node) latest = heard.subscription_state.channel;
    }
    return latest;
  }
};

class Listening final : public Operation {
 public:
  // It takes the pushes for `token`, and gives it up when it is aborted.
  Listening(Told& told, std::size_t node_count, Token token)
      : told_(told), node_count_(node_count), token_(std::move(token)) {}

  [[nodiscard]] QuorumRule quorum() const override { return QuorumRule::majority(node_count_); }
  void start(Instant /*now*/) override {}
  void on_reply(NodeIndex /*node*/, AttemptNumber /*attempt*/, Reply reply,
                Instant /*now*/) override {
    told_.replies.push_back(std::move(reply));
  }
  void on_time(Instant /*now*/) override {
    if (!told_.is_granted || outcome_) return;
    outcome_.emplace().decision = Decision::granted;
  }
  [[nodiscard]] bool listens() const override { return !outcome_ && !told_.unsubscribed; }
  void on_subscription(NodeIndex node, const SubscriptionState& subscription_state,
                       Instant now) override {
    if (told_.fails) throw std::bad_alloc();
    told_.subscription_states.push_back({node.value(), subscription_state});
    if (!told_.join || subscription_state.channel.empty()) return;
    const auto join =
        std::make_shared<const Command>(told_.join(node.value(), subscription_state.channel));
    requests_.push_back({node, ++attempt_, join, now + Duration::ms(50)});
  }
  bool on_push(NodeIndex /*node*/, const Push& push, Instant /*now*/) override {
    if (told_.fails) throw std::bad_alloc();
    if (push.token != token_) return false;
    told_.pushes.push_back(push);
    return true;
  }
  void abort(Instant now) override {
    if (outcome_) return;
    const auto pass = std::make_shared<const Command>(ReleaseAndHandOver{Resource("r"), token_});
    for (std::size_t i = 0; i < node_count_; ++i) {
      requests_.push_back({NodeIndex(i), ++attempt_, pass, now + Duration::ms(50), false});
    }
    outcome_.emplace();
  }
  [[nodiscard]] std::optional<Request> next_request() override {
    if (requests_.empty()) return std::nullopt;
    Request request = std::move(requests_.back());
    requests_.pop_back();
    return request;
  }
  [[nodiscard]] std::optional<Instant> next_deadline() const override {
    return told_.is_granted ? std::optional(Instant()) : std::nullopt;
  }
  [[nodiscard]] const Outcome* outcome() const override { return outcome_ ? &*outcome_ : nullptr; }
  [[nodiscard]] Outcome collect() noexcept override { return std::move(*outcome_); }

 private:
  Told& told_;
  std::size_t node_count_;
  Token token_;
  AttemptNumber attempt_ = 0;
  std::vector<Request> requests_;
  std::optional<Outcome> outcome_;
};

}  // namespace redlock::test
