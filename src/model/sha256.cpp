#include "model/sha256.h"

#include <openssl/evp.h>

#include <array>

namespace memuse {
namespace {

/// Fetched once: a lookup by name for every hash costs more than hashing a line.
const EVP_MD* algorithm() {
  static const EVP_MD* const fetched = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return fetched;
}

}  // namespace

void Sha256::Free::operator()(evp_md_ctx_st* context) const {
  EVP_MD_CTX_free(context);
}

Sha256::Sha256(bool wanted) {
  if (!wanted) return;
  context_.reset(EVP_MD_CTX_new());
  EVP_DigestInit_ex2(context_.get(), algorithm(), nullptr);
}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::update(std::string_view bytes) {
  if (context_) EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size());
}

std::string Sha256::finish_hex() {
  if (!context_) return {};
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  EVP_DigestFinal_ex(context_.get(), digest.data(), &length);
  EVP_DigestInit_ex2(context_.get(), algorithm(), nullptr);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  hex.reserve(std::size_t{length} * 2);
  for (unsigned int i = 0; i < length; ++i) {
    hex += kDigits[digest[i] >> 4U];
    hex += kDigits[digest[i] & 0x0FU];
  }
  return hex;
}

}  // namespace memuse
