// What one simulated server remembers: keys with expiry, and how to go back in time.
//
// Expiry is in milliseconds of the server's own clock and lazy, as in Redis: a key lives while
// now <= expiry, and is removed when somebody looks. A journal of all changes, where one is kept,
// lets a crash or a fail-over restore an earlier state. No hashing: iteration order is insertion
// order, so that runs can be repeated. One thread.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace redlock::memory {

enum class ValueType { string, hash, sorted_set };

// A field of a hash, or a member of a sorted set.
struct Item {
  std::string name;
  std::string value{};
  double score = 0;
};

struct Entry {
  std::uint32_t database = 0;
  std::string name;
  std::string value;
  ValueType type = ValueType::string;
  std::optional<std::int64_t> expires_ms;  // on the server's clock
  std::vector<Item> items{};               // of a sorted set in its order, of a hash as they came
};

class KeyspaceObserver {
 public:
  virtual ~KeyspaceObserver() = default;
  // Before a change. Null `before`: created; null `after`: removed (not by expiry).
  virtual void key_changes(const Entry* before, const Entry* after) = 0;
};

class Keyspace {
 public:
  void observe(KeyspaceObserver* observer) { observer_ = observer; }
  // Must be called whenever time has passed: the server's clock and the simulation's.
  void set_time(std::int64_t server_ms, std::int64_t true_ns) {
    now_ms_ = server_ms;
    true_ns_ = true_ns;
  }
  [[nodiscard]] std::int64_t now_ms() const { return now_ms_; }

  // Null when absent or expired; valid until the next change.
  [[nodiscard]] const Entry* find(std::uint32_t database, std::string_view name);
  // Creates or replaces.
  void put(Entry entry);
  // Requires that the key exists.
  void set_expiry(std::uint32_t database, std::string_view name, std::int64_t expires_ms);
  // False: there was none.
  bool erase(std::uint32_t database, std::string_view name);
  void clear();
  // Removes what has expired though nobody looks at it.
  void drop_expired();
  // From now on all changes are remembered, with what was there before, for roll_back().
  void keep_journal() { journaled_ = true; }
  // As it was at `true_ns` of the simulation's clock; expiries keep running. Requires a journal.
  void roll_back(std::int64_t true_ns);
  // Forgets what roll_back() would need.
  void drop_journal() { journal_.clear(); }
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  [[nodiscard]] bool alive(const Entry& entry, std::int64_t at_ms) const {
    return !entry.expires_ms || at_ms <= *entry.expires_ms;
  }

 private:
  struct Change {
    std::int64_t true_ns = 0;
    std::uint32_t database = 0;
    std::string name;
    std::optional<Entry> before;
  };
  [[nodiscard]] Entry* locate(std::uint32_t database, std::string_view name);
  [[nodiscard]] Entry* locate_alive(std::uint32_t database, std::string_view name);
  void note(std::uint32_t database, std::string_view name, const Entry* before);

  std::vector<Entry> entries_;
  std::vector<Change> journal_;
  bool journaled_ = false;
  KeyspaceObserver* observer_ = nullptr;
  std::int64_t now_ms_ = 0;
  std::int64_t true_ns_ = 0;
};

}  // namespace redlock::memory
