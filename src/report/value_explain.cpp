#include <fmt/format.h>

#include <algorithm>

#include "model/text.h"
#include "report/setting_rows.h"
#include "report/show_common.h"
#include "report/sighting_text.h"
#include "report/text_layout.h"
#include "report/value_tables.h"

// The readable views of one episode: for each value what was found, and the lines that show it.

namespace memuse::report {
namespace {

using value_tracing::Carried;
using value_tracing::EpisodeTrace;
using value_tracing::GoldTrace;
using value_tracing::Held;
using value_tracing::ProbedValue;

constexpr std::size_t kStaleShown = 4;
constexpr std::size_t kLeaksShown = 4;
constexpr std::size_t kTaskTextBytes = 600;

class View {
 public:
  View(const Episode& episode, const TableStyle& style)
      : episode_(episode), width_(std::max<std::size_t>(style.width, 40)), paint_(style.bold) {}

  void header(std::string_view about) {
    const value_tracing::Setting setting = value_tracing::setting_of(episode_);
    out_ += paint_.bold(fmt::format("Episode {}: {}", safe(episode_.id), about)) + "\n";
    std::string place = fmt::format("configuration {} · run {} · task {}", safe(episode_.configuration),
                                    safe(episode_.run), safe(episode_.task_id));
    for (const auto& [what, value] : {std::pair("domain", setting.domain), std::pair("tier", setting.tier),
                                      std::pair("memory damaged:", setting.corruption)}) {
      if (!value.empty()) place += fmt::format(" · {} {}", what, safe(value));
    }
    out_ += hanging("", place, width_);
    out_ += rule(width_);
    put("Outcome", outcome());
    if (!episode_.task_text.empty()) put("Task", printable(shortened(trimmed(episode_.task_text), kTaskTextBytes)));
  }

  void put(std::string_view label, std::string_view text) { out_ += field(label, text, width_); }

  void heading(std::string_view text) { out_ += fmt::format("\n{}\n", paint_.bold(text)); }

  /// A statement about a value, and the line that shows it.
  void fact(std::string_view label, std::string_view text,
            const std::optional<value_tracing::ValueSighting>& sighting = std::nullopt) {
    const std::string first = fmt::format("  {}", pad_right(label, 11));
    std::string sentence(text);
    if (sighting)
      sentence +=
          fmt::format("{}{}: “{}”", sentence.empty() ? "" : "; ", place_of(*sighting), quote_text(sighting->quote));
    out_ += paint_.emphasised(hanging(first, sentence, width_));
  }

  void more(std::size_t count, std::string_view what) {
    if (count > 0) fact("", fmt::format("and {} more {}", count, what));
  }

  std::string take() { return std::move(out_); }

 private:
  [[nodiscard]] std::string outcome() const {
    if (!episode_.outcome || !episode_.outcome->resolved) return "unknown";
    const std::string by =
        episode_.outcome->source.empty() ? "" : fmt::format(" (by {})", safe(episode_.outcome->source));
    return (*episode_.outcome->resolved ? "resolved" : "not resolved") + by;
  }

