// The settings of phpredis, Predis, Laravel and Symfony that say nothing to a lock.
#include "redlock/config/field_names.hpp"

#include <algorithm>
#include <array>

#include "redlock/config/endpoint.hpp"
#include "redlock/config/refusal.hpp"

namespace redlock {

namespace {

constexpr std::array<std::string_view, 32> kIdle{
    // Connections are kept, kept alive and made anew here without being told how.
    "persistent", "persistent_id", "conn_uid", "lazy", "async_connect", "tcp_keepalive",
    "tcp_nodelay", "retry_interval", "retryInterval", "max_retries", "command_retries", "retry",
    "backoff", "backoff_algorithm", "backoff_base", "backoff_cap",
    // The timeout bounds the answer too.
    "readTimeout", "read_timeout", "read_write_timeout",
    // How values are written, and which class speaks: a lock's value is its token, as it is.
    "serializer", "compression", "compression_level", "pack_ignore_numbers", "scan", "class",
    "protocol",
    // Names and weights of a connection among others, and who takes over for whom.
    "alias", "name", "weight", "failover", "driver", "client"};

constexpr std::array<std::string_view, 9> kSeveral{
    "cluster",         "redis_cluster",  "relay_cluster_context", "sentinels", "sentinel",
    "sentinel_master", "redis_sentinel", "replication",           "service"};

}  // namespace

FieldMeaning meaning_of(std::string_view name) {
  if (name == "prefix") return FieldMeaning::prefix;
  if (std::ranges::find(kIdle, name) != kIdle.end()) return FieldMeaning::idle;
  if (std::ranges::find(kSeveral, name) != kSeveral.end()) return FieldMeaning::several;
  return FieldMeaning::unknown;
}

void refuse_several(std::string_view name) {
  refuse(std::string(name) + " is for a cluster or Sentinel, which cannot be used yet");
}

void refuse_prefix() {
  refuse("prefix would change the names of keys: begin the names of your locks with it instead");
}

void refuse_several_hosts() {
  refuse(
      "a server has one host: name each host as a server of its own (a cluster or Sentinel "
      "cannot be used yet)");
}

}  // namespace redlock
