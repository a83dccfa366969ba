#include "view/embedding.h"

#include <openssl/evp.h>
#include <zlib.h>

#include <cstddef>
#include <new>
#include <vector>

namespace memuse::view {
namespace {

std::string base64(const unsigned char* bytes, std::size_t size) {
  std::string text((size + 2) / 3 * 4 + 1, '\0');  // OpenSSL adds a zero
  const int length = ::EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), bytes, static_cast<int>(size));
  text.resize(static_cast<std::size_t>(length));
  return text;
}

}  // namespace

std::string script_safe(std::string_view json) {
  constexpr std::string_view kSeparators = "\xE2\x80";  // of U+2028 and U+2029
  std::string out;
  out.reserve(json.size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '<') {
      out += "\\u003c";
    } else if (c == '>') {
      out += "\\u003e";
    } else if (c == '&') {
      out += "\\u0026";
    } else if (json.substr(i).starts_with(kSeparators) && i + 2 < json.size() &&
               (json[i + 2] == '\xA8' || json[i + 2] == '\xA9')) {
      out += json[i + 2] == '\xA8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      out += c;
    }
  }
  return out;
}

std::string packed(std::string_view bytes) {
  uLongf size = ::compressBound(static_cast<uLong>(bytes.size()));
  std::vector<unsigned char> buffer(size);
  const int result = ::compress2(buffer.data(), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                                 static_cast<uLong>(bytes.size()), Z_BEST_COMPRESSION);
  if (result != Z_OK) throw std::bad_alloc();  // the buffer is large enough, so memory is all that can be short
  return base64(buffer.data(), size);
}

std::string sha256_base64(std::string_view bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  if (::EVP_Digest(bytes.data(), bytes.size(), digest, &size, ::EVP_sha256(), nullptr) != 1) throw std::bad_alloc();
  return base64(digest, size);
}

}  // namespace memuse::view
