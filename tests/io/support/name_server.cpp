// As much of DNS as a stub resolver's plain questions need.
#include "io/support/name_server.hpp"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>

#include "io/support/loopback.hpp"

namespace redlock::test {

namespace {

constexpr std::size_t kHeaderBytes = 12;
constexpr std::size_t kQuestionTailBytes = 4;  // type and class
constexpr std::uint8_t kServfail = 2;
constexpr std::uint8_t kNxdomain = 3;
constexpr std::uint8_t kTypeA = 1;
constexpr std::uint8_t kCutShort = 2;  // in the byte of the reply's flags

struct Question {
  std::string name;
  std::uint16_t type = 0;
  std::string bytes;
};

// The only question of a query; without a name where the query is not understood.
Question question_of(const std::string& query) {
  Question question;
  std::size_t at = kHeaderBytes;
  while (at < query.size() && query[at] != 0) {
    const auto length = static_cast<std::uint8_t>(query[at]);
    if (at + 1 + length >= query.size()) return {};
    question.name += (question.name.empty() ? "" : ".") + query.substr(at + 1, length);
    at += 1 + length;
  }
  const std::size_t end = at + 1 + kQuestionTailBytes;
  if (end > query.size()) return {};
  question.type = static_cast<std::uint8_t>(query[at + 2]);
  question.bytes = query.substr(kHeaderBytes, end - kHeaderBytes);
  for (char& letter : question.name) letter = static_cast<char>(std::tolower(letter));
  return question;
}

std::string reply_to(const std::string& query, const Question& question, std::uint8_t code,
                     const std::vector<std::string>& addresses) {
  std::string reply = query.substr(0, 2);
  reply += {'\x81', static_cast<char>(0x80 | code), 0, 1, 0};
  reply += static_cast<char>(addresses.size());
  reply += {0, 0, 0, 0};
  reply += question.bytes;
  for (const std::string& text : addresses) {
    in_addr address{};
    require(inet_pton(AF_INET, text.c_str(), &address) == 1, "inet_pton");
    // The name by reference, A, IN, a TTL of 0 seconds, four bytes.
    reply += {'\xc0', kHeaderBytes, 0, kTypeA, 0, 1, 0, 0, 0, 0, 0, 4};
    reply.append(reinterpret_cast<const char*>(&address), sizeof(address));
  }
  return reply;
}

}  // namespace

NameServer::NameServer() : wake_(eventfd(0, EFD_CLOEXEC)) {
  require(wake_ >= 0, "eventfd");
  // Both at one port: what the system chooses for the one may be taken for the other.
  for (int tries = 0;; ++tries) {
    const Listener listener = listen_on_loopback(8);
    listener_ = listener.descriptor;
    port_ = listener.port;
    socket_ = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    require(socket_ >= 0, "socket");
    const sockaddr_in address = loopback_address(port_);
    const auto* name = reinterpret_cast<const sockaddr*>(&address);
    if (bind(socket_, name, sizeof(address)) == 0) break;
    require(tries < 100, "bind");
    close(socket_);
    close(listener_);
  }
  thread_ = std::thread([this] { run(); });
}

NameServer::~NameServer() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake_, &one, sizeof(one));
  thread_.join();
  close(socket_);
  close(listener_);
  close(wake_);
}

NameSources NameServer::sources() const { return {"127.0.0.1:" + std::to_string(port_), {}}; }

void NameServer::know(const std::string& name, std::vector<std::string> addresses) {
  const std::scoped_lock lock(mutex_);
  names_[name] = std::move(addresses);
}

void NameServer::be_silent(bool silent) {
  const std::scoped_lock lock(mutex_);
  silent_ = silent;
}

void NameServer::fail(bool failing) {
  const std::scoped_lock lock(mutex_);
  failing_ = failing;
}

void NameServer::cut_short(bool cutting) {
  const std::scoped_lock lock(mutex_);
  cutting_ = cutting;
}

