// The writer of requests, and hiredis' reader, bounded.
#include "redlock/wire/codec.hpp"

#include <dlfcn.h>
#include <hiredis/hiredis.h>

#include <algorithm>
#include <charconv>
#include <new>

#include "redlock/algorithm/invariant.hpp"

namespace redlock {

namespace {

constexpr std::size_t kSliceBytes = 8 * 1024;

constexpr std::string_view kLineEnd = "\r\n";

std::size_t digits_of(std::size_t number) {
  std::size_t digits = 1;
  for (; number >= 10; number /= 10) ++digits;
  return digits;
}
// Of the line that says a length.
std::size_t line_bytes(std::size_t length) { return 1 + digits_of(length) + kLineEnd.size(); }

char* end_line(char* at) { return at + kLineEnd.copy(at, kLineEnd.size()); }
char* put_line(char* at, char kind, std::size_t length) {
  *at++ = kind;
  return end_line(std::to_chars(at, at + digits_of(length), length).ptr);
}

// The library's own constructors, fetched once from a reader it made.
const redisReplyObjectFunctions& library_functions() {
  static const redisReplyObjectFunctions kFunctions = [] {
    redisReader* reader = redisReaderCreate();
    if (reader == nullptr) throw std::bad_alloc();
    const redisReplyObjectFunctions functions = *reader->fn;
    redisReaderFree(reader);
    return functions;
  }();
  return kFunctions;
}

std::size_t nesting_of(const redisReadTask* task) {
  std::size_t depth = 1;
  for (; task->parent != nullptr; task = task->parent) ++depth;
  return depth;
}

// The element count's type differs between hiredis versions. A null result makes the reader
// stop before it descends.
template <class Count>
void* create_bounded_array(const redisReadTask* task, Count elements) {
  if (static_cast<std::size_t>(elements) > kReplyElementsMax) return nullptr;
  if (nesting_of(task) > kReplyNestingMax) return nullptr;
  return library_functions().createArray(task, elements);
}

redisReplyObjectFunctions* bounded_functions() {
  static redisReplyObjectFunctions functions = [] {
    redisReplyObjectFunctions bounded = library_functions();
    bounded.createArray = create_bounded_array;
    return bounded;
  }();
  return &functions;
}

RespKind kind_of(int type) {
  switch (type) {
    case REDIS_REPLY_STATUS:
      return RespKind::status;
    case REDIS_REPLY_ERROR:
      return RespKind::error;
    case REDIS_REPLY_INTEGER:
      return RespKind::integer;
    case REDIS_REPLY_STRING:
      return RespKind::bulk;
    case REDIS_REPLY_NIL:
      return RespKind::nil;
    case REDIS_REPLY_ARRAY:
      return RespKind::array;
    default:
      return RespKind::other;
  }
}

// As deep as the reader lets replies nest.
RespValue value_of(const redisReply& reply) {
  RespValue value{kind_of(reply.type), reply.integer, {}};
  if (reply.str != nullptr) value.text.assign(reply.str, reply.len);
  if (value.kind != RespKind::array) return value;
  value.elements.reserve(reply.elements);
  for (std::size_t i = 0; i < reply.elements; ++i) {
    value.elements.push_back(value_of(*reply.element[i]));
  }
  return value;
}

struct FreeReader {
  void operator()(redisReader* reader) const { redisReaderFree(reader); }
};
struct FreeReply {
  void operator()(void* reply) const { freeReplyObject(reply); }
};

}  // namespace

struct RespReader::State {
  std::unique_ptr<redisReader, FreeReader> reader;
};

RespReader::RespReader() : state_(std::make_unique<State>()) {
  state_->reader.reset(redisReaderCreateWithFunctions(bounded_functions()));
  if (!state_->reader) throw std::bad_alloc();
}
RespReader::~RespReader() = default;
RespReader::RespReader(RespReader&&) noexcept = default;
RespReader& RespReader::operator=(RespReader&&) noexcept = default;

void RespReader::feed(std::string_view bytes) {
  if (!error_.empty()) return;
  backlog_.append(bytes);
}

void RespReader::feed_slice() {
  const std::size_t size = std::min(kSliceBytes, backlog_.size() - backlog_offset_);
  if (redisReaderFeed(state_->reader.get(), backlog_.data() + backlog_offset_, size) != REDIS_OK) {
    throw std::bad_alloc();
  }
  backlog_offset_ += size;
  open_bytes_ += size;
  if (backlog_offset_ == backlog_.size()) {
    backlog_.clear();
    backlog_offset_ = 0;
  }
}

std::size_t RespReader::unread() const { return state_->reader->len - state_->reader->pos; }

std::optional<RespValue> RespReader::next() {
  while (error_.empty()) {
    void* raw = nullptr;
    if (redisReaderGetReply(state_->reader.get(), &raw) != REDIS_OK) {
      const bool bounded = state_->reader->err == REDIS_ERR_OOM;
      error_ = bounded ? "the reply is nested too deeply or has too many elements"
                       : std::string(state_->reader->errstr);
      break;
    }
    const std::size_t reply_bytes = open_bytes_ - (raw != nullptr ? unread() : 0);
    if (raw != nullptr) {
      const std::unique_ptr<void, FreeReply> owner(raw);
      open_bytes_ -= reply_bytes;
      if (reply_bytes <= kReplyBytesMax) return value_of(*static_cast<const redisReply*>(raw));
    }
    if (reply_bytes > kReplyBytesMax) {
      error_ = "the reply is longer than 65536 bytes";
      break;
    }
    if (backlog_.empty()) return std::nullopt;
    feed_slice();
  }
  return std::nullopt;
}

void append_command(std::string& out, std::span<const std::string_view> arguments) {
  REDLOCK_INVARIANT(!arguments.empty());
  std::size_t bytes = line_bytes(arguments.size());
  for (const std::string_view argument : arguments) {
    bytes += line_bytes(argument.size()) + argument.size() + kLineEnd.size();
  }
  const std::size_t before = out.size();
  out.resize(before + bytes);
  char* at = put_line(out.data() + before, '*', arguments.size());
  for (const std::string_view argument : arguments) {
    at = put_line(at, '$', argument.size());
    at = end_line(at + argument.copy(at, argument.size()));
  }
}

std::string hiredis_version_built() {
  return std::to_string(HIREDIS_MAJOR) + "." + std::to_string(HIREDIS_MINOR) + "." +
         std::to_string(HIREDIS_PATCH);
}

std::string hiredis_origin() {
  static const char kHere = 0;
  Dl_info own{};
  Dl_info info{};
  void* address = nullptr;
  const auto function = &redisReaderCreateWithFunctions;
  static_assert(sizeof(address) == sizeof(function));
  __builtin_memcpy(&address, &function, sizeof(address));
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return {};
  if (dladdr(&kHere, &own) != 0 && own.dli_fbase == info.dli_fbase) return "linked in";
  return info.dli_fname;
}

}  // namespace redlock
