// A TLS server without a socket, by OpenSSL itself: what a client's stream talks to in tests.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "support/certificates.hpp"

struct ssl_ctx_st;
struct ssl_st;

namespace redlock::test {

struct TlsServerSettings {
  bool tls13 = true;
  // The authority whose certificates a client must show one of; null: none is wanted.
  const Certificate* clients = nullptr;
};

// What a server keeps from connection to connection.
class TlsServer {
 public:
  explicit TlsServer(const Certificate& shown, const TlsServerSettings& settings = {});
  [[nodiscard]] ssl_ctx_st* context() const { return context_.get(); }

 private:
  std::shared_ptr<ssl_ctx_st> context_;
};

// One connection's end there.
class TlsServerEnd {
 public:
  explicit TlsServerEnd(const TlsServer& server);

  // Takes what the client sent; adds what it decrypts to heard().
  void feed(std::string_view bytes);
  // Throws where it cannot be said.
  void say(std::string_view plain);
  [[nodiscard]] bool try_to_say(std::string_view plain);
  void ask_for_new_keys();
  // Its own, and asks for none in return.
  void change_keys();
  // Of version 1.2 only.
  void ask_for_a_new_handshake();
  void say_goodbye();
  // What leaves for the client.
  [[nodiscard]] std::string take_output();
  [[nodiscard]] const std::string& heard() const { return heard_; }
  // Did the client say that nothing follows?
  [[nodiscard]] bool told_goodbye() const;
  [[nodiscard]] bool open() const;

 private:
  std::shared_ptr<ssl_st> ssl_;
  std::string heard_;
};

}  // namespace redlock::test
