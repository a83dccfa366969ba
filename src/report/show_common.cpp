#include "report/show_common.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/text.h"
#include "report/text_layout.h"
#include "rules/profile.h"

namespace memuse::report {
namespace {

constexpr std::size_t kLabelWidth = 11;
constexpr std::size_t kAnchorsDrawn = 12;
constexpr std::uint32_t kLongestBar = 16;

std::string value_or_dash(std::string_view value) {
  return std::string(value.empty() ? "—" : value);
}

template <typename Enum>
std::string name_or_dash(std::optional<Enum> value) {
  return value ? std::string(name(*value)) : "—";
}

/// The steps strictly between two drawn ones: one sign each, a long stretch shortened.
std::string bar(std::uint32_t from, std::uint32_t to) {
  const std::uint32_t between = to - from - 1;
  if (between == 0) return " ";
  if (between <= kLongestBar) return std::string(between, '=');
  return "======…======";
}

std::string steps_before(std::uint32_t first) {
  if (first <= 1) return {};
  if (first <= 4) {
    std::string out;
    for (std::uint32_t step = 1; step < first; ++step) out += fmt::format("{} ", step);
    return out;
  }
  return fmt::format("1 … {} ", first - 1);
}

std::string steps_after(std::uint32_t last, std::uint32_t steps) {
  if (last >= steps) return {};
  if (steps - last <= 3) {
    std::string out;
    for (std::uint32_t step = last + 1; step <= steps; ++step) out += fmt::format(" {}", step);
    return out;
  }
  return fmt::format(" {} … {}", last + 1, steps);
}

}  // namespace

std::string Paint::wrap_in(const char* code, std::string_view text) const {
  return on_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

std::string Paint::judged(std::string_view word, std::string_view text) const {
  if (word == "beneficial" || word == "improved") return wrap_in("1;32", text);
  if (word == "harmful" || word == "harmed") return wrap_in("1;31", text);
  if (word == "mixed" || word == "undetermined") return wrap_in("1;33", text);
  return wrap_in("1", text);
}

std::string Paint::emphasised(std::string_view lines) const {
  if (!on_) return std::string(lines);
  static constexpr std::string_view kOpen = "«";
  static constexpr std::string_view kClose = "»";
  std::string out;
  while (!lines.empty()) {
    if (lines.substr(0, kOpen.size()) == kOpen) {
      out += "\x1b[1m«";
      lines.remove_prefix(kOpen.size());
    } else if (lines.substr(0, kClose.size()) == kClose) {
      out += "»\x1b[0m";
      lines.remove_prefix(kClose.size());
    } else {
      // A mark that is not closed on its line ends with it.
      if (lines.front() == '\n') out += "\x1b[0m";
      out += lines.front();
      lines.remove_prefix(1);
    }
  }
  return out;
}

std::string rule(std::size_t width) {
  std::string out;
  for (std::size_t i = 0; i < width; ++i) out += "─";
  out += '\n';
  return out;
}

std::string field(std::string_view label, std::string_view text, std::size_t width) {
  return hanging(pad_right(label, kLabelWidth), text, width);
}

std::string safe(std::string_view text) {
  return printable(text);
}

std::string outcome_text(const EpisodeRecord& episode) {
  std::string out = !episode.resolved ? "outcome unknown" : *episode.resolved ? "resolved" : "not resolved";
  if (!episode.outcome_source.empty()) out += fmt::format(" (by {})", safe(episode.outcome_source));
  if (episode.reward) out += fmt::format(", reward {}", *episode.reward);
  return out;
}

std::string place_text(const EpisodeRecord& episode) {
  std::string out = fmt::format("configuration {} · run {} · task {}", safe(episode.configuration), safe(episode.run),
                                safe(episode.task_id));
  if (episode.position) out += fmt::format(" (position {})", *episode.position);
  if (!episode.repo.empty()) out += fmt::format(" · repository {}", safe(episode.repo));
  if (!episode.domain.empty()) out += fmt::format(" · domain {}", safe(episode.domain));
  if (!episode.group.empty()) out += fmt::format(" · group {}", safe(episode.group));
  return out;
}

std::string span_label(std::uint32_t span) {
  return fmt::format("S{}", span);
}

std::string entry_label(std::uint32_t span, std::uint32_t entry) {
  return fmt::format("S{} E{}", span, entry);
}

std::string item_text(const EntryRecord& entry) {
  std::string out = entry.item ? fmt::format("item {}", safe(*entry.item)) : std::string("no item id");
  if (entry.version) out += fmt::format(", version {}", safe(*entry.version));
  return out;
}

std::string labels_text(const Labels& labels) {
  const std::string relevance = !labels.relevance ? "—" : *labels.relevance ? "true" : "false";
  return fmt::format("relevance {} · accuracy {} · novelty {}\ninfluence {} · effect {}", relevance,
                     name_or_dash(labels.accuracy), name_or_dash(labels.novelty), name_or_dash(labels.influence),
                     name_or_dash(labels.effect));
}

std::string use_text(const Labels& labels) {
  if (!labels.influence) return "influence open";
  if (labels.influence != Influence::acted_on) return std::string(name(*labels.influence));
  return fmt::format("acted on → {}", labels.effect ? name(*labels.effect) : std::string_view("effect open"));
}

std::string marked(std::string_view text, std::string_view value) {
  const auto at = find_value(text, value);
  if (!at) return printable(text, true);
  return fmt::format("{}«{}»{}", printable(text.substr(0, *at), true), printable(value, true),
                     printable(text.substr(*at + value.size()), true));
}

std::string excerpt_text(const Excerpt& excerpt) {
  std::string after = printable(excerpt.after, true);
  after.erase(after.find_last_not_of(" \n") + 1);
  return fmt::format("{}{}«{}»{}{}", excerpt.cut_before ? "… " : "", printable(excerpt.before, true),
                     printable(excerpt.marked, true), after, excerpt.cut_after ? " …" : "");
}

std::string plural(std::uint64_t count, std::string_view word) {
  if (count == 1) return fmt::format("1 {}", word);
  if (!word.empty() && word.back() == 'y') return fmt::format("{} {}ies", count, word.substr(0, word.size() - 1));
  return fmt::format("{} {}s", count, word);
}

std::string verdicts_text(const std::vector<SpanRecord>& spans) {
  static constexpr std::array<Verdict, 5> kOrder{Verdict::mixed, Verdict::beneficial, Verdict::harmful,
                                                 Verdict::undetermined, Verdict::neutral};
  std::string out;
  const auto add = [&out](std::uint64_t count, std::string_view what) {
    if (count == 0) return;
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count, what);
  };
  const auto count_where = [&spans](auto&& condition) {
    return static_cast<std::uint64_t>(std::count_if(spans.begin(), spans.end(), condition));
  };
  const auto in_triage = [](const SpanRecord& span) {
    return span.status == SpanStatus::judged || span.status == SpanStatus::automatic;
  };
  for (const Verdict verdict : kOrder) {
    add(count_where([&](const SpanRecord& span) { return in_triage(span) && rules::verdict_of(span) == verdict; }),
        name(verdict));
  }
  add(count_where([](const SpanRecord& span) { return span.status == SpanStatus::empty; }), "empty");
  add(count_where([](const SpanRecord& span) { return span.status == SpanStatus::unresolved; }), "unresolved");
  add(count_where([](const SpanRecord& span) { return span.status == SpanStatus::not_judged; }), "not judged");
  return value_or_dash(out);
}

std::string deliveries_text(const EpisodeSpansRecord& record) {
  const rules::Counts counts = rules::counts_of(record);
  std::string out = plural(counts.deliveries, "delivery");
  if (counts.restatements > 0) out += fmt::format(", of them {}", plural(counts.restatements, "restatement"));
  if (counts.unconsumed > 0) out += fmt::format("; {} unconsumed", counts.unconsumed);
  return out;
}

std::string step_line(const Window& window, std::span<const std::uint32_t> anchors, std::uint32_t steps) {
  std::vector<std::uint32_t> drawn{window.first};
  std::vector<std::uint32_t> starred;
  for (const std::uint32_t anchor : anchors) {
    if (anchor < window.first || anchor > window.last || starred.size() == kAnchorsDrawn) continue;
    starred.push_back(anchor);
    drawn.push_back(anchor);
  }
  drawn.push_back(window.last);
  std::sort(drawn.begin(), drawn.end());
  drawn.erase(std::unique(drawn.begin(), drawn.end()), drawn.end());

  std::string out = steps_before(window.first) + "[";
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    if (i != 0) out += bar(drawn[i - 1], drawn[i]);
    out += fmt::format("{}", drawn[i]);
    if (std::find(starred.begin(), starred.end(), drawn[i]) != starred.end()) out += '*';
  }
  out += ']';
  return out + steps_after(window.last, std::max(steps, window.last));
}

}  // namespace memuse::report
