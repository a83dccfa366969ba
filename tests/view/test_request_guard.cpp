#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "view/request_guard.h"

namespace memuse::view {

TEST_CASE("only reading, at the loopback address, with the token") {
  const RequestGuard guard("abc123", 8000);
  CHECK(guard.admit("GET", "127.0.0.1:8000", "/abc123/") == Admission::granted);
  CHECK(guard.admit("HEAD", "localhost:8000", "/abc123/api/study") == Admission::granted);
  CHECK(guard.admit("GET", "127.0.0.1:8000", "/abc123") == Admission::granted);
  for (const char* host :
       {"", "127.0.0.1", "127.0.0.1:80", "evil.example:8000", "127.0.0.1:8000.evil.example", "[::1]:8000"}) {
    INFO(host);
    CHECK(guard.admit("GET", host, "/abc123/") == Admission::foreign_host);
  }
  for (const char* path : {"", "/", "/abc12", "/abc124/", "/abc1234/", "/ABC123/", "//abc123/", "/x/../abc123/"}) {
    INFO(path);
    CHECK(guard.admit("GET", "127.0.0.1:8000", path) == Admission::wrong_token);
  }
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "PATCH", "get", ""}) {
    INFO(method);
    CHECK(guard.admit(method, "127.0.0.1:8000", "/abc123/") == Admission::wrong_method);
  }
}

TEST_CASE("a token is 128 bits that nobody can guess from another") {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const std::string token = random_token();
    CHECK(token.size() == 32);
    CHECK(token.find_first_not_of("0123456789abcdef") == std::string::npos);
    CHECK(seen.insert(token).second);
  }
}

TEST_CASE("what stands behind the token") {
  const RequestGuard guard("t", 1);
  CHECK(guard.below_token("/t/api/study") == "/api/study");
  CHECK(guard.below_token("/t").empty());
}

}  // namespace memuse::view
