#include <catch2/catch.hpp>
#include <stdexcept>
#include <string>

#include "view/embedding.h"
#include "view/page.h"
#include "view/page_files.h"

namespace memuse::view {

TEST_CASE("a page is cut at its marks, and its policy allows its own script and style only") {
  const Page page = cut_page(
      "<head><!--memuse:policy--><style>s{}</style></head><body><!--memuse:data--><script>run()</script></body>");
  CHECK(page.before_policy == "<head>");
  CHECK(page.before_data == "<style>s{}</style></head><body>");
  CHECK(page.after_data == "<script>run()</script></body>");
  CHECK(page.policy.find("script-src 'sha256-" + sha256_base64("run()") + "'") != std::string::npos);
  CHECK(page.policy.find("style-src 'sha256-" + sha256_base64("s{}") + "'") != std::string::npos);
  CHECK(page.policy.starts_with("default-src 'none'"));
  CHECK(page.policy.find("unsafe") == std::string::npos);
  CHECK(policy_element(page).find("connect-src") == std::string::npos);
  CHECK(policy_header(page).find("connect-src 'self'") != std::string::npos);
}

TEST_CASE("what is no page is refused") {
  for (const char* html :
       {"", "<!--memuse:policy-->", "<!--memuse:data--><!--memuse:policy--><style></style><script></script>",
        "<!--memuse:policy--><!--memuse:data--><style></style>",
        "<!--memuse:policy--><!--memuse:data--><!--memuse:data--><style></style><script></script>"}) {
    INFO(html);
    CHECK_THROWS_AS(cut_page(html), std::logic_error);
  }
}

TEST_CASE("the page of the program loads nothing from anywhere") {
  REQUIRE(page_files().size() == 1);
  const std::string html(page_files()[0].text);
  CHECK(report_page().after_data.size() + report_page().before_data.size() > 10'000);
  for (const char* never : {"src=\"http", "href=\"http", "url(http", "@import", " src=", "importScripts", "eval("}) {
    INFO(never);
    CHECK(html.find(never) == std::string::npos);
  }
}

}  // namespace memuse::view