  const Episode& episode_;
  std::size_t width_;
  Paint paint_;
  std::string out_;
};

std::string yes_no(const std::optional<bool>& value) {
  if (!value) return "—";
  return *value ? "yes" : "no";
}

std::string held_text(Held held) {
  switch (held) {
    case Held::none:
      return "no delivery that a step consumed holds it";
    case Held::reformatted:
      return "in another writing";
    case Held::verbatim:
      return "verbatim";
    case Held::unknown:
      return "unknown: deliveries were not recorded";
  }
  return {};
}

std::string carried_text(const EpisodeTrace& trace, const GoldTrace& gold) {
  switch (gold.carried) {
    case Carried::verbatim:
      return "verbatim";
    case Carried::reformatted:
      return "in another writing";
    case Carried::uncertain:
      return "uncertain: the value is common, and the word that says what it is is not with it";
    case Carried::stale_instead:
      return fmt::format("no; an action carries the stale «{}» instead", safe(trace.stale[*gold.stale_carried].value));
    case Carried::speech_only:
      return "no action carries it; the agent only said it";
    case Carried::none:
      return "no action carries it";
    case Carried::not_observable:
      return "not observable: no step is recorded";
  }
  return {};
}

std::string rule_text(value_tracing::FlagRule rule) {
  using value_tracing::FlagRule;
  switch (rule) {
    case FlagRule::none:
      return {};
    case FlagRule::part_of_longer:
      return "it stands only inside a longer word or number";
    case FlagRule::across_parts:
      return "it stands only across two arguments, or across two entries of the block";
    case FlagRule::argument_name:
      return "it stands only in the name of an argument";
    case FlagRule::memory_action:
      return "it stands only in an action that searches or opens memory";
    case FlagRule::too_common:
      return "it is common, and the word that says what it is is not with it";
    case FlagRule::printed_escape:
      return "the searched text writes it in another way (escapes)";
    case FlagRule::unconsumed:
      return "the block was placed, but no step followed";
  }
  return {};
}

void put_stale(const EpisodeTrace& trace, const GoldTrace& gold, View& view) {
  std::size_t shown = 0;
  for (const std::size_t index : gold.stale_beside) {
    if (shown++ == kStaleShown) break;
    const value_tracing::StaleTrace& stale = trace.stale[index];
    const char* origin = stale.origin == value_tracing::StaleOrigin::probe ? "named by the probe"
                                                                           : "gold digits moved by MERIT's damage";
    view.fact("stale", fmt::format("memory holds {} ({})", safe(stale.value), origin), stale.held);
  }
  view.more(gold.stale_beside.size() - std::min(gold.stale_beside.size(), kStaleShown), "stale values");
  const bool also = gold.stale_carried && gold.carried != Carried::stale_instead;
  if (also) {
    const value_tracing::StaleTrace& stale = trace.stale[*gold.stale_carried];
    view.fact("", fmt::format("an action carries the stale {}, too", safe(stale.value)), stale.carried);
  }
}

void put_leaks(const GoldTrace& gold, View& view) {
  std::size_t shown = 0;
  for (const value_tracing::Leak& leak : gold.leaks) {
    if (!leak.before_use || shown++ >= kLeaksShown) continue;
    view.fact("leak", "it stood outside memory", leak.sighting);
  }
  const auto before = static_cast<std::size_t>(
      std::count_if(gold.leaks.begin(), gold.leaks.end(), [](const auto& leak) { return leak.before_use; }));
  view.more(before - std::min(before, kLeaksShown), "such places");
  const std::size_t after = gold.leaks.size() - before;
  if (after > 0)
    view.fact("after use", fmt::format("{} outside memory shown only later, no leak", plural(after, "place")));
}

void put_gold(const EpisodeTrace& trace, std::size_t index, View& view) {
  const GoldTrace& gold = trace.gold[index];
  view.heading(fmt::format("Gold value {} of {}: «{}»", index + 1, trace.gold.size(), safe(gold.value)));
  if (!gold.telling) view.fact("common", "counts only with a word that stands beside it in memory");
  view.fact("memory", held_text(gold.held), gold.held_at);
  put_stale(trace, gold, view);
  view.fact("carried", carried_text(trace, gold), gold.carried_at);
  if (gold.before_memory) view.fact("", "that action came before memory showed the value");
  if (gold.said_at) view.fact("said", "", gold.said_at);
  put_leaks(gold, view);
  if (const std::string why = rule_text(gold.held_rule); !why.empty()) {
    view.fact("MERIT", fmt::format("block holds it: {}; we say {}, since {}", yes_no(gold.merit_held),
                                   value_tracing::name(gold.held), why));
  }
  if (const std::string why = rule_text(gold.used_rule); !why.empty()) {
    view.fact("MERIT", fmt::format("arguments hold it: {}; we say {}, since {}", yes_no(gold.merit_used),
                                   value_tracing::name(gold.carried), why));
  }
}

std::string use_text(const EpisodeTrace& trace) {
  if (trace.use == value_tracing::EpisodeUse::not_observable) return "not observable: no step is recorded";
  return fmt::format("{} of {} gold values in actions ({})", trace.used, trace.gold.size(),
                     value_tracing::name(trace.use));
}

void put_probed(std::string_view label, const std::vector<ProbedValue>& values, View& view) {
  for (const ProbedValue& value : values) {
    const char* what = value.used ? "used" : value.uncertain ? "uncertain: too common to tell" : "not used";
    view.fact(label, fmt::format("{}: {}", safe(value.value), what), value.first_used);
    if (value.said) view.fact("said", "", value.said);
    if (value.held) view.fact("in memory", "", value.held);
  }
}

}  // namespace

std::string explain_values_text(const Episode& episode, const EpisodeTrace& trace, const TableStyle& style) {
  View view(episode, style);
  view.header("gold values");
  view.put("Use", use_text(trace));
  if (trace.recorded_flag || trace.recomputed_flag) {
    view.put("MERIT flag", fmt::format("recorded {}, recomputed {}, by this tracing {}", yes_no(trace.recorded_flag),
                                       yes_no(trace.recomputed_flag), yes_no(trace.traced_flag)));
  }
  if (trace.pre_satisfied) view.put("Goal", "held already at the start: success says nothing about memory");
  if (trace.leaked_before_use()) {
    view.put("Leak", "a gold value stood outside memory before use: success says nothing about memory");
  }
  for (std::size_t i = 0; i < trace.gold.size(); ++i) put_gold(trace, i, view);
  return view.take();
}

std::string explain_memory_probes_text(
    const Episode& episode,
    const std::vector<std::pair<value_tracing::MemoryProbe, value_tracing::ScoredProbe>>& probes,
    const TableStyle& style) {
  View view(episode, style);
  view.header("memory probes");
  for (const auto& [probe, scored] : probes) {
    view.heading(fmt::format("{} (line {}): {}", value_tracing::name(probe.kind), probe.line,
                             value_tracing::name(scored.result)));
    if (!scored.reason.empty()) view.fact("reason", scored.reason);
    if (scored.evidence) view.fact("evidence", "shown", scored.evidence);
    put_probed("expect", scored.expect, view);
    put_probed("forbid", scored.forbid, view);
    if (scored.ended_well) {
      view.fact("last",
                *scored.ended_well ? "an expected value was carried last" : "a forbidden value was carried last");
    }
  }
  return view.take();
}

}  // namespace memuse::report
