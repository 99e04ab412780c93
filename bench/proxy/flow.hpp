// One direction of a proxied connection, and the sockets below it.
//
// Invariant: what was read and what is unsent together stay near kBufferedMax; a sink that does not
// take its bytes stops the reading, so memory stays bounded. One thread.
#pragma once
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace bench {

using Clock = std::chrono::steady_clock;

inline constexpr std::size_t kBufferedMax = 1U << 20U;

// Owns a descriptor.
class Socket {
 public:
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept : descriptor_(other.descriptor_) { other.descriptor_ = -1; }
  Socket& operator=(Socket&&) = delete;
  ~Socket();
  [[nodiscard]] int get() const { return descriptor_; }

 private:
  int descriptor_;
};

// All on 127.0.0.1, non-blocking, without Nagle's delay.
Socket listen_on_free_port();
Socket accept_from(const Socket& listener);
Socket connect_to(std::uint16_t port);
std::uint16_t port_of(const Socket& socket);

class Flow {
 public:
  // `back`: the other direction, where this one is the client's.
  Flow(std::shared_ptr<Socket> source, std::shared_ptr<Socket> sink,
       std::shared_ptr<const Flow> back = nullptr)
      : source_(std::move(source)), sink_(std::move(sink)), back_(std::move(back)) {}

  // What the source has; an empty string is the end of the stream, nothing means nothing yet.
  [[nodiscard]] std::optional<std::string> read();
  // Gives the sink bytes whose delay is over; an empty string ends the stream.
  void deliver(const std::string& bytes);
  void flush();

  // A negative descriptor is skipped by poll(2): an ended source reports POLLHUP for ever.
  [[nodiscard]] int source() const { return source_ended_ ? -1 : source_->get(); }
  [[nodiscard]] int sink() const { return has_unsent() ? sink_->get() : -1; }
  [[nodiscard]] bool may_read() const { return delayed_ + unsent_.size() < kBufferedMax; }
  [[nodiscard]] bool has_unsent() const { return !unsent_.empty(); }
  [[nodiscard]] bool is_over() const { return sink_ended_; }
  // The client has seen nothing yet that came back.
  [[nodiscard]] bool is_connecting() const { return back_ && !back_->has_delivered_; }

 private:
  void end_sink();

  std::shared_ptr<Socket> source_;
  std::shared_ptr<Socket> sink_;
  std::shared_ptr<const Flow> back_;
  std::string unsent_;
  std::size_t delayed_ = 0;
  bool has_delivered_ = false;
  bool source_ended_ = false;
  bool end_delivered_ = false;
  bool sink_ended_ = false;
};

}  // namespace bench
