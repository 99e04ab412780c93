// The wrappers that the linker puts before the system's own.
#include "support/system_calls.hpp"

#include <fcntl.h>
#include <hiredis/read.h>
#include <poll.h>
#include <pthread.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <stdexcept>

namespace redlock::test {

namespace {
thread_local SystemCalls* current = nullptr;

bool fails(const char* name) { return current != nullptr && current->fails(name); }
bool fails_by_name(const char* name) { return current != nullptr && current->fails_by_name(name); }
}  // namespace

SystemCalls::SystemCalls() {
  if (current != nullptr) throw std::logic_error("one plan at a time");
  current = this;
}

SystemCalls::~SystemCalls() { current = nullptr; }

void SystemCalls::fail(std::size_t n, int error, std::string only) {
  left_ = n;
  error_ = error;
  only_ = std::move(only);
  failed_ = false;
  lasting_ = false;
}

void SystemCalls::fail_from(std::size_t n, int error) {
  fail(n, error);
  lasting_ = true;
}

bool SystemCalls::fails(const char* name) {
  if (!left_ || (!only_.empty() && only_ != name)) return false;
  if (*left_ > 0) {
    --*left_;
    return false;
  }
  if (!lasting_) left_.reset();
  failed_ = true;
  errno = error_;
  return true;
}

}  // namespace redlock::test

using redlock::test::current;
using redlock::test::fails;
using redlock::test::fails_by_name;

// What --wrap=name calls the system's own and ours.
extern "C" {
pid_t __real_getpid();
pid_t __wrap_getpid() {
  return current != nullptr && current->process_id ? *current->process_id : __real_getpid();
}

int __real_clock_gettime(clockid_t clock, timespec* time);
int __wrap_clock_gettime(clockid_t clock, timespec* time) {
  if (current != nullptr) current->clocks.push_back(clock);
  if (current != nullptr && current->wall_ms && clock == CLOCK_REALTIME) {
    *time = {*current->wall_ms / 1'000, *current->wall_ms % 1'000 * 1'000'000};
    return 0;
  }
  return __real_clock_gettime(clock, time);
}

ssize_t __real_getrandom(void* bytes, size_t size, unsigned flags);
ssize_t __wrap_getrandom(void* bytes, size_t size, unsigned flags) {
  return fails("getrandom") ? -1 : __real_getrandom(bytes, size, flags);
}

int __real_socket(int domain, int type, int protocol);
int __wrap_socket(int domain, int type, int protocol) {
  return fails("socket") ? -1 : __real_socket(domain, type, protocol);
}

int __real_connect(int descriptor, const sockaddr* name, socklen_t size);
int __wrap_connect(int descriptor, const sockaddr* name, socklen_t size) {
  return fails("connect") ? -1 : __real_connect(descriptor, name, size);
}

int __real_setsockopt(int descriptor, int level, int option, const void* value, socklen_t size);
int __wrap_setsockopt(int descriptor, int level, int option, const void* value, socklen_t size) {
  return fails("setsockopt") ? -1 : __real_setsockopt(descriptor, level, option, value, size);
}

int __real_getsockopt(int descriptor, int level, int option, void* value, socklen_t* size);
int __wrap_getsockopt(int descriptor, int level, int option, void* value, socklen_t* size) {
  return fails("getsockopt") ? -1 : __real_getsockopt(descriptor, level, option, value, size);
}

ssize_t __real_send(int descriptor, const void* bytes, size_t size, int flags);
ssize_t __wrap_send(int descriptor, const void* bytes, size_t size, int flags) {
  return fails("send") ? -1 : __real_send(descriptor, bytes, size, flags);
}

ssize_t __real_recv(int descriptor, void* bytes, size_t size, int flags);
ssize_t __wrap_recv(int descriptor, void* bytes, size_t size, int flags) {
  return fails("recv") ? -1 : __real_recv(descriptor, bytes, size, flags);
}

int __real_poll(pollfd* polled, nfds_t count, int timeout_ms);
int __wrap_poll(pollfd* polled, nfds_t count, int timeout_ms) {
  return fails("poll") ? -1 : __real_poll(polled, count, timeout_ms);
}

int __real_ppoll(pollfd* polled, nfds_t count, const timespec* timeout, const sigset_t* mask);
int __wrap_ppoll(pollfd* polled, nfds_t count, const timespec* timeout, const sigset_t* mask) {
  return fails("ppoll") ? -1 : __real_ppoll(polled, count, timeout, mask);
}

int __real_eventfd(unsigned initial, int flags);
int __wrap_eventfd(unsigned initial, int flags) {
  return fails("eventfd") ? -1 : __real_eventfd(initial, flags);
}

int __real_timerfd_create(int clock, int flags);
int __wrap_timerfd_create(int clock, int flags) {
  return fails("timerfd_create") ? -1 : __real_timerfd_create(clock, flags);
}

// As Linux does it: the descriptor is gone all the same.
int __real_close(int descriptor);
int __wrap_close(int descriptor) {
  const bool failing = fails("close");
  const int error = errno;
  const int result = __real_close(descriptor);
  if (!failing) return result;
  errno = error;
  return -1;
}

int __real_pipe2(int* ends, int flags);
int __wrap_pipe2(int* ends, int flags) { return fails("pipe2") ? -1 : __real_pipe2(ends, flags); }

// Says what is wrong by its result, and leaves errno alone.
int __real_pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                          void* (*start)(void*), void* argument);
int __wrap_pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                          void* (*start)(void*), void* argument) {
  return fails("pthread_create") ? errno
                                 : __real_pthread_create(thread, attributes, start, argument);
}

int __real_nanosleep(const timespec* span, timespec* left);
int __wrap_nanosleep(const timespec* span, timespec* left) {
  return fails("nanosleep") ? -1 : __real_nanosleep(span, left);
}

int __real_shutdown(int descriptor, int how);
int __wrap_shutdown(int descriptor, int how) {
  return fails("shutdown") ? -1 : __real_shutdown(descriptor, how);
}

// Of hiredis: no memory.
redisReader* __real_redisReaderCreateWithFunctions(redisReplyObjectFunctions* functions);
redisReader* __wrap_redisReaderCreateWithFunctions(redisReplyObjectFunctions* functions) {
  return fails_by_name("redisReaderCreateWithFunctions")
             ? nullptr
             : __real_redisReaderCreateWithFunctions(functions);
}

int __real_redisReaderFeed(redisReader* reader, const char* bytes, size_t size);
int __wrap_redisReaderFeed(redisReader* reader, const char* bytes, size_t size) {
  return fails_by_name("redisReaderFeed") ? REDIS_ERR : __real_redisReaderFeed(reader, bytes, size);
}
}
