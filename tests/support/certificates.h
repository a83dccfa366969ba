#pragma once

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>
#include <string>

namespace memuse::test {

/// A certificate for 127.0.0.1 and localhost, its key, and the authority that signed it, all made at test time.
class MockCertificate {
 public:
  virtual ~MockCertificate() = default;
  [[nodiscard]] virtual X509* certificate() const = 0;
  [[nodiscard]] virtual EVP_PKEY* private_key() const = 0;
  /// The authority's certificate as a PEM file, which lives as long as this object.
  [[nodiscard]] virtual std::string ca_file() const = 0;
};

/// `expired`: it was valid until yesterday. Throws std::runtime_error when OpenSSL cannot.
std::unique_ptr<MockCertificate> make_certificate(bool expired);

}  // namespace memuse::test
