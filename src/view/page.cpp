#include "view/page.h"

#include <fmt/format.h>

#include <stdexcept>

#include "view/embedding.h"
#include "view/page_files.h"

namespace memuse::view {
namespace {

constexpr std::string_view kPolicyMark = "<!--memuse:policy-->";
constexpr std::string_view kDataMark = "<!--memuse:data-->";

std::size_t place_of_mark(std::string_view html, std::string_view mark) {
  const std::size_t at = html.find(mark);
  if (at == std::string_view::npos || html.find(mark, at + mark.size()) != std::string_view::npos) {
    throw std::logic_error(fmt::format("the built page must have one {}", mark));
  }
  return at;
}

std::string_view between(std::string_view html, std::string_view begin, std::string_view end) {
  const std::size_t from = html.find(begin);
  const std::size_t to = from == std::string_view::npos ? from : html.find(end, from);
  if (to == std::string_view::npos) throw std::logic_error(fmt::format("the built page has no {}", begin));
  return html.substr(from + begin.size(), to - from - begin.size());
}

}  // namespace

Page cut_page(std::string_view html) {
  const std::size_t policy = place_of_mark(html, kPolicyMark);
  const std::size_t data = place_of_mark(html, kDataMark);
  if (data < policy) throw std::logic_error("the built page must have its policy before its data");
  Page page;
  page.before_policy = html.substr(0, policy);
  page.before_data = html.substr(policy + kPolicyMark.size(), data - policy - kPolicyMark.size());
  page.after_data = html.substr(data + kDataMark.size());
  page.policy = fmt::format(
      "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; img-src data: blob:; base-uri 'none'; "
      "form-action 'none'",
      sha256_base64(between(html, "<script>", "</script>")), sha256_base64(between(html, "<style>", "</style>")));
  return page;
}

const Page& report_page() {
  static const Page page = cut_page(page_files().at(0).text);
  return page;
}

std::string policy_element(const Page& page) {
  return fmt::format("<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">", page.policy);
}

std::string policy_header(const Page& page) {
  return page.policy + "; connect-src 'self'; frame-ancestors 'none'";
}

}  // namespace memuse::view
