#include "view/request_guard.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>

#include <array>

#include "model/error.h"

namespace memuse::view {

std::string random_token() {
  std::array<unsigned char, 16> bytes{};
  if (::RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) {
    throw Error(ExitCode::environment, "no random numbers can be had for the address of the page");
  }
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

RequestGuard::RequestGuard(std::string token, int port)
    : prefix_("/" + std::move(token)), port_(fmt::format("{}", port)) {}

Admission RequestGuard::admit(std::string_view method, std::string_view host, std::string_view path) const {
  if (host != "127.0.0.1:" + port_ && host != "localhost:" + port_) return Admission::foreign_host;
  // Compared in constant time, so that the time of an answer tells nothing of the token.
  const bool long_enough = path.size() >= prefix_.size();
  if (!long_enough || ::CRYPTO_memcmp(path.data(), prefix_.data(), prefix_.size()) != 0) return Admission::wrong_token;
  if (path.size() > prefix_.size() && path[prefix_.size()] != '/') return Admission::wrong_token;
  if (method != "GET" && method != "HEAD") return Admission::wrong_method;
  return Admission::granted;
}

std::string_view RequestGuard::below_token(std::string_view path) const {
  return path.substr(prefix_.size());
}

}  // namespace memuse::view
