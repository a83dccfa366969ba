#include "workflow/flat_labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>

#include "ingest/byte_stream.h"
#include "ingest/line_reader.h"
#include "judge/answer_format.h"
#include "judge/strict_json.h"
#include "model/error.h"
#include "model/text.h"

namespace memuse::workflow {
namespace {

using nlohmann::json;
using EpisodeName = std::tuple<std::string, std::string, std::string>;  // configuration, run, episode

constexpr std::size_t kLongestLine = std::size_t{4} << 20U;

/// Where the labels of an entry stand.
struct Place {
  std::uint32_t episode = 0;  ///< index into the names
  std::uint32_t span = 0;
  std::uint64_t line = 0, begin = 0, end = 0;
};

/// The number in `S3`.
std::optional<std::uint32_t> span_number(const std::string& name) {
  std::uint32_t number = 0;
  const char* end = name.data() + name.size();
  if (name.size() < 2 || (name[0] != 'S' && name[0] != 's')) return std::nullopt;
  const auto [stop, error] = std::from_chars(name.data() + 1, end, number);
  if (error != std::errc{} || stop != end || number == 0) return std::nullopt;
  return number;
}

/// The text of a field; adds a fault when there is none.
std::string name_field(const json& object, const char* field, std::vector<std::string>& faults) {
  const auto at = object.find(field);
  if (at != object.end() && at->is_string()) return at->get<std::string>();
  faults.push_back(
      fmt::format("the field \"{}\" is missing or no text; each line names the entry that it is for", field));
  return {};
}

class FlatLabels final : public LabelSource {
 public:
  explicit FlatLabels(const std::string& file) : file_(file) {
    note_places();
    if (places_.empty()) {
      const std::string why = faults_.empty() ? "it is empty" : to_line(faults_.front());
      throw Error(ExitCode::usage,
                  fmt::format("{} holds no labels of entries, one JSON object a line ({})", printable(file), why));
    }
    std::stable_sort(places_.begin(), places_.end(), [](const Place& a, const Place& b) {
      return std::tie(a.episode, a.span) < std::tie(b.episode, b.span);
    });
  }

  std::optional<EpisodeLabels> next() override {
    if (next_ == places_.size()) return std::nullopt;
    const std::uint32_t number = places_[next_].episode;
    EpisodeLabels episode;
    std::tie(episode.episode.configuration, episode.episode.run, episode.episode.episode) = names_[number];
    for (; next_ < places_.size() && places_[next_].episode == number; ++next_) {
      const Place& place = places_[next_];
      if (episode.spans.empty() || episode.spans.back().span != place.span) episode.spans.push_back(new_span(place));
      read_entry(place, episode.spans.back());
    }
    return episode;
  }

  [[nodiscard]] const std::vector<LabelFault>& faults() const override { return faults_; }
  [[nodiscard]] evidence::EvidenceOptions evidence_options() const override { return {}; }
  [[nodiscard]] std::optional<JudgementSetRecord::Sample> sample() const override { return std::nullopt; }

 private:
  void note_places() {
    try {
      ingest::LineReader lines(ingest::open_file(file_), kLongestLine);
      std::map<EpisodeName, std::uint32_t> numbers;
      ingest::Line line;
      while (lines.next(line)) {
        if (line.too_long) {
          faults_.push_back({file_, line.number, {}, fmt::format("the line is longer than {} bytes", kLongestLine)});
        } else if (!is_blank(line.text)) {
          note_place(line, numbers);
        }
      }
    } catch (const ingest::ReadFault& fault) {
      throw Error(ExitCode::environment, fmt::format("cannot read {}: {}", printable(file_), printable(fault.reason)));
    }
  }

  void note_place(const ingest::Line& line, std::map<EpisodeName, std::uint32_t>& numbers) {
    std::vector<std::string> faults;
    const std::optional<json> entry = judge::parse_strict_json(line.text, {kLongestLine, 8}, faults);
    if (entry && !entry->is_object()) faults.emplace_back("this is no object; give one entry a line");
    if (faults.empty()) {
      EpisodeName name{name_field(*entry, "configuration", faults), name_field(*entry, "run", faults),
                       name_field(*entry, "episode", faults)};
      const std::optional<std::uint32_t> span = span_number(name_field(*entry, "span", faults));
      if (!span && faults.empty()) faults.emplace_back("span is no number of a span; write S1, S2, …");
      if (faults.empty()) {
        const auto [at, is_new] = numbers.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
        if (is_new) names_.push_back(std::move(name));
        places_.push_back({at->second, *span, line.number, line.byte, line.byte + line.text.size()});
        return;
      }
    }
    for (std::string& fault : faults) faults_.push_back({file_, line.number, {}, std::move(fault)});
  }

  [[nodiscard]] SpanLabels new_span(const Place& place) const {
    const auto& [configuration, run, episode] = names_[place.episode];
    SpanLabels labels;
    labels.name = fmt::format("{}/{}/{}/S{}", configuration, run, episode, place.span);
    labels.span = place.span;
    labels.file = file_;
    labels.line = place.line;
    return labels;
  }

  [[nodiscard]] std::string bytes_at(const Place& place) const {
    try {
      const auto stream = ingest::open_file_range(file_, place.begin, place.end);
      return ingest::read_up_to(*stream, static_cast<std::size_t>(place.end - place.begin));
    } catch (const ingest::ReadFault& fault) {
      throw Error(ExitCode::environment, fmt::format("cannot read {}: {}", printable(file_), printable(fault.reason)));
    }
  }

  void read_entry(const Place& place, SpanLabels& labels) const {
    static const std::vector<std::string_view> kNames{"configuration", "run", "episode", "span", "item"};
    std::optional<json> entry = judge::parse_strict_json(bytes_at(place), {kLongestLine, 8}, labels.faults);
    if (!entry) return;  // the file was changed meanwhile
    const auto number = entry->find("entry");
    if (number != entry->end() && number->is_number_unsigned()) {
      const auto index = number->get<std::uint32_t>();
      labels.lines.emplace(index, place.line);
      const auto item = entry->find("item");
      if (item != entry->end() && item->is_string()) labels.items.emplace(index, item->get<std::string>());
    }
    if (auto answer = judge::parse_entry_answer(*entry, kNames, labels.faults)) {
      labels.answer.entries.push_back(std::move(*answer));
    }
  }

  std::string file_;
  std::vector<EpisodeName> names_;
  std::vector<Place> places_;
  std::vector<LabelFault> faults_;
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<LabelSource> open_flat_labels(const std::string& file) {
  return std::make_unique<FlatLabels>(file);
}

}  // namespace memuse::workflow