void NameServer::take(std::chrono::milliseconds delay) {
  const std::scoped_lock lock(mutex_);
  delay_ = delay;
}

int NameServer::asked(const std::string& name) const {
  const std::scoped_lock lock(mutex_);
  int count = 0;
  for (const auto& [asked, times] : asked_) count += name.empty() || asked == name ? times : 0;
  return count;
}

std::string NameServer::answer(const std::string& query, Way way) {
  const Question question = question_of(query);
  if (question.name.empty()) return {};
  const std::scoped_lock lock(mutex_);
  ++asked_[question.name];
  if (silent_) return {};
  if (failing_) return reply_to(query, question, kServfail, {});
  if (cutting_ && way == Way::udp) {
    std::string reply = reply_to(query, question, 0, {});
    reply[2] = static_cast<char>(reply[2] | kCutShort);
    return reply;
  }
  const auto known = names_.find(question.name);
  if (known == names_.end()) return reply_to(query, question, kNxdomain, {});
  return reply_to(query, question, 0,
                  question.type == kTypeA ? known->second : std::vector<std::string>());
}

// RevocableQueries and answers stand behind their sizes, of two bytes.
bool NameServer::serve(Client& client) {
  std::array<char, 4096> buffer;
  const ssize_t got = recv(client.socket.number(), buffer.data(), buffer.size(), 0);
  if (got <= 0) return false;
  client.heard.append(buffer.data(), static_cast<std::size_t>(got));
  while (client.heard.size() >= 2) {
    const auto upper = static_cast<std::uint8_t>(client.heard[0]);
    const auto lower = static_cast<std::uint8_t>(client.heard[1]);
    const std::size_t size = upper * 256U + lower;
    if (client.heard.size() < 2 + size) break;
    const std::string reply = answer(client.heard.substr(2, size), Way::tcp);
    client.heard.erase(0, 2 + size);
    const std::string framed =
        std::string{static_cast<char>(reply.size() / 256), static_cast<char>(reply.size() % 256)} +
        reply;
    if (!reply.empty()) send(client.socket.number(), framed.data(), framed.size(), MSG_NOSIGNAL);
  }
  return true;
}

void NameServer::run() {
  struct Held {
    std::chrono::steady_clock::time_point until;
    sockaddr_in client;
    std::string reply;
  };
  std::vector<Held> held;
  std::vector<Client> clients;
  std::array<char, 4096> buffer;
  for (;;) {
    std::vector<pollfd> polled{{wake_, POLLIN, 0}, {socket_, POLLIN, 0}, {listener_, POLLIN, 0}};
    for (const Client& client : clients) polled.push_back({client.socket.number(), POLLIN, 0});
    poll(polled.data(), polled.size(), held.empty() ? -1 : 2);
    if (polled[0].revents != 0) return;
    if (polled[1].revents != 0) {
      Held next{};
      socklen_t size = sizeof(next.client);
      const ssize_t got = recvfrom(socket_, buffer.data(), buffer.size(), 0,
                                   reinterpret_cast<sockaddr*>(&next.client), &size);
      if (got > 0)
        next.reply = answer(std::string(buffer.data(), static_cast<std::size_t>(got)), Way::udp);
      const std::scoped_lock lock(mutex_);
      next.until = std::chrono::steady_clock::now() + delay_;
      if (!next.reply.empty()) held.push_back(std::move(next));
    }
    std::size_t at = 2;
    std::erase_if(clients,
                  [&](Client& client) { return polled[++at].revents != 0 && !serve(client); });
    if (polled[2].revents != 0) {
      clients.push_back({Descriptor(accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)), {}});
    }
    std::erase_if(held, [this](const Held& reply) {
      if (std::chrono::steady_clock::now() < reply.until) return false;
      sendto(socket_, reply.reply.data(), reply.reply.size(), 0,
             reinterpret_cast<const sockaddr*>(&reply.client), sizeof(reply.client));
      return true;
    });
  }
}

}  // namespace redlock::test
