#include "workflow/quarantine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <system_error>

#include "model/error.h"
#include "model/text.h"
#include "workflow/source_bytes.h"

namespace memuse::workflow {
namespace {

using QuarantineJson = nlohmann::ordered_json;
namespace fs = std::filesystem;

/// Bytes of a record that its line in the list shows.
constexpr std::size_t kFirstBytes = 200;
/// Lines of one input that wait in memory; more wait in a temporary file.
constexpr std::size_t kMostWaiting = std::size_t{256} << 10;
/// Files that one input's copies may go to; a run directory has two or three.
constexpr std::size_t kMostCopies = 1000;

[[noreturn]] void fail_to_keep(const std::string& what) {
  throw Error(ExitCode::environment, fmt::format("cannot keep what was set aside: {}", printable(what)));
}

/// Text that waits, in memory or beyond some size in a file that nobody else sees.
class Spool {
 public:
  void add(std::string_view text) {
    if (file_ == nullptr && memory_.size() + text.size() <= kMostWaiting) {
      memory_ += text;
      return;
    }
    if (file_ == nullptr) {
      file_.reset(std::tmpfile());
      if (file_ == nullptr) fail_to_keep("no temporary file can be made");
    }
    if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) fail_to_keep("a temporary file is full");
  }

  void write(std::ostream& out) {
    out << memory_;
    memory_ = {};
    if (file_ == nullptr) return;
    std::rewind(file_.get());
    std::array<char, std::size_t{64} << 10> piece{};
    while (const std::size_t got = std::fread(piece.data(), 1, piece.size(), file_.get())) {
      out.write(piece.data(), static_cast<std::streamsize>(got));
    }
    if (std::ferror(file_.get()) != 0) fail_to_keep("a temporary file cannot be read");
    file_.reset();
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string memory_;
  std::unique_ptr<std::FILE, Close> file_;
};

/// The name of a file for copies: what a path ends in, of it only what no system and no terminal takes amiss.
std::string copy_name(std::size_t input, std::size_t number, const std::string& path) {
  constexpr std::size_t kLongest = 80;
  std::string name = fs::path(path).filename().string();
  for (char& letter : name) {
    const bool plain =
        std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '-' || letter == '_' || letter == '.';
    if (!plain) letter = '_';
  }
  if (name.size() > kLongest) name.erase(0, name.size() - kLongest);
  return fmt::format("{:05}-{}-{}", input + 1, number, name);
}

/// Copies set-aside records of one input as they are, a line feed behind each.
class RawCopies {
 public:
  RawCopies(std::size_t input, fs::path folder) : input_(input), folder_(std::move(folder)) {}

  /// Name of the file and 1-based place of the record in it; nothing when the bytes cannot be had.
  std::optional<std::pair<std::string, std::uint64_t>> add(const ingest::SetAside& record, SourceBytes& bytes) {
    if (copies_.size() >= kMostCopies && !copies_.contains(record.file)) return std::nullopt;
    const auto [found, is_new] = copies_.try_emplace(record.file);
    Copy& copy = found->second;
    if (is_new) copy.name = copy_name(input_, copies_.size(), record.shown);
    std::ofstream out(folder_ / copy.name, std::ios::binary | std::ios::app);
    const bool had = bytes.copy(record.file, record.byte_begin, *record.byte_end, [&](std::string_view piece) {
      out.write(piece.data(), static_cast<std::streamsize>(piece.size()));
      last_ = piece.back();
    });
    if (last_ != '\n') out << '\n';
    last_ = 0;
    if (!out.flush()) fail_to_keep((folder_ / copy.name).string() + " cannot be written");
    ++copy.records;
    if (!had) return std::nullopt;
    return std::pair(copy.name, copy.records);
  }

