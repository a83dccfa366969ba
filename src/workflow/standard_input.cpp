#include "workflow/standard_input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <string_view>

#include "ingest/byte_stream.h"
#include "ingest/shown_paths.h"
#include "model/error.h"
#include "model/text.h"

namespace memuse::workflow {
namespace {

[[noreturn]] void copy_failed(const std::string& what, const std::string& file) {
  throw Error(ExitCode::environment, fmt::format("cannot {} {}: {}", what, printable(file), std::strerror(errno)));
}

/// A new file for the copy; removed again unless it is kept under another name.
class CopyFile {
 public:
  explicit CopyFile(std::string path) : path_(std::move(path)) {
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (descriptor_ < 0) copy_failed("write standard input to", path_);
  }
  ~CopyFile() {
    ::close(descriptor_);
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  CopyFile(const CopyFile&) = delete;
  CopyFile& operator=(const CopyFile&) = delete;

  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) copy_failed("write standard input to", path_);
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  void keep_as(const std::string& path) {
    if (std::rename(path_.c_str(), path.c_str()) != 0) copy_failed("write", path);
    path_.clear();
  }

 private:
  std::string path_;
  int descriptor_ = -1;
};

struct DigestFreer {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

/// Copies standard input to its end; returns the hash of its bytes in hex digits.
std::string copy_standard_input(CopyFile& out) {
  const std::unique_ptr<EVP_MD_CTX, DigestFreer> digest(EVP_MD_CTX_new());
  if (digest == nullptr || EVP_DigestInit_ex(digest.get(), EVP_sha256(), nullptr) != 1) throw std::bad_alloc();
  std::vector<char> block(std::size_t{256} << 10);
  while (true) {
    const ssize_t got = ::read(STDIN_FILENO, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) copy_failed("read", "standard input");
    if (got == 0) break;
    const std::string_view bytes(block.data(), static_cast<std::size_t>(got));
    EVP_DigestUpdate(digest.get(), bytes.data(), bytes.size());
    out.write(bytes);
  }
  unsigned char hash[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  EVP_DigestFinal_ex(digest.get(), hash, &size);
  std::string hex;
  for (unsigned int i = 0; i < size; ++i) hex += fmt::format("{:02x}", hash[i]);
  return hex;
}

}  // namespace

StandardInput::StandardInput(std::vector<std::string>& traces, const std::string& database) {
  const auto count = std::count(traces.begin(), traces.end(), "-");
  if (count == 0) return;
  if (count > 1) throw Error(ExitCode::usage, "- (standard input) can be named once only");
  std::string& place = *std::find(traces.begin(), traces.end(), "-");
  if (database.empty()) {
    try {
      place_ = std::make_unique<ingest::TemporaryPlace>();
    } catch (const ingest::ReadFault& fault) {
      throw Error(ExitCode::environment, fault.reason);
    }
    temporary_ = (place_->path() / "stdin").string();
    CopyFile out(temporary_ + ".part");
    copy_standard_input(out);
    out.keep_as(temporary_);
    place = temporary_;
    return;
  }
  CopyFile out(fmt::format("{}.stdin-{}.part", database, ::getpid()));
  constexpr std::size_t kNameDigits = 16;
  kept_ = fmt::format("{}.stdin-{}", database, copy_standard_input(out).substr(0, kNameDigits));
  out.keep_as(kept_);
  place = kept_;
}

void StandardInput::name(std::vector<ingest::Input>& inputs) const {
  if (temporary_.empty()) return;
  for (ingest::Input& input : inputs) {
    if (input.path != temporary_) continue;
    input.shown = std::make_shared<const ingest::ShownPaths>(ingest::ShownPaths{temporary_, "-"});
  }
}

}  // namespace memuse::workflow
