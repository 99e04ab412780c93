// Somebody who waits in line, and servers that answer when the test says so.
#pragma once
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "redlock/algorithm/quorum_kind.hpp"
#include "redlock/algorithm/validity.hpp"
#include "redlock/queue/queued_acquire.hpp"
#include "redlock/wire/line_codec.hpp"
#include "support/machine.hpp"
#include "support/seeded_entropy.hpp"

namespace redlock::test {

using Nodes = std::vector<std::size_t>;

inline constexpr Duration kAnswerTime = Duration::ms(50);
inline constexpr Duration kWaitersTtl = Duration::ms(10'000);
inline constexpr std::int64_t kWall = 1'700'000'000'000;

class Wait : public testing::Test {
 protected:
  void begin(Duration wait, std::size_t nodes = 3, Duration ttl = kWaitersTtl) {
    ttl_ = ttl;
    line_.emplace(answer_times(nodes, kAnswerTime),
                  std::make_shared<QuorumKind>(Resource("r"), ttl, kDriftFactorDefault),
                  WaitRequest{.resources = Resource("r"),
                              .wait = wait,
                              .retry_delay_ms = 200,
                              .wall_ms = kWall,
                              .confirms = confirms_},
                  memory_, entropy_);
    nodes_ = nodes;
    line_->start(t(0));
  }
  // In line at once.
  void stand(Duration wait, std::size_t nodes = 3, Duration ttl = kWaitersTtl) {
    memory_->note_waited(Resource("r"), t(0));
    begin(wait, nodes, ttl);
    hear_all(t(0));
  }
  void hear_all(Instant now) {
    for (std::size_t i = 0; i < nodes_; ++i)
      line_->on_subscription(NodeIndex(i), {"here", {}, {}}, now);
  }
  // What is handed out now; the latest join of each node is remembered.
  std::vector<Request> drain() {
    std::vector<Request> requests = test::drain(*line_);
    for (const Request& request : only<Enqueue>(requests))
      joins_.insert_or_assign(request.node.value(), request);
    return requests;
  }
  const Enqueue& join(std::size_t node) { return std::get<Enqueue>(*joins_.at(node).command); }
  void answer(std::size_t node, Reply reply, Instant now) {
    line_->on_reply(NodeIndex(node), joins_.at(node).attempt, std::move(reply), now);
  }
  void grant(std::size_t node, Instant now) { answer(node, Reply::granted(), now); }
  void deny(std::size_t node, Instant now,
            const std::string& standing = "9000 100 " + std::to_string(kWall)) {
    answer(node, Reply::denied(parse_queue_position(standing).value()), now);
  }
  void push(std::size_t node, Instant now) {
    const Push push{Push::Kind::granted, join(node).token, join(node).entry.echo, {}};
    EXPECT_TRUE(line_->on_push(NodeIndex(node), push, now));
  }
  // All that stand in line are told that somebody has it: so far behind, they ask every ten
  // seconds.
  void deny_all(Instant now) {
    drain();
    for (std::size_t i = 0; i < nodes_; ++i) deny(i, now);
  }
  Decision decision() { return line_->outcome()->decision; }
  bool granted() { return line_->outcome() != nullptr && decision() == Decision::granted; }

  std::shared_ptr<LineMemory> memory_ = std::make_shared<LineMemory>();
  SeededEntropy entropy_;
  std::optional<QueuedAcquire> line_;
  std::map<std::size_t, Request> joins_;
  std::size_t nodes_ = 0;
  bool confirms_ = false;  // what is pushed is asked for once more
  Duration ttl_;
};

}  // namespace redlock::test
