#pragma once

#include <string>
#include <string_view>

namespace memuse::view {

/// The built page, cut where what belongs to one report goes in.
struct Page {
  std::string_view before_policy;  ///< up to the place of the policy, in the head
  std::string_view before_data;    ///< from there to the place of the data, in the body
  std::string_view after_data;
  /// Content security policy: nothing but the page's own script and style, by their hashes, and pictures that it makes
  /// itself.
  std::string policy;
};

/// Cuts a page at its marks `<!--memuse:policy-->` and `<!--memuse:data-->` and takes the hashes of its script and
/// style. Throws std::logic_error when it is no such page: it is part of the program.
[[nodiscard]] Page cut_page(std::string_view html);

/// The page of this program.
[[nodiscard]] const Page& report_page();

/// The policy as an element of the head, for a page that is opened from disk. Such a page may not connect anywhere.
[[nodiscard]] std::string policy_element(const Page& page);
/// The policy as the value of a header, for a page that is served: it may ask the server that it came from.
[[nodiscard]] std::string policy_header(const Page& page);

}  // namespace memuse::view
