// The table of fault classes.
#include "sim/faults.hpp"

namespace redlock::sim {

namespace {

using enum FaultClass;
constexpr Model kIn = Model::inside;
constexpr Model kOut = Model::outside;
constexpr Scope kBoth = Scope::both;

constexpr std::array<FaultInfo, kFaultClasses> kTable{{
    {slow_link, "slow-link", kIn, kBoth, "answers take longer than their time-out"},
    {stall, "stall", kIn, kBoth, "nothing passes for a while, then all of it"},
    {partition_to_server, "partition-to-server", kIn, kBoth, "requests do not arrive"},
    {partition_to_client, "partition-to-client", kIn, kBoth, "answers do not arrive"},
    {reset_at_byte, "reset-at-byte", kIn, kBoth, "the connection breaks at some byte"},
    {slices, "slices", kIn, kBoth, "bytes arrive in slices"},
    {single_bytes, "single-bytes", kIn, kBoth, "bytes arrive one by one"},
    {short_writes, "short-writes", kIn, kBoth, "the kernel takes a few bytes at a time"},
    {half_open, "half-open", kIn, kBoth, "the connection is dead and nobody says so"},
    {server_closes, "server-closes", kIn, kBoth, "the server closes an idle connection"},
    {crash_keep, "crash-keep", kIn, kBoth, "crash and restart with all data"},
    {crash_lose_second_late, "crash-lose-second-late", kIn, kBoth,
     "crash, last second lost, restart after the longest TTL"},
    {crash_lose_all_late, "crash-lose-all-late", kIn, kBoth,
     "crash, all data lost, restart after the longest TTL"},
    {machine_down, "machine-down", kIn, kBoth, "the machine vanishes for a while, data kept"},
    {stop_resume, "stop-resume", kIn, kBoth, "the server process is stopped and resumed"},
    {command_pause, "command-pause", kIn, kBoth, "CLIENT PAUSE"},
    {loading, "loading", kIn, kBoth, "answers LOADING"},
    {out_of_memory, "out-of-memory", kIn, kBoth, "answers OOM"},
    {read_only, "read-only", kIn, kBoth, "answers READONLY"},
    {no_auth, "no-auth", kIn, kBoth, "asks new connections for a password"},
    {busy, "busy", kIn, kBoth, "answers BUSY"},
    {script_flush, "script-flush", kIn, kBoth, "SCRIPT FLUSH"},
    {server_clock_rate, "server-clock-rate", kIn, kBoth, "clock rate off within the bound"},
    {client_clock_rate, "client-clock-rate", kIn, kBoth, "clock rate off within the bound"},
    {client_wall_step, "client-wall-step", kIn, kBoth, "a client's wall clock is set"},
    {client_pause, "client-pause", kIn, kBoth, "the process pauses between or within steps"},
    {client_kill, "client-kill", kIn, kBoth, "the process is killed at some step"},
    {clean_exit, "clean-exit", kIn, kBoth, "the process ends right after a release"},
    {forgetful_network, "forgetful-network", kIn, kBoth,
     "idle flows are forgotten without a word, and clients rest for seconds"},
    {reply_at_timeout, "reply-at-timeout", kIn, kBoth, "answers in the instant of the time-out"},
    {duplicate_release, "duplicate-release", kIn, kBoth, "the lock is released twice"},
    {hostile_type, "hostile-type", kIn, kBoth, "an answer of a wrong type"},
    {hostile_oversized, "hostile-oversized", kIn, kBoth, "an answer beyond the bound"},
    {hostile_nested, "hostile-nested", kIn, kBoth, "an answer nested too deeply"},
    {hostile_garbage, "hostile-garbage", kIn, kBoth, "an answer that is no RESP"},
    {hostile_missing, "hostile-missing", kIn, kBoth, "an answer too few"},
    {refused_select, "refused-select", kIn, kBoth, "SELECT is refused"},
    {too_many_clients, "too-many-clients", kIn, kBoth, "new connections are refused in words"},
    {cannot_save, "cannot-save", kIn, kBoth, "answers MISCONF"},
    {no_permission, "no-permission", kIn, kBoth, "answers NOPERM"},
    {full_send_queue, "full-send-queue", kIn, kBoth, "the kernel takes nothing for a while"},
    {gives_up, "gives-up", kIn, kBoth, "a call is given up before it is decided"},
    {request_end, "request-end", kIn, kBoth, "a request ends, between two calls or in one"},
    {forks, "forks", kIn, kBoth, "the process forks, and its child goes on"},
    {signals, "signals", kIn, kBoth, "signals interrupt waiting"},
    {suspends, "suspends", kIn, kBoth, "a client's machine sleeps, and so do its timers"},
    {slow_look_up, "slow-look-up", kIn, kBoth, "names are found late, or an address is dead"},
    {failing_look_up, "failing-look-up", kIn, kBoth, "names are not found"},
    {no_descriptors, "no-descriptors", kIn, kBoth, "a client cannot open another connection"},
    {reset_on_close, "reset-on-close", kIn, kBoth,
     "an answer meets a closed connection, and what the server has not read is lost"},
    {hostile_extra, "hostile-extra", kOut, kBoth, "an answer too many, which may fit"},
    {crash_lose_second_at_once, "crash-lose-second-at-once", kOut, kBoth,
     "crash, last second lost, restart at once"},
    {crash_lose_all_at_once, "crash-lose-all-at-once", kOut, kBoth,
     "crash without persistence, restart at once"},
    {fail_over_lagging, "fail-over-lagging", kOut, kBoth, "fail-over to a replica that lags"},
    {flush_all, "flush-all", kOut, kBoth, "FLUSHALL"},
    {eviction, "eviction", kOut, kBoth, "the lock's key is evicted"},
    {server_clock_forward, "server-clock-forward", kOut, kBoth, "a server's clock jumps ahead"},
    {server_clock_back, "server-clock-back", kOut, kBoth, "a server's clock jumps back"},
    {server_clock_wild, "server-clock-wild", kOut, kBoth, "a clock rate beyond the bound"},
    {holder_overstays, "holder-overstays", kOut, kBoth,
     "the holder pauses past its lease and goes on"},
    {server_lies, "server-lies", kOut, kBoth, "a server grants what it has not done"},
    {legacy_clients, "legacy-clients", kOut, Scope::stamp,
     "clients that run the documents' four commands"},
    {legacy_clock_skew, "legacy-clock-skew", kOut, Scope::stamp,
     "the same, with clocks that are wrong"},
    {legacy_wall_step, "legacy-wall-step", kOut, Scope::stamp,
     "the same, with clocks that are set meanwhile"},
    {listener_reset, "listener-reset", kIn, Scope::quorum, "a connection that listens breaks"},
    {listener_closed, "listener-closed", kIn, Scope::quorum,
     "the server closes a connection that listens"},
    {listener_half_open, "listener-half-open", kIn, Scope::quorum,
     "what is published is lost, and nobody says so"},
    {no_channels, "no-channels", kIn, Scope::quorum, "an ACL without channels"},
    {no_line_keys, "no-line-keys", kIn, Scope::quorum, "an ACL without the lines' keys"},
    {power_cut, "power-cut", kIn, Scope::quorum, "the process is gone, and nobody says so"},
}};

consteval bool in_order() {
  for (std::size_t i = 0; i < kFaultClasses; ++i) {
    if (static_cast<std::size_t>(kTable[i].fault_class) != i) return false;
  }
  return true;
}
static_assert(in_order(), "the table is indexed by FaultClass");

}  // namespace

const std::array<FaultInfo, kFaultClasses>& fault_table() { return kTable; }

std::optional<FaultClass> fault_class_named(std::string_view name) {
  for (const FaultInfo& info : kTable) {
    if (info.name == name) return info.fault_class;
  }
  return std::nullopt;
}

}  // namespace redlock::sim
