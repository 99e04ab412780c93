// The questions, and reading INFO and the like.
#include "redlock/wire/facts.hpp"

#include <algorithm>
#include <charconv>

#include "redlock/wire/server_errors.hpp"

namespace redlock {

namespace {

constexpr Question kTime{Topic::time, {"TIME"}, 1};
constexpr std::array kQuestions{
    Question{Topic::server, {"INFO", "server"}, 2},
    Question{Topic::persistence, {"INFO", "persistence"}, 2},
    Question{Topic::memory, {"INFO", "memory"}, 2},
    Question{Topic::replication, {"INFO", "replication"}, 2},
    Question{Topic::role, {"ROLE"}, 1},
    Question{Topic::setting, {"CONFIG", "GET", "maxmemory-policy"}, 3},
    Question{Topic::setting, {"CONFIG", "GET", "appendfsync"}, 3},
    Question{Topic::setting, {"CONFIG", "GET", "save"}, 3},
    Question{Topic::user, {"ACL", "WHOAMI"}, 2},
    Question{Topic::cluster, {"CLUSTER", "INFO"}, 2},
    kTime,
    kTime,
    kTime,
    kTime,
    kTime,
};

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && rest == end ? std::optional(number) : std::nullopt;
}

std::optional<bool> flag_in(std::string_view text) {
  if (text != "0" && text != "1") return std::nullopt;
  return text == "1";
}

// The field of an INFO; nothing where it has none.
std::string_view field_of(std::string_view info, std::string_view name) {
  while (!info.empty()) {
    const std::string_view line = info.substr(0, info.find('\n'));
    info.remove_prefix(std::min(info.size(), line.size() + 1));
    if (!line.starts_with(name) || line.substr(name.size(), 1) != ":") continue;
    const std::string_view value = line.substr(name.size() + 1);
    return value.substr(0, value.find('\r'));
  }
  return {};
}

void read_server(ServerFacts& facts, std::string_view info) {
  // Valkey also says with which version of Redis it goes along.
  const std::string_view valkey = field_of(info, "valkey_version");
  const std::string_view redis = field_of(info, "redis_version");
  if (valkey.empty() && redis.empty()) return;
  facts.software = valkey.empty() ? "redis" : "valkey";
  facts.version = printable(valkey.empty() ? redis : valkey);
  facts.mode = printable(field_of(info, valkey.empty() ? "redis_mode" : "server_mode"));
  if (facts.mode.empty()) facts.mode = printable(field_of(info, "redis_mode"));
  facts.uptime_s = number_in(field_of(info, "uptime_in_seconds"));
  facts.run_id = printable(field_of(info, "run_id"));
}

void read_memory(ServerFacts& facts, std::string_view info) {
  facts.memory_max = number_in(field_of(info, "maxmemory"));
  facts.memory_policy = printable(field_of(info, "maxmemory_policy"));
}

std::string role_in(std::string_view word) { return word == "slave" ? "replica" : printable(word); }

void read_role(ServerFacts& facts, const RespValue& answer) {
  if (answer.kind != RespKind::array || answer.elements.empty()) return;
  facts.role = role_in(answer.elements.front().text);
}

void read_setting(ServerFacts& facts, std::string_view name, const RespValue& answer) {
  // Of a setting that it does not know a server says an empty list.
  if (answer.kind != RespKind::array || answer.elements.size() != 2) return;
  const std::string& value = answer.elements[1].text;
  if (name == "maxmemory-policy") facts.memory_policy = printable(value);
  if (name == "appendfsync") facts.append_sync = printable(value);
  if (name == "save") facts.saves = !value.empty();
}

std::string words_of(const Question& question) {
  std::string words;
  for (const std::string_view word : question.request()) {
    (words += words.empty() ? "" : " ") += word;
  }
  return words;
}

}  // namespace

std::span<const Question> questions() { return kQuestions; }

void read_answer(ServerFacts& facts, const Question& question, const RespValue& answer) {
  if (answer.kind == RespKind::error) {
    // Only a node of a cluster has anything to say of it, and it has said that it is one.
    if (question.topic == Topic::cluster && facts.mode != "cluster") return;
    std::string said = words_of(question) + ": " + answer.text;
    // The time is asked more than once.
    if (facts.untold.empty() || facts.untold.back() != said)
      facts.untold.push_back(std::move(said));
    return;
  }
  switch (question.topic) {
    case Topic::server:
      return read_server(facts, answer.text);
    case Topic::persistence:
      facts.loading = flag_in(field_of(answer.text, "loading"));
      facts.appends = flag_in(field_of(answer.text, "aof_enabled"));
      return;
    case Topic::memory:
      return read_memory(facts, answer.text);
    case Topic::replication:
      facts.role = role_in(field_of(answer.text, "role"));
      facts.replicas = number_in(field_of(answer.text, "connected_slaves"));
      return;
    case Topic::role:
      return read_role(facts, answer);
    case Topic::setting:
      return read_setting(facts, question.words[2], answer);
    case Topic::user:
      facts.user = printable(answer.text);
      return;
    case Topic::cluster:
      facts.cluster_shards = number_in(field_of(answer.text, "cluster_size"));
      facts.cluster_slots = number_in(field_of(answer.text, "cluster_slots_assigned"));
      return;
    case Topic::time:
      return;
  }
}

void read_info(ServerFacts& facts, std::string_view info) {
  read_server(facts, info);
  read_memory(facts, info);
  facts.role = role_in(field_of(info, "role"));
  facts.replicas = number_in(field_of(info, "connected_slaves"));
}

std::optional<std::int64_t> time_in(const RespValue& answer) {
  if (answer.kind != RespKind::array || answer.elements.size() != 2) return std::nullopt;
  const auto seconds = number_in(answer.elements[0].text);
  const auto rest = number_in(answer.elements[1].text);
  // Later than the year 5000 it is nonsense, and would not fit.
  constexpr std::int64_t kSecondsMax = 100'000'000'000;
  if (!seconds || !rest || *seconds < 0 || *seconds > kSecondsMax || *rest < 0 || *rest > 999'999) {
    return std::nullopt;
  }
  return *seconds * 1'000'000 + *rest;
}

}  // namespace redlock
