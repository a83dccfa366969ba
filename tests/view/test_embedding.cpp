#include <catch2/catch.hpp>
#include <string>

#include "support/report_page.h"
#include "view/embedding.h"

namespace memuse::view {

TEST_CASE("no text can end the script element that holds it") {
  const std::string hostile =
      "</script><img src=x onerror=alert(1)><!--<script>&amp;\xE2\x80\xA8\xE2\x80\xA9 \xE2\x80\xAE";
  const std::string safe = script_safe(nlohmann::json(hostile).dump());
  for (const char* never : {"<", ">", "&", "\xE2\x80\xA8", "\xE2\x80\xA9"}) {
    INFO(never);
    CHECK(safe.find(never) == std::string::npos);
  }
  CHECK(nlohmann::json::parse(safe) == hostile);
}

TEST_CASE("JSON without such characters stays as it is, cut characters too") {
  for (const std::string& text :
       {std::string("{\"a\":[1,\"b\"]}"), std::string("\"\xC3\xA9\""), std::string("\xE2\x80"), std::string("\xE2")}) {
    CHECK(script_safe(text) == text);
  }
}

TEST_CASE("what is packed can be unpacked") {
  std::string text = "[\"";
  for (int i = 0; i < 20'000; ++i) text += static_cast<char>('a' + i * i % 26);
  text += "\"]";
  const std::string small = packed(text);
  CHECK(small.size() < text.size());
  CHECK(small == packed(text));
  CHECK(test::unpacked(small) == nlohmann::json::parse(text));
  CHECK(test::unpacked(packed("[]")).empty());
}

TEST_CASE("hashes are those of a content security policy") {
  // The example of the specification (Content Security Policy Level 3).
  CHECK(sha256_base64("doSomething();") == "RFWPLDbv2BY+rCkDzsE+0fr8ylGr2R2faWMhq4lfEQc=");
}

}  // namespace memuse::view
