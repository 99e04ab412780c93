// The servers of memory:// in this process: what is under which name, and who is connected.
//
// They are shared by the threads of a process and end with it; a child of a fork begins with none.
// For tests and for trying things out: what a majority of them promises ends with the process.
// Any thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace redlock::memory {

// So much may a server that is silent have unread; whoever sends more waits.
inline constexpr std::size_t kUnreadBytesMax = 1024 * 1024;

// Ten years: so far ahead may a clock run.
inline constexpr std::int64_t kAheadMsMax = 315'360'000'000;

enum class Mood {
  serves,
  silent,   // lets connect and send, and answers when it serves again
  refuses,  // nobody is connected, nor can be
};

class MemoryServer;
struct Servers;

// One connection, of the thread that opened it; its server tells it things from any thread.
class Link {
 public:
  Link(Servers& servers, std::shared_ptr<MemoryServer> server);
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;
  // What was sent to a silent server is still carried out.
  ~Link();

  // So many bytes were taken or given; 0: none can be now.
  [[nodiscard]] std::size_t send(std::string_view bytes);
  [[nodiscard]] std::size_t receive(std::span<char> into);
  [[nodiscard]] bool readable() const;
  [[nodiscard]] bool writable() const;
  // The server hangs up, or refused to be connected to; or this is a child of its process.
  [[nodiscard]] bool ended() const;

 private:
  [[nodiscard]] bool inherited() const;

  Servers& servers_;
  std::uint64_t session_;  // 0: none
  // In a union, so that a child can leave it alone: the destructor is called by hand.
  union {
    std::shared_ptr<MemoryServer> server_;
  };
};

// Connects to memory://NAME; the server is there from the first time on.
[[nodiscard]] std::unique_ptr<Link> connect(const std::string& name);
// All keys and lines are gone, every server serves, and clocks are right.
void forget_all() noexcept;

// For tests. Of the servers under these names; without any: of all, and of those to come.
using Names = std::span<const std::string>;
// In all no further than kAheadMsMax.
void advance(Names names, std::int64_t ms);
void set_mood(Names names, Mood mood);
// Keys and lines are gone; connections and scripts stay.
void forget(Names names);
// The key is gone from every database, as if somebody had deleted it: nobody who stands in line is
// handed the lock.
void take_away(Names names, std::string_view key);
// What they hold, each once and in order.
[[nodiscard]] std::vector<std::string> keys(Names names);
[[nodiscard]] std::vector<std::string> names();

}  // namespace redlock::memory
