// One non-blocking connection to one server, with hiredis as nothing but the RESP codec.
//
// Replies arrive strictly in the order of the commands, so counting them is enough: the answer to
// the newest command is the one after which nothing is awaited any more.
// An error reply throws: the limit measures a healthy conversation and nothing else.
// One thread; lives as long as its QuorumLock.
#pragma once
#include <hiredis/hiredis.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace bench {

class Connection {
 public:
  explicit Connection(std::uint16_t port);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Takes the bytes of exactly one command; what the socket does not accept waits for flush().
  void send(std::string_view command);
  void flush();
  // Reads what is there. Gives the vote of the newest command once it has arrived; the answers to
  // older commands are consumed and dropped.
  [[nodiscard]] std::optional<bool> receive();

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] bool has_unsent() const { return !unsent_.empty(); }
  [[nodiscard]] bool is_awaiting() const { return awaited_ > 0; }

 private:
  struct ReaderDeleter {
    void operator()(redisReader* reader) const { redisReaderFree(reader); }
  };

  int descriptor_;
  std::unique_ptr<redisReader, ReaderDeleter> reader_;
  std::string unsent_;
  std::uint64_t awaited_ = 0;
};

}  // namespace bench
