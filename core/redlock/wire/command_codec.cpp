// What the families' codecs share.
#include "redlock/wire/command_codec.hpp"

#include <vector>

namespace redlock {

void RequestWriter::script(const Script& script, std::span<const Resource> keys,
                           std::initializer_list<std::string_view> arguments) const {
  const bool by_text = form_ == ScriptForm::text;
  const std::string key_count = std::to_string(keys.size());
  std::vector<std::string_view> all;
  all.reserve(3 + keys.size() + arguments.size());
  all.emplace_back(by_text ? "EVAL" : "EVALSHA");
  all.emplace_back(by_text ? script.text : script.sha1);
  all.emplace_back(key_count);
  for (const Resource& key : keys) all.emplace_back(key.view());
  all.insert(all.end(), arguments);
  append_command(out_, all);
}

ReadReply ScriptCodec::read_one_or_zero(const RespValue& value) {
  if (value.kind != RespKind::integer) return std::nullopt;
  if (value.integer == 1) return Reply::granted();
  if (value.integer == 0) return Reply::denied();
  return std::nullopt;
}

// A key of another type is certainly not ours.
ReadReply ScriptCodec::read_script_error(const RespValue& error) {
  if (mentions(error, "WRONGTYPE")) return Reply::denied();
  return std::nullopt;
}

std::string in_ms(Duration span) {
  const std::int64_t whole = span.count_ms();
  return std::to_string(span > Duration::ms(whole) ? whole + 1 : whole);
}

std::string in_ms_exactly(Duration span) {
  constexpr std::int64_t kNsPerMs = 1'000'000;
  const std::string past_point = std::to_string(span.count_ns() % kNsPerMs);
  return std::to_string(span.count_ms()) + '.' + std::string(6 - past_point.size(), '0') +
         past_point;
}

}  // namespace redlock
