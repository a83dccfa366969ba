#include "support/certificates.h"

#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <stdexcept>

namespace memuse::test {
namespace {

constexpr long kDay = 24L * 60 * 60;

struct FreeKey {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
struct FreeCertificate {
  void operator()(X509* certificate) const { X509_free(certificate); }
};
struct FreeExtension {
  void operator()(X509_EXTENSION* extension) const { X509_EXTENSION_free(extension); }
};
using Key = std::unique_ptr<EVP_PKEY, FreeKey>;
using Certificate = std::unique_ptr<X509, FreeCertificate>;

void require(bool good) {
  if (!good) throw std::runtime_error("OpenSSL cannot make the mock endpoint's certificate");
}

Key make_key() {
  Key key(EVP_EC_gen("P-256"));
  require(key != nullptr);
  return key;
}

void add_extension(X509* certificate, X509* issuer, int kind, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const std::unique_ptr<X509_EXTENSION, FreeExtension> extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value));
  require(extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1);
}

struct Subject {
  const char* name;
  long serial;
  long valid_from;  ///< seconds from now
  long valid_to;
};

Certificate make_unsigned(const Subject& subject, EVP_PKEY* key) {
  Certificate certificate(X509_new());
  require(certificate != nullptr);
  X509_set_version(certificate.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), subject.serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), subject.valid_from);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), subject.valid_to);
  X509_set_pubkey(certificate.get(), key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(subject.name), -1, -1, 0);
  return certificate;
}

class MadeCertificate : public MockCertificate {
 public:
  explicit MadeCertificate(bool expired) : ca_key_(make_key()), key_(make_key()) {
    ca_ = make_unsigned({"Mock authority", 1, -30 * kDay, 30 * kDay}, ca_key_.get());
    X509_set_issuer_name(ca_.get(), X509_get_subject_name(ca_.get()));
    add_extension(ca_.get(), ca_.get(), NID_basic_constraints, "critical,CA:TRUE");
    add_extension(ca_.get(), ca_.get(), NID_key_usage, "critical,keyCertSign,cRLSign");
    add_extension(ca_.get(), ca_.get(), NID_subject_key_identifier, "hash");
    require(X509_sign(ca_.get(), ca_key_.get(), EVP_sha256()) > 0);

    certificate_ = make_unsigned({"127.0.0.1", 2, -20 * kDay, expired ? -kDay : 20 * kDay}, key_.get());
    X509_set_issuer_name(certificate_.get(), X509_get_subject_name(ca_.get()));
    add_extension(certificate_.get(), ca_.get(), NID_subject_alt_name, "IP:127.0.0.1,DNS:localhost");
    require(X509_sign(certificate_.get(), ca_key_.get(), EVP_sha256()) > 0);
    write_ca_file();
  }
  ~MadeCertificate() override {
    std::error_code ignored;
    std::filesystem::remove(ca_file_, ignored);
  }
  MadeCertificate(const MadeCertificate&) = delete;
  MadeCertificate& operator=(const MadeCertificate&) = delete;

  [[nodiscard]] X509* certificate() const override { return certificate_.get(); }
  [[nodiscard]] EVP_PKEY* private_key() const override { return key_.get(); }
  [[nodiscard]] std::string ca_file() const override { return ca_file_; }

 private:
  void write_ca_file() {
    ca_file_ = (std::filesystem::temp_directory_path() / "memuse-mock-ca-XXXXXX").string();
    const int descriptor = ::mkstemp(ca_file_.data());
    require(descriptor >= 0);
    std::FILE* file = ::fdopen(descriptor, "w");
    const bool written = file != nullptr && PEM_write_X509(file, ca_.get()) == 1;
    require(file != nullptr && std::fclose(file) == 0 && written);
  }

  Key ca_key_;
  Key key_;
  Certificate ca_;
  Certificate certificate_;
  std::string ca_file_;
};

}  // namespace

std::unique_ptr<MockCertificate> make_certificate(bool expired) {
  return std::make_unique<MadeCertificate>(expired);
}

}  // namespace memuse::test
