// getaddrinfo(3), on the spot for numbers and on a thread for names.
#include "redlock/runtime/resolver.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <memory>
#include <system_error>
#include <thread>

namespace redlock {

namespace {

std::string name_of(const std::string& host, std::uint16_t port) {
  return host + ':' + std::to_string(port);
}

struct FreeAddresses {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};

Resolution look_up(const std::string& host, std::uint16_t port, int flags) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const int error = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
  Resolution resolution;
  if (error != 0) {
    resolution.failure = std::string("the host name cannot be resolved: ") + gai_strerror(error);
    return resolution;
  }
  const std::unique_ptr<addrinfo, FreeAddresses> owner(list);
  for (; list != nullptr && resolution.addresses.size() < kAddressesMax; list = list->ai_next) {
    SocketAddress address;
    if (list->ai_addrlen > sizeof(address.storage)) continue;
    std::memcpy(&address.storage, list->ai_addr, list->ai_addrlen);
    address.length = list->ai_addrlen;
    address.family = list->ai_family;
    resolution.addresses.push_back(address);
  }
  return resolution;
}

class ThreadJob final : public ResolveJob {
 public:
  ThreadJob(std::string host, std::uint16_t port)
      : name_(name_of(host, port)),
        host_(std::move(host)),
        port_(port),
        descriptor_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (descriptor_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  }
  ThreadJob(const ThreadJob&) = delete;
  ThreadJob& operator=(const ThreadJob&) = delete;
  ~ThreadJob() override { ::close(descriptor_); }

  [[nodiscard]] int descriptor() const override { return descriptor_; }
  [[nodiscard]] bool done() const override { return done_.load(std::memory_order_acquire); }
  [[nodiscard]] Resolution result() const override { return result_; }
  [[nodiscard]] const std::string& name() const override { return name_; }

  // Runs on the thread; the only writer of result_, before done_.
  void run() {
    result_ = look_up(host_, port_, 0);
    done_.store(true, std::memory_order_release);
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = write(descriptor_, &one, sizeof(one));
  }

 private:
  std::string name_;
  std::string host_;
  std::uint16_t port_;
  int descriptor_;
  Resolution result_;
  std::atomic<bool> done_ = false;
};

// Signals are the host program's business: none may be delivered to our thread.
void start_thread(std::shared_ptr<ThreadJob> job) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread([job = std::move(job)] { job->run(); }).detach();
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace

Resolver::Answer Resolver::resolve(const std::string& host, std::uint16_t port, Instant now) {
  const std::string name = name_of(host, port);
  if (const auto known = known_.find(name); known != known_.end()) {
    if (now < known->second.until) return {known->second.resolution, nullptr};
    known_.erase(known);
  }
  Resolution numeric = look_up(host, port, AI_NUMERICHOST);
  if (!numeric.addresses.empty()) return {std::move(numeric), nullptr};
  // A look-up that outlasted its caller serves the next one, unless that comes much later.
  std::erase_if(jobs_, [now](const auto& begun) {
    return begun.second.job->done() && now >= begun.second.since + kResolvedFor;
  });
  if (const auto begun = jobs_.find(name); begun != jobs_.end()) return {{}, begun->second.job};
  try {
    auto job = std::make_shared<ThreadJob>(host, port);
    start_thread(job);
    jobs_[name] = Begun{job, now};
    return {{}, std::move(job)};
  } catch (const std::system_error& error) {
    // No descriptor or no thread to be had: one server's trouble, as any other failure.
    return {{{}, std::string("the host name cannot be resolved: ") + error.what()}, nullptr};
  }
}

void Resolver::remember(const ResolveJob& job, Instant now) {
  if (known_.size() >= kResolvedNamesMax) known_.clear();
  Resolution resolution = job.result();
  // A failure is worth asking again.
  if (!resolution.addresses.empty()) {
    known_[job.name()] = Known{std::move(resolution), now + kResolvedFor};
  }
  jobs_.erase(std::string(job.name()));
}

void Resolver::forget(const std::string& host, std::uint16_t port) {
  known_.erase(name_of(host, port));
}

void Resolver::forget_all() {
  known_.clear();
  jobs_.clear();
}

}  // namespace redlock
