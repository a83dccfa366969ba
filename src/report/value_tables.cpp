#include "report/value_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "model/error.h"
#include "report/setting_rows.h"
#include "report/text_layout.h"

namespace memuse::report {
namespace {

using value_tracing::Carried;
using value_tracing::EpisodeCount;
using value_tracing::EpisodeUse;
using value_tracing::FlagRule;
using value_tracing::Setting;
using value_tracing::ValueCounts;

/// What a column counts: values or episodes alone, or episodes with their success.
using ValueQuantity = std::variant<std::uint64_t, EpisodeCount>;

struct Measure {
  std::string key;
  std::string name;
  std::function<ValueQuantity(const ValueCounts&)> of;
  bool always = false;  ///< shown also where nothing was counted
};

Measure count(std::string key, std::string name, std::uint64_t ValueCounts::*member, bool always = false) {
  return {std::move(key), std::move(name), [member](const ValueCounts& c) { return ValueQuantity(c.*member); }, always};
}

Measure episodes(std::string key, std::string name, EpisodeCount ValueCounts::*member, bool always = false) {
  return {std::move(key), std::move(name), [member](const ValueCounts& c) { return ValueQuantity(c.*member); }, always};
}

/// Episodes whose success is of no interest in this table.
Measure bare(std::string key, std::string name, EpisodeCount ValueCounts::*member, bool always = false) {
  return {std::move(key), std::move(name),
          [member](const ValueCounts& c) { return ValueQuantity((c.*member).episodes); }, always};
}

Measure carried(Carried how, std::string name) {
  return {std::string(value_tracing::name(how)), std::move(name),
          [how](const ValueCounts& c) { return ValueQuantity(c.carried[static_cast<std::size_t>(how)]); }};
}

Measure use(EpisodeUse how, std::string name) {
  return {std::string(value_tracing::name(how)), std::move(name),
          [how](const ValueCounts& c) { return ValueQuantity(c.use[static_cast<std::size_t>(how)]); }};
}

Measure used_rule(FlagRule rule, std::string name) {
  return {fmt::format("used_{}", value_tracing::name(rule)), std::move(name),
          [rule](const ValueCounts& c) { return ValueQuantity(c.used_rules[static_cast<std::size_t>(rule)]); }};
}

Measure held_rule(FlagRule rule, std::string name) {
  return {fmt::format("held_{}", value_tracing::name(rule)), std::move(name),
          [rule](const ValueCounts& c) { return ValueQuantity(c.held_rules[static_cast<std::size_t>(rule)]); }};
}

struct TableKind {
  const char* name;
  const char* title;
  const char* caption;
  std::vector<Measure> measures;
};

const char* const kSuccess = " In brackets: share of these episodes that were resolved, of those with an outcome.";

const std::vector<TableKind>& table_kinds() {
  static const std::vector<TableKind> kinds{
      {"held",
       "What delivered memory held",
       "Dependent episodes by how many of their gold values stand in consumed deliveries, byte for byte or in another "
       "writing. Stale beside: memory held a gold value and a stale one; stale alone: a stale one and no gold one.",
       {bare("episodes", "Episodes", &ValueCounts::episodes, true),
        bare("without_trace", "No trace", &ValueCounts::without_trace),
        episodes("held_all", "All held", &ValueCounts::held_all, true),
        episodes("held_some", "Some", &ValueCounts::held_some),
        episodes("held_none", "None", &ValueCounts::held_none, true),
        episodes("held_unknown", "Unknown", &ValueCounts::held_unknown),
        episodes("stale_beside", "Stale beside", &ValueCounts::stale_beside),
        episodes("stale_alone", "Stale alone", &ValueCounts::stale_alone)}},
      {"carried",
       "What actions carried",
       "Gold values of dependent episodes with a trace by the first that holds: an action carries it byte for byte; in "
       "another writing; uncertain: it is there, but too common to tell; an action carries a stale value instead (one "
       "that the probe names counts for every gold value that no action carries); the agent only said it; none. "
       "Common: values that count only with the word that says what they are. Not held: "
       "carried, "
       "but no consumed delivery held it; before memory: the action came before the delivery.",
       {count("values", "Values", &ValueCounts::values, true),
        count("common", "Common", &ValueCounts::common_values),
        {std::string(value_tracing::name(Carried::verbatim)), "Verbatim",
         [](const ValueCounts& c) { return ValueQuantity(c.carried[static_cast<std::size_t>(Carried::verbatim)]); },
         true},
        carried(Carried::reformatted, "Reformatted"),
        carried(Carried::uncertain, "Uncertain"),
        carried(Carried::stale_instead, "Stale instead"),
        carried(Carried::speech_only, "Speech only"),
        {std::string(value_tracing::name(Carried::none)), "None",
         [](const ValueCounts& c) { return ValueQuantity(c.carried[static_cast<std::size_t>(Carried::none)]); }, true},
        count("carried_unheld", "Not held", &ValueCounts::carried_unheld),
        count("before_memory", "Before memory", &ValueCounts::before_memory)}},
      {"use",
       "Use of gold values and success",
       "Dependent episodes by the first that holds: actions carry all gold values; some, and others not; "
       "uncertain; a stale value instead; the agent only said one; none.",
       {episodes("episodes", "Episodes", &ValueCounts::episodes, true),
        episodes("without_trace", "No trace", &ValueCounts::without_trace),
        {"all", "All",
         [](const ValueCounts& c) { return ValueQuantity(c.use[static_cast<std::size_t>(EpisodeUse::all)]); }, true},
        use(EpisodeUse::partial, "Partial"),
        use(EpisodeUse::uncertain, "Uncertain"),
        use(EpisodeUse::stale_instead, "Stale instead"),
        use(EpisodeUse::speech_only, "Speech only"),
        {"none", "None",
         [](const ValueCounts& c) { return ValueQuantity(c.use[static_cast<std::size_t>(EpisodeUse::none)]); }, true}}},
      {"leaks",
       "Success that says nothing about memory",
       "Dependent episodes with a trace. Leaked: a gold value stood outside memory (task, user's turn, system text, "
       "tool result) before the first action that carried it, or anywhere when none did. Pre-satisfied: the goal held "
       "at the start. Says nothing: one or the other.",
       {bare("episodes", "Episodes", &ValueCounts::episodes, true),
        episodes("leaked", "Leaked", &ValueCounts::leaked, true),
        count("leaked_values", "Values", &ValueCounts::leaked_values, true),
        count("leaked_in_inputs", "in inputs", &ValueCounts::leaked_in_inputs),
        count("leaked_in_results", "in results", &ValueCounts::leaked_in_results),
        episodes("pre_satisfied", "Pre-satisfied", &ValueCounts::pre_satisfied, true),
        episodes("says_nothing", "Says nothing", &ValueCounts::says_nothing, true),
        episodes("says_something", "The others", &ValueCounts::says_something, true)}},
      {"flag",
       "MERIT's flag of use and ours",
       "Dependent episodes with a trace. Recorded: MERIT's flag as recorded; recomputed: from gold values and printed "
       "arguments; equal: episodes in which both are there and equal; traced: memory had the fact (as recorded) and "
       "actions carry every gold value byte for byte and whole. Then values on which a search of texts and the tracing "
       "differ, by rule: used (arguments) and held (the placed block).",
       {count("recorded", "Flags", &ValueCounts::flags_recorded, true),
        count("recorded_true", "yes", &ValueCounts::recorded_true, true),
        count("recomputed", "Recomputed", &ValueCounts::flags_recomputed, true),
        count("recomputed_true", "yes", &ValueCounts::recomputed_true, true),
        count("equal", "Equal", &ValueCounts::flags_equal, true),
        count("traced_true", "Traced yes", &ValueCounts::traced_true, true),
        count("traced_differs", "differs", &ValueCounts::traced_differs, true),
        used_rule(FlagRule::part_of_longer, "Used: part of longer"), used_rule(FlagRule::across_parts, "Used: across"),
        used_rule(FlagRule::argument_name, "Used: name"), used_rule(FlagRule::memory_action, "Used: memory action"),
        used_rule(FlagRule::too_common, "Used: too common"), used_rule(FlagRule::printed_escape, "Used: escapes"),
        held_rule(FlagRule::part_of_longer, "Held: part of longer"), held_rule(FlagRule::across_parts, "Held: across"),
        held_rule(FlagRule::printed_escape, "Held: other text"), held_rule(FlagRule::unconsumed, "Held: unconsumed")}}};
  return kinds;
}

const TableKind& table_kind(const std::string& name) {
  const std::vector<TableKind>& kinds = table_kinds();
  const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const TableKind& kind) { return kind.name == name; });
  if (found == kinds.end()) throw Error(ExitCode::usage, fmt::format("there is no table of values called '{}'", name));
  return *found;
}