 private:
  struct Copy {
    std::string name;
    std::uint64_t records = 0;
  };
  std::size_t input_;
  fs::path folder_;
  std::map<std::string, Copy> copies_;
  char last_ = 0;
};

template <typename Number>
QuarantineJson number_or_null(const std::optional<Number>& number) {
  return number ? QuarantineJson(*number) : QuarantineJson(nullptr);
}

void make_empty_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || !fs::is_directory(folder, error)) {
    throw Error(ExitCode::environment,
                fmt::format("cannot make the folder {}: {}", printable(folder.string()), error.message()));
  }
  if (!fs::is_empty(folder, error)) {
    throw Error(ExitCode::usage, fmt::format("the folder {} is not empty; name another one for what is set aside",
                                             printable(folder.string())));
  }
}

}  // namespace

/// What is set aside of one input.
class Quarantine::Shelf {
 public:
  Shelf(std::size_t input, const std::optional<fs::path>& raw_folder) {
    if (raw_folder) copies_.emplace(input, *raw_folder);
  }

  void take(const ingest::SetAside& lost) {
    const auto first = bytes_.first(lost.file, lost.byte_begin, shown(lost));
    std::optional<std::uint64_t> size;
    if (lost.byte_end) size = *lost.byte_end - lost.byte_begin;
    QuarantineJson line = {{"file", lost.shown},
                           {"extent", ingest::extent_name(lost.extent)},
                           {"line", lost.line == 0 ? QuarantineJson(nullptr) : QuarantineJson(lost.line)},
                           {"byte_begin", lost.byte_begin},
                           {"byte_end", number_or_null(lost.byte_end)},
                           {"bytes", number_or_null(size)},
                           {"reason", fault_name(lost.fault)},
                           {"sentence", fault_sentence(lost.fault)},
                           {"detail", lost.detail},
                           {"first_bytes", first ? QuarantineJson(printable(*first)) : QuarantineJson(nullptr)}};
    if (copies_) {
      line["copy"] = nullptr;
      line["copy_record"] = nullptr;
      if (lost.extent == ingest::Extent::record && lost.byte_end) {
        if (const auto place = copies_->add(lost, bytes_)) {
          line["copy"] = place->first;
          line["copy_record"] = place->second;
        }
      }
    }
    spool_.add(line.dump(-1, ' ', false, QuarantineJson::error_handler_t::replace) + "\n");
    ++lines_;
  }

  void write(std::ostream& out) { spool_.write(out); }
  [[nodiscard]] std::uint64_t lines() const { return lines_; }

 private:
  static std::size_t shown(const ingest::SetAside& lost) {
    if (!lost.byte_end) return kFirstBytes;
    return static_cast<std::size_t>(std::min<std::uint64_t>(*lost.byte_end - lost.byte_begin, kFirstBytes));
  }

  SourceBytes bytes_;
  std::optional<RawCopies> copies_;
  Spool spool_;
  std::uint64_t lines_ = 0;
};

Quarantine::Quarantine(std::size_t inputs, std::ostream& out, const std::optional<fs::path>& raw_folder)
    : out_(out), shelves_(inputs), done_(inputs, false) {
  if (raw_folder) make_empty_folder(*raw_folder);
  for (std::size_t i = 0; i < inputs; ++i) shelves_[i] = std::make_unique<Shelf>(i, raw_folder);
}

Quarantine::~Quarantine() = default;

ingest::SetAsideSink Quarantine::taker(std::size_t input) {
  return [shelf = shelves_[input].get()](const ingest::SetAside& lost) { shelf->take(lost); };
}

void Quarantine::write_ready() {
  for (; next_ < done_.size() && done_[next_]; ++next_) {
    shelves_[next_]->write(out_);
    written_ += shelves_[next_]->lines();
    shelves_[next_].reset();
  }
}

void Quarantine::finish(std::size_t input) {
  const std::lock_guard lock(mutex_);
  done_[input] = true;
  write_ready();
}

void Quarantine::finish() {
  const std::lock_guard lock(mutex_);
  done_.assign(done_.size(), true);
  write_ready();
}

}  // namespace memuse::workflow
