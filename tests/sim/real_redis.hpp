// A private redis-server for comparing the simulated one with.
//
// It listens on a unix socket in a folder that is gone as soon as the connections stand, keeps
// nothing on disk, and dies with its parent: nothing is left behind however the test ends.
#pragma once
#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace redlock::sim {

class RealRedis {
 public:
  // Throws std::runtime_error when no server answers in time.
  explicit RealRedis(std::size_t connection_count);
  ~RealRedis();
  RealRedis(const RealRedis&) = delete;
  RealRedis& operator=(const RealRedis&) = delete;

  void send(std::size_t connection, std::string_view bytes);
  // The bytes of the next answer. Throws when none comes in time.
  [[nodiscard]] std::string receive(std::size_t connection);
  // Ends the connection; the server notices when it comes to it.
  void hang_up(std::size_t connection);

 private:
  void stop();

  pid_t process_ = -1;
  std::vector<int> sockets_;
  std::vector<std::string> buffers_;
};

// The length of the answer at the front of `bytes`; 0 while it is incomplete.
[[nodiscard]] std::size_t answer_size(std::string_view bytes);

}  // namespace redlock::sim