std::uint64_t amount(const ValueQuantity& quantity) {
  const auto* episodes = std::get_if<EpisodeCount>(&quantity);
  return episodes != nullptr ? episodes->episodes : std::get<std::uint64_t>(quantity);
}

/// Columns worth showing: all for programs; else those in which something was counted.
std::vector<const Measure*> shown_measures(const TableKind& kind, const ValueCounts& total, bool flat) {
  std::vector<const Measure*> shown;
  for (const Measure& measure : kind.measures) {
    if (flat || measure.always || amount(measure.of(total)) > 0) shown.push_back(&measure);
  }
  return shown;
}

void add_columns(const Measure& measure, bool flat, Table& table) {
  table.columns.push_back({measure.key, measure.name});
  const bool has_success = std::holds_alternative<EpisodeCount>(measure.of(ValueCounts{}));
  if (flat && has_success) table.columns.push_back({measure.key + "_success", measure.name + " success %"});
}

void add_cells(const ValueQuantity& quantity, bool flat, Row& row) {
  const auto* episodes = std::get_if<EpisodeCount>(&quantity);
  if (episodes == nullptr) {
    row.cells.push_back(Cell::count(std::get<std::uint64_t>(quantity)));
  } else if (flat) {
    row.cells.push_back(Cell::count(episodes->episodes));
    row.cells.push_back(success(*episodes));
  } else {
    row.cells.push_back(episodes_and_success(*episodes));
  }
}

