#include "workflow/label_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "ingest/byte_stream.h"
#include "ingest/line_reader.h"
#include "judge/answer_format.h"
#include "judge/strict_json.h"
#include "model/error.h"
#include "model/text.h"
#include "workflow/label_form.h"

namespace memuse::workflow {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t kLongestLine = std::size_t{1} << 20U;

/// The bytes of a file, at most one more than a form may have; nothing when it cannot be read.
std::optional<std::string> read_form(const fs::path& path) {
  try {
    return ingest::read_up_to(*ingest::open_file(path.string()), judge::JsonLimits{}.bytes + 1);
  } catch (const ingest::ReadFault&) {
    return std::nullopt;
  }
}

[[noreturn]] void refuse(const fs::path& file, const std::string& why) {
  throw Error(ExitCode::usage,
              fmt::format("{}: {}; write the folder anew with `memuse label --write`", printable(file.string()), why));
}

/// The line on which the object of that entry names its number; 1 when it is not to be found.
std::uint64_t line_of_entry(std::string_view form, std::uint32_t entry) {
  const std::string wanted = fmt::format("{}", entry);
  for (std::size_t at = form.find("\"entry\""); at != std::string_view::npos; at = form.find("\"entry\"", at + 1)) {
    const std::size_t number = form.find_first_not_of(" \t\r\n:", at + 7);
    if (number == std::string_view::npos || form.substr(number, wanted.size()) != wanted) continue;
    const std::size_t after = number + wanted.size();
    if (after < form.size() && form[after] >= '0' && form[after] <= '9') continue;
    return 1 +
           static_cast<std::uint64_t>(std::count(form.begin(), form.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  }
  return 1;
}

/// Reads one form into `labels`.
class FormReader {
 public:
  FormReader(const std::string& text, SpanLabels& labels) : text_(text), labels_(labels) {}

  void read() {
    const std::optional<json> form = judge::parse_strict_json(text_, {}, labels_.faults);
    if (!form) return;
    if (!form->is_object() || form->value("format", json()) != json(kLabelFormat)) {
      labels_.faults.push_back(
          fmt::format("this is no form of {}; take it from the folder as it was written", kLabelFormat));
      return;
    }
    check_names(*form);
    const auto entries = form->find("entries");
    if (entries == form->end() || !entries->is_array()) {
      labels_.faults.emplace_back("the form has no list of entries; take it from the folder as it was written");
      return;
    }
    labels_.is_blank = labels_.faults.empty() && std::all_of(entries->begin(), entries->end(), is_blank_entry);
    if (labels_.is_blank) return;
    for (const json& entry : *entries) read_entry(entry);
  }

 private:
  void check_names(const json& form) {
    if (form.value("content", json()) != json(labels_.content) ||
        form.value("span", json()) != json(fmt::format("S{}", labels_.span))) {
      labels_.faults.emplace_back("this form was made for another span; put each form back into its own folder");
    }
    for (const auto& [field, value] : form.items()) {
      const bool known = field == "format" || field == "configuration" || field == "run" || field == "episode" ||
                         field == "span" || field == "content" || field == "entries";
      if (!known)
        labels_.faults.push_back(
            fmt::format("the form has no field \"{}\"; leave it out", printable(shortened(field, 60))));
    }
  }

  void read_entry(const json& entry) {
    const std::vector<std::string_view> blank =
        entry.is_object() ? blank_labels(entry) : std::vector<std::string_view>();
    if (blank.empty()) return parse(entry);
    const auto number = entry.find("entry");
    const std::string name = number != entry.end() && number->is_number_unsigned()
                                 ? fmt::format("entry {}", number->get<std::uint64_t>())
                                 : std::string("an entry");
    labels_.faults.push_back(
        is_blank_entry(entry)
            ? fmt::format("{}: it is not filled in, and others of this span are; fill in all or none", name)
            : fmt::format("{}: {} {} not filled in; write null where the record does not settle it", name,
                          fmt::join(blank, ", "), blank.size() == 1 ? "is" : "are"));
    if (number != entry.end() && number->is_number_unsigned()) note_line(number->get<std::uint32_t>());
  }

  void parse(const json& entry) {
    if (auto answer = judge::parse_entry_answer(entry, orientation_fields(), labels_.faults)) {
      note_line(answer->entry);
      labels_.answer.entries.push_back(std::move(*answer));
    } else if (entry.is_object() && entry.contains("entry") && entry["entry"].is_number_unsigned()) {
      note_line(entry["entry"].get<std::uint32_t>());
    }
  }

  void note_line(std::uint32_t entry) { labels_.lines[entry] = line_of_entry(text_, entry); }

  const std::string& text_;
  SpanLabels& labels_;
};

class LabelFolder final : public LabelSource {
 public:
  explicit LabelFolder(const std::string& folder)
      : folder_(folder), lines_(open_list(fs::path(folder) / kSpansFile), kLongestLine) {
    read_manifest();
  }

  std::optional<EpisodeLabels> next() override {
    if (!pending_) pending_ = next_line();
    if (!pending_) return std::nullopt;
    EpisodeLabels episode;
    episode.episode.episode = pending_->first;
    episode.any_attempt = true;
    while (pending_ && pending_->first == *episode.episode.episode) {
      episode.spans.push_back(std::move(pending_->second));
      read_answer(episode.spans.back());
      pending_ = next_line();
    }
    return episode;
  }

  [[nodiscard]] const std::vector<LabelFault>& faults() const override { return faults_; }
  [[nodiscard]] evidence::EvidenceOptions evidence_options() const override { return options_; }
  [[nodiscard]] std::optional<JudgementSetRecord::Sample> sample() const override { return sample_; }

 private:
  static std::unique_ptr<ingest::ByteStream> open_list(const fs::path& path) {
    try {
      return ingest::open_file(path.string());
    } catch (const ingest::ReadFault& fault) {
      refuse(path, "it cannot be read: " + fault.reason);
    }
  }

  void read_manifest() {
    const fs::path path = folder_ / kManifestFile;
    std::vector<std::string> faults;
    const std::optional<json> manifest = judge::parse_strict_json(read_form(path).value_or(""), {}, faults);
    if (!manifest) refuse(path, faults.front());
    try {
      if (manifest->at("format") != json(kLabelFormat)) refuse(path, fmt::format("its format is not {}", kLabelFormat));
      options_.reference = manifest->at("evidence").at("reference").get<bool>();
      options_.outcome = manifest->at("evidence").at("outcome").get<bool>();
      const json& sample = manifest->at("sample");
      if (!sample.is_null()) {
        sample_ = {sample.at("size").get<std::uint64_t>(), sample.at("seed").get<std::uint64_t>(),
                   sample.at("population").get<std::uint64_t>()};
      }
    } catch (const json::exception& error) {
      refuse(path, fmt::format("it is damaged ({})", printable(error.what())));
    }
  }

  /// The next span of the list with the uid of its episode; lines that are none become faults.
  std::optional<std::pair<std::string, SpanLabels>> next_line() {
    ingest::Line line;
    while (lines_.next(line)) {
      if (line.text.empty() && !line.too_long) continue;
      std::vector<std::string> faults;
      const std::optional<json> span = judge::parse_strict_json(line.text, {kLongestLine, 8}, faults);
      if (line.too_long) faults.emplace_back("the line is too long");
      if (span) {
        try {
          return read_line(*span);
        } catch (const json::exception& error) {
          faults.push_back(fmt::format("the line is damaged ({})", error.what()));
        }
      }
      faults_.push_back({(folder_ / kSpansFile).string(), line.number, {}, faults.empty() ? "" : faults.front()});
    }
    return std::nullopt;
  }

  std::pair<std::string, SpanLabels> read_line(const json& line) const {
    SpanLabels labels;
    labels.span = line.at("span").get<std::uint32_t>();
    labels.content = line.at("content").get<std::string>();
    labels.name = fmt::format("{}/{}/{}/S{}", line.at("configuration").get<std::string>(),
                              line.at("run").get<std::string>(), line.at("episode").get<std::string>(), labels.span);
    const fs::path folder(line.at("folder").get<std::string>());
    labels.file = (folder_ / folder / kAnswerFile).string();
    if (folder.is_absolute() || std::find(folder.begin(), folder.end(), "..") != folder.end()) {
      labels.faults.emplace_back("its folder lies outside; write the folder anew with `memuse label --write`");
    }
    labels.line = 1;
    if (line.contains("stratum"))
      labels.draw.emplace(line["stratum"].get<std::string>(), line.at("weight").get<double>());
    return {line.at("uid").get<std::string>(), std::move(labels)};
  }

  void read_answer(SpanLabels& labels) const {
    if (!labels.faults.empty()) return;
    const std::optional<std::string> text = read_form(labels.file);
    if (!text) {
      labels.faults.emplace_back("the form cannot be read; put it back, or write the folder anew");
      return;
    }
    FormReader(*text, labels).read();
  }

  fs::path folder_;
  ingest::LineReader lines_;
  evidence::EvidenceOptions options_;
  std::optional<JudgementSetRecord::Sample> sample_;
  std::optional<std::pair<std::string, SpanLabels>> pending_;
  std::vector<LabelFault> faults_;
};

}  // namespace

std::unique_ptr<LabelSource> open_label_folder(const std::string& folder) {
  return std::make_unique<LabelFolder>(folder);
}

}  // namespace memuse::workflow
