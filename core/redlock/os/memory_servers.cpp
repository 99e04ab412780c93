// One lock around all servers: nothing here waits.
#include "redlock/os/memory_servers.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <new>
#include <set>
#include <utility>

#include "redlock/memory/native_scripts.hpp"
#include "redlock/memory/server.hpp"
#include "redlock/os/clock.hpp"
#include "redlock/os/process.hpp"

namespace redlock::memory {

namespace {
// With fewer keys than that the expired ones are not looked for.
constexpr std::size_t kDropMin = 64;

std::int64_t ahead(std::int64_t before, std::int64_t ms) {
  return std::min(before + ms, kAheadMsMax);
}
}  // namespace

class MemoryServer final : public PushSink {
 public:
  MemoryServer(const std::string& name, Mood mood, std::int64_t ahead_ms)
      : ahead_ms_(ahead_ms), mood_(mood) {
    // As old as time: it never began anew.
    server_.begin_life(0, name);
    server_.push_to(this);
  }

  // 0: refused.
  std::uint64_t accept() {
    if (mood_ == Mood::refuses) return 0;
    const std::uint64_t id = ++last_session_;
    sessions_.emplace(id, Session{server_.accept(id), {}, {}});
    return id;
  }
  std::size_t take(std::uint64_t id, std::string_view bytes) {
    Session& session = sessions_.at(id);
    if (mood_ == Mood::serves) {
      serve(session, bytes);
      return bytes.size();
    }
    const std::size_t room = kUnreadBytesMax - session.unread.size();
    session.unread.append(bytes.substr(0, room));
    return std::min(room, bytes.size());
  }
  std::size_t give(std::uint64_t id, std::span<char> into) {
    std::string& answers = sessions_.at(id).answers;
    const std::size_t size = answers.copy(into.data(), into.size());
    answers.erase(0, size);
    return size;
  }
  [[nodiscard]] bool has(std::uint64_t id) const {
    const auto found = sessions_.find(id);
    return found != sessions_.end() && !found->second.ended;
  }
  [[nodiscard]] bool has_answers(std::uint64_t id) const {
    return has(id) && !sessions_.at(id).answers.empty();
  }
  [[nodiscard]] bool has_room(std::uint64_t id) const {
    return has(id) && sessions_.at(id).unread.size() < kUnreadBytesMax;
  }
  void leave(std::uint64_t id) {
    const auto found = sessions_.find(id);
    if (found == sessions_.end()) return;
    found->second.ended = true;
    drop_ended();
  }
  bool push(std::uint64_t id, std::string_view bytes) override {
    const auto found = sessions_.find(id);
    if (found == sessions_.end() || found->second.ended) return false;
    try {
      found->second.answers.append(bytes);
      return true;
    } catch (const std::bad_alloc&) {
      found->second.ended = true;
      return false;
    }
  }

  void advance(std::int64_t ms) { ahead_ms_ = ahead(ahead_ms_, ms); }
  void set_mood(Mood mood) {
    mood_ = mood;
    for (auto& [id, session] : sessions_) {
      if (mood == Mood::silent) continue;
      const std::string unread = std::exchange(session.unread, {});
      if (mood == Mood::serves) serve(session, unread);
      session.ended = session.ended || mood == Mood::refuses;
    }
    drop_ended();
  }
  void take_away(std::string_view key) {
    set_time();
    for (std::uint32_t database = 0; database < kDatabases; ++database) {
      server_.keyspace().erase(database, key);
    }
  }
  void add_keys(std::set<std::string>& names) {
    set_time();
    const Keyspace& keys = server_.keyspace();
    for (const Entry& entry : keys.entries()) {
      if (keys.alive(entry, keys.now_ms())) names.insert(entry.name);
    }
  }
  // Connections stay: whoever uses one next finds the server empty, not gone. So do scripts: a
  // lease that goes out of scope names them only, and nobody would read that they are unknown.
  void forget() {
    server_.keyspace().clear();
    drop_at_ = kDropMin;
  }
  void start_over() {
    ahead_ms_ = 0;
    // First, for what it has not read yet may take locks.
    set_mood(Mood::serves);
    forget();
  }
  [[nodiscard]] bool unused() const { return sessions_.empty(); }

 private:
  struct Session {
    ServerSession session;
    std::string answers;  // which the client has not read
    std::string unread;   // by the server, while it is silent
    bool ended = false;   // by either side
  };
  void set_time() {
    constexpr std::int64_t kNsPerUs = 1000;
    const std::int64_t now_ns = (wall_us() + ahead_ms_ * 1000) * kNsPerUs;
    server_.set_time(now_ns, now_ns);
  }
  // When the keys have doubled since the last look, so that a look costs a command little.
  void drop_expired() {
    Keyspace& keys = server_.keyspace();
    if (keys.entries().size() < drop_at_) return;
    keys.drop_expired();
    drop_at_ = std::max(kDropMin, 2 * keys.entries().size());
  }
  void drop_ended() {
    std::erase_if(sessions_, [this](const auto& one) {
      const auto& [id, session] = one;
      const bool done = session.ended && session.unread.empty();
      if (done) server_.end_session(id);
      return done;
    });
  }
  // Without memory it hangs up: some of it may have been carried out, and so all of it is taken.
  void serve(Session& session, std::string_view bytes) noexcept {
    set_time();
    drop_expired();
    try {
      server_.receive(session.session, bytes, session.answers);
    } catch (const std::bad_alloc&) {
      session.ended = true;
    }
  }

