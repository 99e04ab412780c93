// Taking requests apart and handing out answers.
#include "exhaustive/product_wire.hpp"

#include <algorithm>
#include <charconv>

#include "exhaustive/machine_operation.hpp"
#include "redlock/wire/translate.hpp"

namespace redlock::exhaustive {

namespace {

constexpr int kRoundsMax = 2;

// The number behind the mark at `at`, which moves behind its line.
std::size_t number_at(std::string_view bytes, std::size_t& at) {
  const std::size_t end = bytes.find("\r\n", at);
  std::size_t number = 0;
  if (end != std::string_view::npos) {
    std::from_chars(bytes.data() + at + 1, bytes.data() + end, number);
  }
  at = end + 2;
  return number;
}

// The product hands over whole requests, because everything that is sent is taken.
std::size_t request_size(std::string_view bytes) {
  std::size_t at = 0;
  const std::size_t arguments = number_at(bytes, at);
  for (std::size_t i = 0; i < arguments && at < bytes.size(); ++i) {
    const std::size_t size = number_at(bytes, at);
    at += size + 2;
  }
  return arguments == 0 ? bytes.size() : std::min(at, bytes.size());
}

}  // namespace

Code Dictionary::look_up(std::string_view request) {
  std::string key(request);
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  const Code code = find(key);
  if (code != kUnknownCode) known_.emplace(std::move(key), code);
  return code;
}

Code Dictionary::find(std::string request) const {
  for (int round = 0; round < kRoundsMax; ++round) {
    const std::string key = "\r\n" + key_of_round(round) + "\r\n";
    const std::size_t at = request.find(key);
    if (at == std::string::npos) continue;
    request.replace(at, key.size(), "\r\n" + key_of_round(0) + "\r\n");
    for (std::size_t i = 0; i < book_.size(); ++i) {
      const auto number = static_cast<int>(i);
      if (book_.at(number).bytes == request) return code_of(number, round, false);
      std::string by_sha1;
      append_request(by_sha1, book_.at(number).command, ScriptForm::sha1);
      // A take is the same to its server with a script and without one.
      if (by_sha1 == request) return code_of(number, round, book_.at(number).script != 0);
    }
  }
  return kUnknownCode;
}

ConnectionId ProductWire::open(const Endpoint& endpoint, Instant /*answer_by*/) {
  Connection connection;
  connection.server = endpoint.port;
  connection.broken = down_[endpoint.port];
  connections_.push_back(std::move(connection));
  greetings_left_.push_back(greetings_);
  return connections_.size();
}

ProductWire::Connection* ProductWire::to(int server) {
  const auto found = std::ranges::find_if(connections_, [server](const Connection& connection) {
    return connection.server == server && !connection.closed;
  });
  return found == connections_.end() ? nullptr : &*found;
}

bool ProductWire::any_unconnected() const {
  return std::ranges::any_of(connections_, [](const Connection& connection) {
    return !connection.connected && !connection.closed;
  });
}

LinkStatus ProductWire::status(ConnectionId connection) {
  at(connection).connected = true;
  return {LinkState::connected, redlock::Fault::none, {}};
}

IoResult ProductWire::send(ConnectionId connection, std::string_view bytes) {
  Connection& link = at(connection);
  link.outgoing += bytes;
  std::string_view rest = link.outgoing;
  while (!rest.empty()) {
    const std::string_view request = rest.substr(0, request_size(rest));
    rest.remove_prefix(request.size());
    int& greetings = greetings_left_[connection - 1];
    if (greetings > 0) {
      --greetings;
    } else {
      link.unanswered.push_back({dictionary_.look_up(request), false});
    }
  }
  link.outgoing.clear();
  return {IoState::progress, bytes.size(), {}};
}

IoResult ProductWire::receive(ConnectionId connection, std::span<char> into) {
  Connection& link = at(connection);
  if (!link.incoming.empty()) {
    const std::size_t size = std::min(into.size(), link.incoming.size());
    std::copy_n(link.incoming.begin(), size, into.begin());
    link.incoming.erase(0, size);
    return {IoState::progress, size, {}};
  }
  if (link.ended) return {IoState::ended, 0, "the connection broke"};
  return {};
}

void ProductWire::close(ConnectionId connection) {
  Connection& link = at(connection);
  link.closed = true;
  std::vector<Code> codes;
  for (const Sent& sent : link.unanswered) {
    if (!sent.executed) codes.push_back(sent.code);
  }
  if (!codes.empty() && !link.broken) left_.emplace_back(link.server, std::move(codes));
}

Woken ProductWire::wait(std::span<Interest> interests, Instant /*deadline*/) {
  bool any = false;
  for (Interest& interest : interests) {
    const Connection& link = at(interest.connection);
    interest.readable = !link.incoming.empty() || link.ended;
    interest.writable = interest.wants.write && (link.connected || may_connect_);
    any = any || interest.readable || interest.writable;
  }
  return any ? Woken::ready : Woken::deadline;
}

}  // namespace redlock::exhaustive
