#pragma once

#include <openssl/evp.h>
#include <zlib.h>

#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace memuse::test {

/// Contents of the data elements of a written report by their names without `memuse-`, as a browser would find them:
/// from the end of an opening tag to the first closing one.
inline std::map<std::string, std::string> data_elements(const std::string& html) {
  std::map<std::string, std::string> elements;
  const std::string mark = " id=\"memuse-";
  for (std::size_t at = html.find("<script type="); at != std::string::npos; at = html.find("<script type=", at + 1)) {
    const std::size_t open = html.find('>', at);
    const std::string tag = html.substr(at, open - at);
    const std::size_t id = tag.find(mark);
    if (id == std::string::npos) continue;
    const std::size_t name = id + mark.size();
    const std::size_t end = html.find("</script", open);
    elements[tag.substr(name, tag.find('"', name) - name)] = html.substr(open + 1, end - open - 1);
  }
  return elements;
}

/// The objects of a packed block.
inline nlohmann::json unpacked(const std::string& base64) {
  REQUIRE(base64.size() % 4 == 0);
  std::vector<unsigned char> packed(base64.size() / 4 * 3);
  REQUIRE(::EVP_DecodeBlock(packed.data(), reinterpret_cast<const unsigned char*>(base64.data()),
                            static_cast<int>(base64.size())) >= 0);
  std::string text(std::size_t{64} << 20, '\0');
  uLongf size = text.size();
  REQUIRE(::uncompress(reinterpret_cast<Bytef*>(text.data()), &size, packed.data(), packed.size()) == Z_OK);
  text.resize(size);
  return nlohmann::json::parse(text);
}

}  // namespace memuse::test
