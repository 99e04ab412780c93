// One simulated Redis server: bytes of requests in, bytes of answers out.
//
// It knows no network and no time of its own: the caller hands in what arrived on a session and
// what the clocks show. Conditions (loading, out of memory, …) are switched by the caller.
// One thread.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "redlock/memory/admission.hpp"
#include "redlock/memory/keyspace.hpp"
#include "redlock/memory/resp.hpp"
#include "redlock/memory/script_engine.hpp"

namespace redlock::memory {

inline constexpr std::uint32_t kDatabases = 16;

// Told after each command that was executed, also one that was refused; may spoil the answer.
class ServerObserver {
 public:
  virtual ~ServerObserver() = default;
  virtual void command_begins(const ServerSession& /*session*/, const Arguments& /*arguments*/) {}
  virtual void command_executed(const ServerSession& session, const Arguments& arguments,
                                std::string& answer) = 0;
  // Within a command: what was published, and how many received it; negative: it was refused.
  virtual void published(std::string_view /*channel*/, std::string_view /*message*/,
                         std::int64_t /*receivers*/) {}
};

// The way to sessions that are told something unasked.
class PushSink {
 public:
  virtual ~PushSink() = default;
  // False: the server knows of no such session any more.
  virtual bool push(std::uint64_t session, std::string_view bytes) = 0;
};

class Server final : public ScriptHost {
 public:
  // The engine must outlive the server.
  explicit Server(ScriptEngine& engine) : engine_(engine) {}

  void observe(ServerObserver* observer) { observer_ = observer; }
  // Without one, nobody hears what is published.
  void push_to(PushSink* sink) { sink_ = sink; }
  [[nodiscard]] Keyspace& keyspace() { return keyspace_; }
  [[nodiscard]] Conditions& conditions() { return conditions_; }

  // Must be called before receive() whenever time has passed.
  void set_time(std::int64_t server_ns, std::int64_t true_ns);
  // A session as it is after connecting.
  [[nodiscard]] ServerSession accept(std::uint64_t id) const;
  // The session has ended: nobody listens there any more.
  void end_session(std::uint64_t id) noexcept;
  // Executes every whole request at hand and appends the answers to `out`.
  void receive(ServerSession& session, std::string_view bytes, std::string& out);
  // Executes one request.
  void execute(ServerSession& session, const Arguments& arguments, std::string& out);

  // A new life begins, of another process; the first one began long ago.
  void begin_life(std::int64_t server_ns, std::string run_id) {
    began_ns_ = server_ns;
    run_id_ = std::move(run_id);
  }
  // What a restart loses beside data.
  void forget_scripts() { scripts_.clear(); }
  // The session of the command being executed; null between commands.
  [[nodiscard]] const ServerSession* executing() const { return session_; }

  void call_from_script(const Arguments& arguments, std::string& reply) override;

 private:
  struct Command;
  static const Command* lookup(std::string_view name);
  std::size_t serve(ServerSession& session, std::string_view bytes, std::string& out);
  void ping(const Arguments& arguments, std::string& out);
  void auth(const Arguments& arguments, std::string& out);
  void select(const Arguments& arguments, std::string& out);
  void client(const Arguments& arguments, std::string& out);
  void time(const Arguments& arguments, std::string& out);
  void info(const Arguments& arguments, std::string& out);
  void get(const Arguments& arguments, std::string& out);
  void set(const Arguments& arguments, std::string& out);
  void setnx(const Arguments& arguments, std::string& out);
  void getset(const Arguments& arguments, std::string& out);
  void del(const Arguments& arguments, std::string& out);
  void pttl(const Arguments& arguments, std::string& out);
  void pexpire(const Arguments& arguments, std::string& out);
  void expire(const Arguments& arguments, std::string& out);
  void hset(const Arguments& arguments, std::string& out);
  void exists(const Arguments& arguments, std::string& out);
  void hget(const Arguments& arguments, std::string& out);
  void hlen(const Arguments& arguments, std::string& out);
  void hdel(const Arguments& arguments, std::string& out);
  void zadd(const Arguments& arguments, std::string& out);
  void zrem(const Arguments& arguments, std::string& out);
  void zrange(const Arguments& arguments, std::string& out);
  void zrank(const Arguments& arguments, std::string& out);
  void zcard(const Arguments& arguments, std::string& out);
  void zscore(const Arguments& arguments, std::string& out);
  void zcount(const Arguments& arguments, std::string& out);
  void zremrangebyscore(const Arguments& arguments, std::string& out);
  void publish(const Arguments& arguments, std::string& out);
  void subscribe(const Arguments& arguments, std::string& out);
  void unsubscribe(const Arguments& arguments, std::string& out);
  void flushall(const Arguments& arguments, std::string& out);
  void eval(const Arguments& arguments, std::string& out);
  void evalsha(const Arguments& arguments, std::string& out);
  void script(const Arguments& arguments, std::string& out);

  void run_script(const std::string& sha1, const Arguments& arguments, std::string& out);
  void expire_in(const Arguments& arguments, std::int64_t unit_ms, std::string_view verb,
                 std::string& out);
  [[nodiscard]] bool knows_script(std::string_view sha1) const;
  void learn_script(const std::string& sha1);
  // The string under the key; null when absent. False: an error is in `out`.
  bool find_string(std::string_view name, const Entry*& entry, std::string& out) {
    return find_typed(name, ValueType::string, entry, out);
  }
  // The same of another type.
  bool find_typed(std::string_view name, ValueType type, const Entry*& entry, std::string& out);
  // What find_typed() found, to be changed and put back; or a new one.
  [[nodiscard]] Entry copy_or_new(const Entry* entry, std::string_view name, ValueType type) const;
  void put_or_erase(Entry entry);
  void count_items(std::string_view name, ValueType type, std::string& out);
  void remove_items(const Arguments& arguments, ValueType type, std::string& out);
  void store(std::string_view name, std::string_view value,
             std::optional<std::int64_t> expires_ms = std::nullopt);

  ScriptEngine& engine_;
  ServerObserver* observer_ = nullptr;
  PushSink* sink_ = nullptr;
  Keyspace keyspace_;
  Conditions conditions_;
  std::vector<std::string> scripts_;  // SHA1s that EVALSHA accepts
  struct Subscription {
    std::string channel;
    std::uint64_t session = 0;
  };
  std::vector<Subscription> subscriptions_;  // of sessions that may have ended since
  std::int64_t now_ns_ = 0;
  std::int64_t began_ns_ = 0;
  std::string run_id_;
  ServerSession* session_ = nullptr;
  bool script_wrote_ = false;
  Arguments arguments_;  // of receive(), kept for its memory
  std::string answer_;
};

}  // namespace redlock::memory