std::string population(const ValueReport& report) {
  std::uint64_t traced = 0;
  for (const auto& [setting, counts] : report.tally) traced += counts.episodes.episodes;
  std::string text = fmt::format(" Of {} episodes read, {} are dependent and have gold values",
                                 with_separators(report.episodes), with_separators(traced));
  if (report.without_gold > 0) {
    text +=
        fmt::format("; {} dependent ones have none and are left out (--probes)", with_separators(report.without_gold));
  }
  text += ".";
  if (report.digit_shifted > 0) {
    text += fmt::format(" In {} with stale or contradicting memory, MERIT's damaged digits count as stale, too.",
                        with_separators(report.digit_shifted));
  }
  return text;
}

Table make_table(const ValueReport& report, const TableKind& kind, bool flat) {
  std::vector<Setting> settings;
  ValueCounts total;
  for (const auto& [setting, counts] : report.tally) {
    settings.push_back(setting);
    total += counts;
  }
  const SettingLayout layout(settings, flat);
  const std::vector<const Measure*> measures = shown_measures(kind, total, flat);
  Table table;
  table.name = kind.name;
  table.title = kind.title;
  table.columns = layout.columns();
  table.label_columns = table.columns.size();
  for (const Measure* measure : measures) add_columns(*measure, flat, table);
  const auto add_row = [&](Row row, const ValueCounts& counts) {
    for (const Measure* measure : measures) add_cells(measure->of(counts), flat, row);
    table.rows.push_back(std::move(row));
  };
  for (const auto& [setting, counts] : report.tally) {
    add_row({layout.key(setting), layout.group(setting), layout.labels(setting)}, counts);
  }
  if (!flat && settings.size() > 1) {
    const bool grouped = !layout.group(settings.front()).empty();
    Row all{"all", grouped ? "All" : "", layout.labels(settings.front())};
    for (Cell& cell : all.cells) cell = Cell::text("all");
    add_row(std::move(all), total);
  }
  const bool brackets = std::any_of(measures.begin(), measures.end(), [](const Measure* measure) {
    return std::holds_alternative<EpisodeCount>(measure->of(ValueCounts{}));
  });
  table.caption = kind.caption + std::string(brackets ? kSuccess : "") + population(report) + layout.sentence();
  if (measures.size() < kind.measures.size()) table.caption += " Columns without a case are left out.";
  return table;
}

}  // namespace

const std::vector<std::string>& value_table_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const TableKind& kind : table_kinds()) all.emplace_back(kind.name);
    return all;
  }();
  return names;
}

std::vector<std::string> default_value_tables(const ValueReport& report) {
  std::vector<std::string> names = value_table_names();
  const bool flags = std::any_of(report.tally.begin(), report.tally.end(),
                                 [](const auto& row) { return row.second.flags_recorded > 0; });
  if (!flags) std::erase(names, "flag");
  return names;
}

Table value_table(const ValueReport& report, const std::string& name, bool flat) {
  return make_table(report, table_kind(name), flat);
}

nlohmann::ordered_json values_json(const ValueReport& report) {
  using ValuesJson = nlohmann::ordered_json;
  ValuesJson json{{"episodes", report.episodes},
                  {"independent", report.independent},
                  {"without_gold", report.without_gold},
                  {"digit_shifted", report.digit_shifted},
                  {"settings", ValuesJson::array()}};
  for (const auto& [setting, counts] : report.tally) {
    ValuesJson one{{"model", setting.model.empty() ? ValuesJson(nullptr) : ValuesJson(setting.model)},
                   {"domain", setting.domain.empty() ? ValuesJson(nullptr) : ValuesJson(setting.domain)},
                   {"tier", setting.tier.empty() ? ValuesJson(nullptr) : ValuesJson(setting.tier)},
                   {"condition", setting.condition},
                   {"corruption", setting.corruption.empty() ? ValuesJson(nullptr) : ValuesJson(setting.corruption)}};
    for (const TableKind& kind : table_kinds()) {
      ValuesJson& part = one[kind.name];
      for (const Measure& measure : kind.measures) {
        const ValueQuantity quantity = measure.of(counts);
        if (const auto* episodes = std::get_if<EpisodeCount>(&quantity)) {
          part[measure.key] = {{"episodes", episodes->episodes},
                               {"with_outcome", episodes->with_outcome()},
                               {"resolved", episodes->resolved}};
        } else {
          part[measure.key] = std::get<std::uint64_t>(quantity);
        }
      }
    }
    json["settings"].push_back(std::move(one));
  }
  return json;
}

}  // namespace memuse::report
