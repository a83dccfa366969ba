#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace memuse::view {

/// What a server looks at before it answers.
enum class Admission : std::uint8_t {
  granted,
  foreign_host,  ///< the Host header names another server: a page elsewhere had its name lead here (DNS rebinding)
  wrong_token,
  wrong_method  ///< nothing but reading
};

/// 128 random bits in hex digits.
[[nodiscard]] std::string random_token();

/// Decides about requests to a server at a port of the loopback address.
class RequestGuard {
 public:
  RequestGuard(std::string token, int port);

  /// `path` is the whole path of the request; all paths begin with the token.
  [[nodiscard]] Admission admit(std::string_view method, std::string_view host, std::string_view path) const;
  /// What stands behind the token: `/`, `/api/study`; empty for the token alone.
  [[nodiscard]] std::string_view below_token(std::string_view path) const;

 private:
  std::string prefix_;  ///< `/TOKEN`
  std::string port_;
};

}  // namespace memuse::view
