#include "evidence/shown_places.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/text.h"

namespace memuse::evidence {
namespace {

/// Looking through all files for a quote costs their bytes: only so often in one check.
constexpr int kSearchesForAdvice = 5;

}  // namespace

std::vector<std::string> ShownPlaces::files_of(const judge::CitedPlace& place) const {
  if (!place.step) return {place.file};
  if (*place.step > 0) return {step_file(*place.step)};
  if (step_0_is_memory_too_) return {"task", "target", "deliveries", "earlier_copies"};
  return {"task"};
}

std::vector<ShownPlaces::Recorded> ShownPlaces::fold(const std::string& file,
                                                     const std::vector<ByteRange>& ranges) const {
  std::vector<Recorded> texts;
  const std::optional<std::string_view> text = evidence_.text(file);
  for (const ByteRange& range : ranges) {
    texts.push_back({range.begin, FoldedText(text->substr(range.begin, range.end - range.begin))});
  }
  return texts;
}

const std::vector<ShownPlaces::Recorded>& ShownPlaces::recorded(const std::string& file) {
  const auto known = recorded_.find(file);
  if (known != recorded_.end()) return known->second;
  return recorded_.emplace(file, fold(file, evidence_.quotable(file))).first->second;
}

bool ShownPlaces::exists(const judge::CitedPlace& place) {
  return evidence_.text(files_of(place).front()).has_value();
}

std::optional<Evidence::Place> ShownPlaces::locate(const judge::CitedPlace& place, std::string_view quote) {
  const std::string wanted = normalise_text(quote);
  if (wanted.empty()) return std::nullopt;
  for (const std::string& file : files_of(place)) {
    for (const Recorded& text : recorded(file)) {
      const std::size_t found = find_text(text.folded.text(), wanted);
      if (found == std::string_view::npos) continue;
      const ByteRange range = text.folded.given_range({found, found + wanted.size()});
      return Evidence::Place{file, text.begin + range.begin, text.begin + range.end};
    }
  }
  return std::nullopt;
}

bool ShownPlaces::holds(const judge::CitedPlace& place, std::string_view quote) {
  return locate(place, quote).has_value();
}

bool ShownPlaces::is_line(const judge::CitedPlace& place, std::string_view quote) {
  const std::string wanted = normalise_text(quote);
  for (const std::string& file : files_of(place)) {
    const std::optional<std::string_view> text = evidence_.text(file);
    for (const ByteRange& range : evidence_.quotable(file)) {
      std::string_view rest = text->substr(range.begin, range.end - range.begin);
      while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        if (normalise_text(rest.substr(0, end)) == wanted) return true;
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
    }
  }
  return false;
}

bool ShownPlaces::visible_before(const judge::CitedPlace& place, std::string_view quote) {
  const std::string wanted = normalise_text(quote);
  if (wanted.empty()) return false;
  for (const std::string& file : files_of(place)) {
    for (const Recorded& text : fold(file, evidence_.visible_before(file))) {
      if (find_text(text.folded.text(), wanted) != std::string_view::npos) return true;
    }
  }
  return false;
}

std::string ShownPlaces::advice(const judge::CitedPlace& place, std::string_view quote) {
  const std::string letter_by_letter = CitedPlaces::advice(place, quote);
  if (files_searched_ == kSearchesForAdvice) return letter_by_letter;
  ++files_searched_;
  const std::string wanted = normalise_text(quote);
  for (const EvidenceFile& file : evidence_.files()) {
    for (const Recorded& text : recorded(file.name)) {
      if (find_text(text.folded.text(), wanted) != std::string_view::npos) {
        return fmt::format("it stands in file {}: cite that if you mean it", file.name);
      }
    }
  }
  const std::string file = files_of(place).front();
  const bool only_around = find_text(normalise_text(*evidence_.text(file)), wanted) != std::string_view::npos;
  return only_around ? "a heading or border of the file is no evidence; quote recorded text, copied letter by letter"
                     : letter_by_letter;
}

}  // namespace memuse::evidence
