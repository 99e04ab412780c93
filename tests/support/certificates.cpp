// OpenSSL's own tools.
#include "support/certificates.hpp"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <fstream>
#include <stdexcept>

namespace redlock::test {

namespace {

void check(bool done, const char* what) {
  if (!done) throw std::runtime_error(what);
}

std::shared_ptr<EVP_PKEY> new_key(int kind = EVP_PKEY_EC) {
  const std::unique_ptr<EVP_PKEY_CTX, void (*)(EVP_PKEY_CTX*)> maker(
      EVP_PKEY_CTX_new_id(kind, nullptr), EVP_PKEY_CTX_free);
  EVP_PKEY* key = nullptr;
  check(EVP_PKEY_keygen_init(maker.get()) == 1 &&
            (kind != EVP_PKEY_EC ||
             EVP_PKEY_CTX_set_ec_paramgen_curve_nid(maker.get(), NID_X9_62_prime256v1) == 1) &&
            EVP_PKEY_keygen(maker.get(), &key) == 1,
        "no key");
  return {key, EVP_PKEY_free};
}

void extend(X509* certificate, X509* signer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, signer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
  check(extension != nullptr && X509_add_ext(certificate, extension, -1) == 1, "no extension");
  X509_EXTENSION_free(extension);
}

template <class Write>
std::string pem_of(Write write) {
  const std::unique_ptr<BIO, void (*)(BIO*)> out(BIO_new(BIO_s_mem()), BIO_free_all);
  check(write(out.get()) == 1, "no PEM");
  char* text = nullptr;
  const long size = BIO_get_mem_data(out.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

std::string pem_of_key(EVP_PKEY* key, std::string_view passphrase) {
  const std::string words(passphrase);
  const EVP_CIPHER* const cipher = words.empty() ? nullptr : EVP_aes_128_cbc();
  return pem_of([&](BIO* out) {
    return PEM_write_bio_PKCS8PrivateKey(out, key, cipher, words.data(),
                                         static_cast<int>(words.size()), nullptr, nullptr);
  });
}

}  // namespace

Certificate::Certificate() : key_(new_key()), certificate_(X509_new(), X509_free) {}

void Certificate::fill(const CertificateWish& policy, const Certificate& signer) {
  static long serial = 0;
  X509* const made = certificate_.get();
  X509_set_version(made, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(made), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(made), policy.valid_from_hours * 3600);
  X509_gmtime_adj(X509_getm_notAfter(made), policy.valid_to_hours * 3600);
  X509_set_pubkey(made, key_.get());
  const std::string name = (policy.authority ? "authority " : "test ") + std::to_string(serial);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(made), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  X509* const issuer = signer.certificate_.get();
  X509_set_issuer_name(made, X509_get_subject_name(issuer));
  extend(made, issuer, NID_basic_constraints, policy.authority ? "critical,CA:TRUE" : "CA:FALSE");
  if (!policy.names.empty()) extend(made, issuer, NID_subject_alt_name, policy.names);
  check(X509_sign(made, signer.key_.get(), EVP_sha256()) > 0, "not signed");
}

Certificate Certificate::self_signed(const CertificateWish& policy) {
  Certificate made;
  made.fill(policy, made);
  return made;
}

Certificate Certificate::authority() {
  CertificateWish policy;
  policy.names.clear();
  policy.authority = true;
  return self_signed(policy);
}

Certificate Certificate::issue(const CertificateWish& policy) const {
  Certificate made;
  made.fill(policy, *this);
  return made;
}

std::string Certificate::certificate_pem(std::string_view passphrase) const {
  const EVP_CIPHER* const cipher = passphrase.empty() ? nullptr : EVP_aes_128_cbc();
  const auto encode = [](const void* shown, unsigned char** into) {
    return i2d_X509(static_cast<const X509*>(shown), into);
  };
  return pem_of([&](BIO* out) {
    return PEM_ASN1_write_bio(encode, PEM_STRING_X509, out, certificate_.get(), cipher,
                              reinterpret_cast<const unsigned char*>(passphrase.data()),
                              static_cast<int>(passphrase.size()), nullptr, nullptr);
  });
}

std::string Certificate::key_pem(std::string_view passphrase) const {
  return pem_of_key(key_.get(), passphrase);
}

std::string key_of_another_kind() { return pem_of_key(new_key(EVP_PKEY_ED25519).get(), {}); }

void leave_an_error() { check(BIO_new_file("/no/such/file", "r") == nullptr, "there is one"); }

std::string write_file(const std::string& path, std::string_view text) {
  std::ofstream(path, std::ios::trunc) << text;
  return path;
}

}  // namespace redlock::test
