// The fingerprint of a run, and, when asked for, its story.
//
// Every event and every byte delivered is folded into the fingerprint; nothing in it depends on
// addresses, wall time or hash order. The story is only kept when a run is replayed for people.
#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "sim/random.hpp"

namespace redlock::sim {

// What the timeline is made of.
struct StoryMessage {
  std::int64_t sent_ns = 0;
  std::int64_t arrived_ns = 0;
  std::uint32_t client = 0;
  std::uint32_t server = 0;
  bool to_server = true;
  std::string text;
};
struct StorySpan {
  std::int64_t from_ns = 0;
  std::int64_t until_ns = 0;
  bool on_server = false;  // else on a client
  std::uint32_t lane = 0;
  bool is_fault = false;  // else a hold
  std::string text;
};
struct StoryNote {
  std::int64_t at_ns = 0;
  std::string text;
};

struct Story {
  std::uint32_t clients = 0;
  std::uint32_t servers = 0;
  std::vector<StoryMessage> messages;
  std::vector<StorySpan> spans;
  std::vector<StoryNote> notes;  // in order of time
  std::vector<StoryNote> violations;
};

// How often what only several locks bring about really happened.
struct Several {
  std::uint64_t begun_beside = 0;    // a call while another one was under way
  std::uint64_t taken_together = 0;  // two that were done in the same turn
  std::uint64_t shorter_extends = 0;
  std::uint64_t longer_extends = 0;
  std::uint64_t re_entries = 0;          // a handler that called while a call waited
  std::uint64_t released_within = 0;     // and released the lock that this asked about
  std::uint64_t left_by_exit = 0;        // a process that exited in the midst of a call
  std::uint64_t kept = 0;                // leases that a thread kept alive
  std::uint64_t kept_extends = 0;        // by it
  std::uint64_t kept_lost = 0;           // of them
  std::uint64_t shortened = 0;           // leases, by their owners
  std::uint64_t kept_shortened = 0;      // of them, those that the thread kept alive
  std::uint64_t shorten_lost = 0;        // leases that were lost by it
  std::uint64_t shortened_within = 0;    // by a handler, while they were being shortened
  std::uint64_t transferred_within = 0;  // the same
  std::uint64_t crowds = 0;              // of calls
  std::uint64_t bound_reached = 0;       // a call of theirs found no room on a connection
  std::uint64_t crowd_releases = 0;      // of theirs, each sent to the silent server
  std::uint64_t crowd_arrived = 0;       // and there
  std::uint64_t promoted = 0;            // locks that were shared
  std::uint64_t demoted = 0;
  std::uint64_t inside_together = 0;  // somebody came in where others were
};

class Trace {
 public:
  // Null: keep no story.
  explicit Trace(Story* story) : story_(story) {}

  void fold(std::uint64_t a, std::uint64_t b) {
    hash_ = (hash_ ^ a) * 0x9e3779b97f4a7c15U;
    hash_ = (hash_ ^ (hash_ >> 29U) ^ b) * 0xbf58476d1ce4e5b9U;
  }
  void fold(std::string_view bytes) {
    std::uint64_t word = bytes.size();
    for (; bytes.size() >= sizeof(word); bytes.remove_prefix(sizeof(word))) {
      std::uint64_t next = 0;
      std::memcpy(&next, bytes.data(), sizeof(next));
      word = (word ^ next) * 0x94d049bb133111ebU;
    }
    std::uint64_t last = 0;
    std::memcpy(&last, bytes.data(), bytes.size());
    fold(word, last);
  }
  [[nodiscard]] std::uint64_t hash() const { return mix64(hash_); }
  [[nodiscard]] Story* story() const { return story_; }
  [[nodiscard]] Several& several() { return several_; }
  void note(std::int64_t at_ns, std::string text) {
    if (story_ != nullptr) story_->notes.push_back({at_ns, std::move(text)});
  }

 private:
  Story* story_;
  Several several_;
  std::uint64_t hash_ = 0x243f6a8885a308d3U;
};

}  // namespace redlock::sim
