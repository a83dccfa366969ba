#include "evidence/read_requirements.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace memuse::evidence {
namespace {

constexpr std::size_t kGapsListed = 8;

/// Collects requirements; the first reason for a file or section is kept.
class Requirements {
 public:
  explicit Requirements(const EvidenceSet& evidence) : evidence_(evidence) {
    const std::vector<EvidenceFile>& files = evidence.files();
    for (std::size_t i = 0; i < files.size(); ++i) place_of_file_.emplace(files[i].name, i);
  }

  /// A file that this span has; others are left out.
  void file(const std::string& name, const std::string& because) {
    const auto place = place_of_file_.find(name);
    if (place == place_of_file_.end()) return;
    const std::uint64_t bytes = evidence_.files()[place->second].bytes;
    wanted_.try_emplace({place->second, 0}, ReadRequirement{name, {0, bytes}, {}, because});
  }
  void step(std::uint32_t number, const std::string& because) {
    if (number >= 1 && number <= evidence_.episode().step_count()) file(step_file(number), because);
  }
  void steps(std::uint32_t first, std::uint32_t last, const std::string& because) {
    for (std::uint32_t number = first; number <= last; ++number) step(number, because);
  }
  void delivery_section(const EvidenceSection& section, const std::string& because) {
    wanted_.try_emplace({place_of_file_.at("deliveries"), section.range.begin},
                        ReadRequirement{"deliveries", section.range, section.name, because});
  }

  void basic();
  void entry(const EntryAnswer& answer);
  std::vector<ReadRequirement> take() {
    std::vector<ReadRequirement> list;
    for (auto& [place, requirement] : wanted_) list.push_back(std::move(requirement));
    return list;
  }

 private:
  using Place = std::pair<std::size_t, std::uint64_t>;  // number of the file, begin of the section

  const EvidenceSet& evidence_;
  std::map<std::string, std::size_t, std::less<>> place_of_file_;
  std::map<Place, ReadRequirement> wanted_;
};

void Requirements::basic() {
  const std::string because = "every answer";
  for (const char* name : {"task", "target", "prior_context", "other_messages", "reference"}) file(name, because);
  const std::uint32_t first = evidence_.span().first_step;
  step(first, because);
  if (first > 1) step(first - 1, because);
}

void Requirements::entry(const EntryAnswer& answer) {
  const auto because = [&](std::string_view signal, std::string_view value) {
    return fmt::format("entry {}: {} is {}", answer.entry, signal, value);
  };
  const Labels& labels = answer.labels;
  const auto& entries = evidence_.span().entries;
  const auto entry = std::find_if(entries.begin(), entries.end(),
                                  [&](const SpanEntry& candidate) { return candidate.entry == answer.entry; });
  const Window* const window = entry == entries.end() || !entry->window ? nullptr : &*entry->window;
  const bool acted_on = labels.influence == Influence::acted_on;

  if (labels.novelty || acted_on) {
    const std::string reason =
        labels.novelty ? because("novelty", name(*labels.novelty)) : because("influence", name(*labels.influence));
    for (const std::uint32_t number : evidence_.prior_context_steps()) step(number, reason);
    for (const EvidenceSection& section : evidence_.delivery_sections()) delivery_section(section, reason);
  }
  if (labels.influence && !acted_on && window) {
    steps(window->first, window->last, because("influence", name(*labels.influence)));
  }
  if (labels.effect && window) {
    steps(window->first, evidence_.episode().step_count(), because("effect", name(*labels.effect)));
  }
  for (const std::uint32_t anchor : answer.anchors) step(anchor, because("an anchor", fmt::format("step {}", anchor)));
  for (const Evidence& evidence : answer.evidence) {
    const std::optional<std::uint32_t> cited = evidence.step ? evidence.step : step_of_file(evidence.file);
    if (cited) step(*cited, fmt::format("entry {}: its evidence cites step {}", answer.entry, *cited));
  }
}

std::string in_words(const ReadRequirement& requirement) {
  return requirement.section.empty() ? requirement.file
                                     : fmt::format("section {} of {} (bytes {}-{})", requirement.section,
                                                   requirement.file, requirement.range.begin, requirement.range.end);
}

std::string fault(const ReadRequirement& requirement, const std::vector<ByteRange>& gaps) {
  const bool all = gaps.empty() || (gaps.size() == 1 && gaps.front() == requirement.range);
  std::string missing;
  for (std::size_t i = 0; i < std::min(gaps.size(), kGapsListed); ++i) {
    missing += fmt::format("{}{}-{}", i == 0 ? "" : ", ", gaps[i].begin, gaps[i].end);
  }
  if (gaps.size() > kGapsListed) missing += fmt::format(" and {} more parts", gaps.size() - kGapsListed);
  return fmt::format(
      "read {} completely: {}; needed for {}", in_words(requirement),
      all ? fmt::format("none of its {} bytes were shown", requirement.range.end - requirement.range.begin)
          : fmt::format("bytes {} were not shown", missing),
      requirement.because);
}

}  // namespace

std::vector<ReadRequirement> basic_requirements(const EvidenceSet& evidence) {
  Requirements requirements(evidence);
  requirements.basic();
  return requirements.take();
}

std::vector<ReadRequirement> read_requirements(const EvidenceSet& evidence, const Answer& answer) {
  Requirements requirements(evidence);
  requirements.basic();
  for (const EntryAnswer& entry : answer.entries) requirements.entry(entry);
  return requirements.take();
}

std::vector<std::string> unread_faults(const EvidenceSet& evidence, const Answer& answer, const ReadLedger& ledger) {
  std::vector<std::string> faults;
  for (const ReadRequirement& requirement : read_requirements(evidence, answer)) {
    if (ledger.covers(requirement.file, requirement.range)) continue;
    faults.push_back(fault(requirement, ledger.missing(requirement.file, requirement.range)));
  }
  return faults;
}

}  // namespace memuse::evidence