  NativeScripts scripts_;
  Server server_{scripts_};
  std::map<std::uint64_t, Session> sessions_;
  std::uint64_t last_session_ = 0;
  std::size_t drop_at_ = kDropMin;
  std::int64_t ahead_ms_;
  Mood mood_;
};

struct Servers {
  const std::shared_ptr<MemoryServer>& named(const std::string& name) {
    const auto known = by_name.find(name);
    if (known != by_name.end()) return known->second;
    return by_name.emplace(name, std::make_shared<MemoryServer>(name, mood, ahead_ms))
        .first->second;
  }

  std::mutex mutex;
  std::map<std::string, std::shared_ptr<MemoryServer>> by_name;
  // Of those to come.
  Mood mood = Mood::serves;
  std::int64_t ahead_ms = 0;
  ForkWatch watch;
  // A child never uses them; the pointer keeps them reachable for leak checkers.
  const Servers* parents = nullptr;
};

namespace {

// Null until the first use, and never deleted: leases end with the process, in any order. A child
// makes its own: a thread of its parent may have been in the middle of a change when it forked.
constinit std::atomic<Servers*> current = nullptr;

bool is_own(const Servers* servers) { return servers != nullptr && !servers->watch.forked(); }

Servers& here() {
  Servers* servers = current;
  if (is_own(servers)) return *servers;
  auto own = std::make_unique<Servers>();
  own->parents = servers;
  // Another thread may have been first.
  if (current.compare_exchange_strong(servers, own.get())) return *own.release();
  return *servers;
}

template <class Deed>
void each(Servers& servers, Names names, const Deed& deed) {
  for (const std::string& name : names) deed(*servers.named(name));
  if (!names.empty()) return;
  for (auto& [name, server] : servers.by_name) deed(*server);
}

}  // namespace

Link::Link(Servers& servers, std::shared_ptr<MemoryServer> server)
    : servers_(servers), session_(server->accept()), server_(std::move(server)) {}

Link::~Link() {
  if (inherited()) return;
  const std::lock_guard lock(servers_.mutex);
  server_->leave(session_);
  std::destroy_at(&server_);
}

bool Link::inherited() const { return servers_.watch.forked(); }

std::size_t Link::send(std::string_view bytes) {
  if (inherited()) return 0;
  const std::lock_guard lock(servers_.mutex);
  return server_->has(session_) ? server_->take(session_, bytes) : 0;
}

std::size_t Link::receive(std::span<char> into) {
  if (inherited()) return 0;
  const std::lock_guard lock(servers_.mutex);
  return server_->has(session_) ? server_->give(session_, into) : 0;
}

bool Link::readable() const {
  if (inherited()) return true;
  const std::lock_guard lock(servers_.mutex);
  return !server_->has(session_) || server_->has_answers(session_);
}

bool Link::writable() const {
  if (inherited()) return true;
  const std::lock_guard lock(servers_.mutex);
  return server_->has_room(session_);
}

bool Link::ended() const {
  if (inherited()) return true;
  const std::lock_guard lock(servers_.mutex);
  return !server_->has(session_);
}

std::unique_ptr<Link> connect(const std::string& name) {
  Servers& servers = here();
  const std::lock_guard lock(servers.mutex);
  return std::make_unique<Link>(servers, servers.named(name));
}

void forget_all() noexcept {
  Servers* const servers = current;
  if (!is_own(servers)) return;
  const std::lock_guard lock(servers->mutex);
  for (auto& [name, server] : servers->by_name) server->start_over();
  std::erase_if(servers->by_name, [](const auto& named) { return named.second->unused(); });
  servers->mood = Mood::serves;
  servers->ahead_ms = 0;
}

void advance(Names names, std::int64_t ms) {
  Servers& servers = here();
  const std::lock_guard lock(servers.mutex);
  each(servers, names, [ms](MemoryServer& server) { server.advance(ms); });
  if (names.empty()) servers.ahead_ms = ahead(servers.ahead_ms, ms);
}

void set_mood(Names names, Mood mood) {
  Servers& servers = here();
  const std::lock_guard lock(servers.mutex);
  each(servers, names, [mood](MemoryServer& server) { server.set_mood(mood); });
  if (names.empty()) servers.mood = mood;
}

void forget(Names names) {
  Servers& servers = here();
  const std::lock_guard lock(servers.mutex);
  each(servers, names, [](MemoryServer& server) { server.forget(); });
}

void take_away(Names names, std::string_view key) {
  Servers& servers = here();
  const std::lock_guard lock(servers.mutex);
  each(servers, names, [key](MemoryServer& server) { server.take_away(key); });
}

std::vector<std::string> keys(Names names) {
  Servers& servers = here();
  const std::lock_guard lock(servers.mutex);
  std::set<std::string> keys;
  each(servers, names, [&keys](MemoryServer& server) { server.add_keys(keys); });
  return {keys.begin(), keys.end()};
}

std::vector<std::string> names() {
  Servers& servers = here();
  const std::lock_guard lock(servers.mutex);
  std::vector<std::string> names;
  for (const auto& [name, server] : servers.by_name) names.push_back(name);
  return names;
}

}  // namespace redlock::memory
