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
#include <vector>

#include "sim/keyspace.hpp"
#include "sim/lua_engine.hpp"
#include "sim/resp.hpp"

namespace redlock::sim {

inline constexpr std::uint32_t kDatabases = 16;

// What is the matter with a server that runs and answers.
struct Conditions {
  bool loading = false;
  bool out_of_memory = false;
  bool read_only = false;
  bool busy = false;
  bool cannot_save = false;
  bool too_many_clients = false;  // refused by whoever accepts connections
  bool no_permission = false;
  bool no_select = false;
  std::string password;  // empty: none is needed
};

// What a server knows of one connection.
struct ServerSession {
  std::uint64_t id = 0;  // the caller's name for it
  bool authenticated = false;
  bool closed = false;  // after a protocol error: no further input is read
  std::uint32_t database = 0;
  std::string name;
  std::string input;
  std::size_t request_size = 0;  // of the one that input begins, at least
};

// Told after each command that was executed, also one that was refused; may spoil the answer.
class ServerObserver {
 public:
  virtual ~ServerObserver() = default;
  virtual void command_executed(const ServerSession& session, const Arguments& arguments,
                                std::string& answer) = 0;
};

class Server final : public ScriptHost {
 public:
  // The engine must outlive the server.
  explicit Server(LuaEngine& engine) : engine_(engine) {}

  void observe(ServerObserver* observer) { observer_ = observer; }
  [[nodiscard]] Keyspace& keyspace() { return keyspace_; }
  [[nodiscard]] Conditions& conditions() { return conditions_; }

  // Must be called before receive() whenever time has passed.
  void set_time(std::int64_t server_ns, std::int64_t true_ns);
  // A session as it is after connecting.
  [[nodiscard]] ServerSession accept(std::uint64_t id) const;
  // Executes every whole request at hand and appends the answers to `out`.
  void receive(ServerSession& session, std::string_view bytes, std::string& out);
  // Executes one request.
  void execute(ServerSession& session, const Arguments& arguments, std::string& out);

  // What a restart loses beside data.
  void forget_scripts() { scripts_.clear(); }
  // The session of the command being executed; null between commands.
  [[nodiscard]] const ServerSession* executing() const { return session_; }

  void call_from_script(const Arguments& arguments, std::string& reply) override;

 private:
  struct Command;
  static const Command* lookup(std::string_view name);
  std::size_t serve(ServerSession& session, std::string_view bytes, std::string& out);
  // False: refused, and the reason is in `out`.
  bool admit(const Command* command, const Arguments& arguments, std::string& out);
  [[nodiscard]] bool is_forbidden(const Command& command) const;
  bool check_shape(const Command* command, const Arguments& arguments, std::string& out);

  void ping(const Arguments& arguments, std::string& out);
  void auth(const Arguments& arguments, std::string& out);
  void select(const Arguments& arguments, std::string& out);
  void client(const Arguments& arguments, std::string& out);
  void time(const Arguments& arguments, std::string& out);
  void get(const Arguments& arguments, std::string& out);
  void set(const Arguments& arguments, std::string& out);
  void setnx(const Arguments& arguments, std::string& out);
  void getset(const Arguments& arguments, std::string& out);
  void del(const Arguments& arguments, std::string& out);
  void pttl(const Arguments& arguments, std::string& out);
  void pexpire(const Arguments& arguments, std::string& out);
  void expire(const Arguments& arguments, std::string& out);
  void hset(const Arguments& arguments, std::string& out);
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
  bool find_string(std::string_view name, const Entry*& entry, std::string& out);
  void store(std::string_view name, std::string_view value,
             std::optional<std::int64_t> expires_ms = std::nullopt);

  LuaEngine& engine_;
  ServerObserver* observer_ = nullptr;
  Keyspace keyspace_;
  Conditions conditions_;
  std::vector<std::string> scripts_;  // SHA1s that EVALSHA accepts
  std::int64_t now_ns_ = 0;
  ServerSession* session_ = nullptr;
  bool in_script_ = false;
  Arguments arguments_;  // of receive(), kept for its memory
  std::string answer_;
};

}  // namespace redlock::sim
