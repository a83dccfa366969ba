#pragma once

#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace memuse {

/// SHA-256 over bytes that come in pieces.
class Sha256 {
 public:
  /// One that is not `wanted` costs nothing; its digits are none.
  explicit Sha256(bool wanted = true);
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void update(std::string_view bytes);
  /// The hash in 64 lower-case hex digits; starts a new one.
  std::string finish_hex();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

}  // namespace memuse
