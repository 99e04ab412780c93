// Running a step on a server that is made for it.
#include "exhaustive/holding_servers.hpp"

#include <algorithm>
#include <stdexcept>

#include "redlock/wire/codec.hpp"
#include "redlock/wire/translate.hpp"

namespace redlock::exhaustive {

namespace {

constexpr std::int64_t kBeginMs = 1'700'000'000'000;
constexpr std::int64_t kNsPerMs = 1'000'000;
// Instead of a command: that time passes.
constexpr std::uint16_t kTime = 0xffff;

std::uint64_t code_of(std::uint32_t state, std::uint16_t command, std::int64_t now_ms) {
  return state | static_cast<std::uint64_t>(command) << 24U |
         static_cast<std::uint64_t>(now_ms) << 40U;
}

std::string bytes_of(const sim::Entry& entry) {
  std::string bytes = entry.name + '=' + entry.value + '@';
  bytes += std::to_string(entry.expires_ms.value_or(0));
  for (const sim::Item& item : entry.items) {
    bytes += ',' + item.name + ':' + item.value + ':' + std::to_string(item.score);
  }
  return bytes + ';';
}

}  // namespace

HoldingServers::HoldingServers() {
  sim::Server nothing(engine_);
  enter(nothing);
}

std::uint16_t HoldingServers::number_of(const Command& command) {
  std::string bytes;
  append_request(bytes, command, ScriptForm::text);
  const auto number = static_cast<std::uint16_t>(commands_.size());
  const auto [known, is_new] = command_numbers_.emplace(std::move(bytes), number);
  if (is_new) commands_.push_back(command);
  return known->second;
}

sim::Server HoldingServers::restored(std::uint32_t state, std::int64_t now_ms) {
  sim::Server server(engine_);
  const std::int64_t now_ns = (kBeginMs + now_ms) * kNsPerMs;
  server.set_time(now_ns, now_ns);
  for (const sim::Entry& entry : states_[state]) server.keyspace().put(entry);
  return server;
}

HoldingServers::Step HoldingServers::run(std::uint32_t state, std::uint16_t command,
                                         std::int64_t now_ms) {
  const auto [known, is_new] = steps_.try_emplace(code_of(state, command, now_ms));
  if (!is_new) return known->second;
  sim::Server server = restored(state, now_ms);
  Step step;
  step.vote = ask(server, commands_[command]);
  step.state = enter(server);
  return steps_[code_of(state, command, now_ms)] = step;
}

Vote HoldingServers::ask(sim::Server& server, const Command& command) {
  std::string request;
  append_request(request, command, ScriptForm::text);
  sim::ServerSession session = server.accept(1);
  std::string answer;
  server.receive(session, request, answer);
  RespReader reader;
  reader.feed(answer);
  const std::optional<RespValue> resp = reader.next();
  const std::optional<Reply> reply = resp ? reply_to(command, *resp) : std::nullopt;
  if (!reply || reply->answer == Answer::unknown) {
    throw std::logic_error("a server answered what was not expected: " + answer);
  }
  if (reply->answer == Answer::granted) return Vote::granted;
  return reply->said<BusyResource>() != nullptr ? Vote::busy : Vote::denied;
}

std::uint32_t HoldingServers::at(std::uint32_t state, std::int64_t now_ms) {
  const auto [known, is_new] = steps_.try_emplace(code_of(state, kTime, now_ms));
  if (!is_new) return known->second.state;
  sim::Server server = restored(state, now_ms);
  const std::uint32_t left = enter(server);
  steps_[code_of(state, kTime, now_ms)].state = left;
  return left;
}

std::uint32_t HoldingServers::enter(sim::Server& server) {
  server.keyspace().drop_expired();
  std::vector<sim::Entry> entries = server.keyspace().entries();
  std::ranges::sort(entries, {}, &sim::Entry::name);
  std::string bytes;
  for (const sim::Entry& entry : entries) bytes += bytes_of(entry);
  const auto number = static_cast<std::uint32_t>(states_.size());
  const auto [known, is_new] = state_numbers_.emplace(std::move(bytes), number);
  if (is_new) states_.push_back(std::move(entries));
  return known->second;
}

std::size_t HoldingServers::keys_with(std::uint32_t state, std::string_view token) const {
  const auto holds = [&](const sim::Entry& entry) { return entry.value == token; };
  return static_cast<std::size_t>(std::ranges::count_if(states_[state], holds));
}

}  // namespace redlock::exhaustive
