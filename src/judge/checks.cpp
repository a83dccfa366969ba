#include "judge/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "judge/cited_text.h"
#include "model/text.h"

namespace memuse::judge {
namespace {

constexpr std::size_t kShortestQuote = 12;  ///< characters, unless it is a whole line

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string quoted(std::string_view text) {
  return "\"" + printable(shortened(text, 80)) + "\"";
}

/// Checks the answers of one span and collects the faults.
class AnswerChecker {
 public:
  AnswerChecker(const Span& span, const CheckOptions& options, CitedPlaces& places)
      : options_(options), places_(places) {
    for (const SpanEntry& entry : span.entries) {
      if (entry.window) windows_[entry.entry] = *entry.window;
    }
  }

  std::vector<std::string> check(const Answer& answer) {
    check_coverage(answer);
    for (const EntryAnswer& entry : answer.entries) {
      const auto window = windows_.find(entry.entry);
      if (window == windows_.end()) continue;
      check_labels(entry);
      check_anchors(entry, window->second);
      check_evidence(entry);
    }
    return std::move(faults_);
  }

 private:
  template <typename... Parts>
  void fault(const EntryAnswer& entry, fmt::format_string<Parts...> text, Parts&&... parts) {
    faults_.push_back(fmt::format("entry {}: {}", entry.entry, fmt::format(text, std::forward<Parts>(parts)...)));
  }

  void check_coverage(const Answer& answer);
  void check_labels(const EntryAnswer& entry);
  void check_anchors(const EntryAnswer& entry, const Window& window);
  void check_evidence(const EntryAnswer& entry);
  void check_quote(const EntryAnswer& entry, const CitedPlace& place, const std::string& quote);

  const CheckOptions& options_;
  CitedPlaces& places_;
  std::map<std::uint32_t, Window> windows_;
  std::vector<std::string> faults_;
};

void AnswerChecker::check_coverage(const Answer& answer) {
  std::map<std::uint32_t, int> answered;
  for (const EntryAnswer& entry : answer.entries) ++answered[entry.entry];
  for (const auto& [entry, window] : windows_) {
    if (!answered.contains(entry)) {
      faults_.push_back(fmt::format("entry {}: no answer; it has the window [{}, {}] and needs one", entry,
                                    window.first, window.last));
    }
  }
  for (const auto& [entry, times] : answered) {
    if (!windows_.contains(entry)) {
      faults_.push_back(fmt::format("entry {}: it has no window in this span; leave it out", entry));
    } else if (times > 1) {
      faults_.push_back(fmt::format("entry {}: answered {} times; answer it once", entry, times));
    }
  }
}

void AnswerChecker::check_labels(const EntryAnswer& entry) {
  const Labels& labels = entry.labels;
  if (options_.assesses_relevance && !labels.relevance) fault(entry, "relevance is null; say true or false");
  if (options_.assesses_accuracy && !labels.accuracy) {
    fault(entry, "accuracy is null; say corroborated, uncontradicted or contradicted");
  }
  const bool acted = labels.influence == Influence::acted_on;
  if (acted && labels.novelty == Novelty::redundant) {
    fault(entry, "redundant never goes with acted_on; what was established before the delivery explains no action");
  }
  if (labels.effect && !acted)
    fault(entry, "effect is {} but influence is not acted_on; make it null", name(*labels.effect));
}

void AnswerChecker::check_anchors(const EntryAnswer& entry, const Window& window) {
  const std::optional<Influence> influence = entry.labels.influence;
  const bool needs_anchor = influence && *influence != Influence::none;
  if (needs_anchor && entry.anchors.empty()) {
    fault(entry, "influence is {} but there is no anchor; name the steps where it shows", name(*influence));
  }
  for (const std::uint32_t anchor : entry.anchors) {
    if (anchor < window.first || anchor > window.last) {
      fault(entry, "anchor {} is outside the window [{}, {}]", anchor, window.first, window.last);
    }
  }
}

void AnswerChecker::check_quote(const EntryAnswer& entry, const CitedPlace& place, const std::string& quote) {
  const std::string folded = normalise_text(quote);
  if (folded.empty()) {
    fault(entry, "the quote from {} is empty", in_words(place));
  } else if (!places_.holds(place, quote)) {
    fault(entry, "the quote {} does not stand in {}; {}", quoted(quote), in_words(place), places_.advice(place, quote));
  } else if (characters(folded) < kShortestQuote && !places_.is_line(place, quote)) {
    fault(entry, "the quote {} from {} is too short; give at least {} characters or a whole line", quoted(quote),
          in_words(place), kShortestQuote);
  }
}

void AnswerChecker::check_evidence(const EntryAnswer& entry) {
  bool cites_before = false;
  for (const Evidence& evidence : entry.evidence) {
    const CitedPlace place = cited_place(evidence);
    if (!places_.exists(place)) {
      fault(entry, "there is no {} to cite", in_words(place));
      continue;
    }
    check_quote(entry, place, evidence.quote);
    cites_before = cites_before || places_.visible_before(place, evidence.quote);
  }
  if (entry.labels.novelty == Novelty::redundant && !cites_before) {
    fault(entry, "redundant needs a quote from something visible before the delivery");
  }
}

}  // namespace

CheckOptions tracer_checks() {
  CheckOptions options;
  options.assesses_relevance = false;
  options.assesses_accuracy = false;
  return options;
}

std::vector<std::string> answer_faults(const Span& span, const Answer& answer, const CheckOptions& options,
                                       CitedPlaces& places) {
  return AnswerChecker(span, options, places).check(answer);
}

std::vector<std::string> answer_faults(const Episode& episode, const Span& span, const Answer& answer,
                                       const CheckOptions& options) {
  CitedTexts texts(episode, span);
  return answer_faults(span, answer, options, texts);
}

}  // namespace memuse::judge
