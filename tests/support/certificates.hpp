// Certificates and keys that tests make for themselves: good ones, and every kind of bad one.
#pragma once
#include <memory>
#include <string>
#include <string_view>

struct evp_pkey_st;
struct x509_st;

namespace redlock::test {

struct CertificateWish {
  std::string names = "DNS:localhost,IP:127.0.0.1,IP:::1";  // empty: none
  long valid_from_hours = -1;
  long valid_to_hours = 24;
  bool authority = false;
};

// A certificate with its key.
class Certificate {
 public:
  // Signed with its own key.
  static Certificate self_signed(const CertificateWish& policy = {});
  static Certificate authority();
  // Signed by this authority.
  [[nodiscard]] Certificate issue(const CertificateWish& policy = {}) const;

  // Encrypted, unless there is no passphrase.
  [[nodiscard]] std::string certificate_pem(std::string_view passphrase = {}) const;
  [[nodiscard]] std::string key_pem(std::string_view passphrase = {}) const;
  [[nodiscard]] x509_st* certificate() const { return certificate_.get(); }
  [[nodiscard]] evp_pkey_st* key() const { return key_.get(); }

 private:
  Certificate();
  void fill(const CertificateWish& policy, const Certificate& signer);

  std::shared_ptr<evp_pkey_st> key_;
  std::shared_ptr<x509_st> certificate_;
};

// A key such as no certificate here has.
std::string key_of_another_kind();

// As another user of OpenSSL in this thread may leave one in its queue.
void leave_an_error();

// Writes the text to the path, for our eyes alone, and gives the path.
std::string write_file(const std::string& path, std::string_view text);

}  // namespace redlock::test
