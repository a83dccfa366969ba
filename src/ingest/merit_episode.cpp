#include "ingest/merit_episode.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "ingest/merit_blocks.h"
#include "model/text.h"

namespace memuse::ingest {
namespace {

constexpr std::string_view kUnscored = "unscored";
/// What a transcript says for the text of a model that sent none.
constexpr std::string_view kNoText = "None";

std::string_view condition_of(const MeritParts& parts) {
  if (parts.row) return parts.row->condition;
  constexpr std::array kKnown{"C0_none", "C1_full_replay", "C2_rag", "C3_summary", "C4_structured", "C5_hybrid"};
  const std::string_view memory = parts.trace->memory;
  const bool known = std::find(kKnown.begin(), kKnown.end(), memory) != kKnown.end();
  return known ? memory.substr(0, memory.find('_')) : memory;
}

std::string_view seed_of(const MeritParts& parts) {
  if (parts.row && !parts.row->seed.empty()) return parts.row->seed;
  return read_task_name(parts.row ? parts.row->task_id : parts.trace->task_id).seed;
}

std::string_view arc_of(const MeritParts& parts) {
  if (parts.row && !parts.row->arc_id.empty()) return parts.row->arc_id;
  return read_task_name(parts.row ? parts.row->task_id : parts.trace->task_id).arc_id;
}

const MeritCommon& common_of(const MeritParts& parts) {
  if (parts.row) return *parts.row;
  return *parts.trace;
}

std::string corruption_text(const MeritRow& row) {
  if (row.corrupt_mode.empty()) return {};
  return row.corrupt_rate.empty() ? std::string(row.corrupt_mode)
                                  : fmt::format("{}@{}", row.corrupt_mode, row.corrupt_rate);
}

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) {
    if (part.empty()) continue;
    if (!text.empty()) text += '/';
    text += part;
  }
  return text;
}

std::string full_name(const std::string& given, bool replaces, std::string_view own, const std::string& rest) {
  const bool is_whole = !rest.empty() && given.ends_with("/" + rest);
  if (is_whole) return given;
  return joined({!given.empty() && (replaces || own.empty()) ? std::string_view(given) : own, rest});
}

/// Builds one episode.
class EpisodeBuilder {
 public:
  EpisodeBuilder(const MeritParts& parts, const MeritContext& context, EpisodeRecorder& recorder,
                 DiagnosticLog& row_log, DiagnosticLog& trace_log)
      : parts_(parts),
        context_(context),
        recorder_(recorder),
        episode_(recorder.episode()),
        row_log_(row_log),
        trace_log_(trace_log) {}

  void build(const MeritNames& names) {
    set_names(names);
    if (parts_.row) set_row(*parts_.row);
    set_totals();
    set_grades();
    if (parts_.trace) add_transcript(*parts_.trace);
    add_memory_call();
    set_tags();
  }

 private:
  void set_names(const MeritNames& names);
  void set_row(const MeritRow& row);
  void set_totals();
  void set_grades();
  void set_tags();
  void add_transcript(const MeritTrace& trace);
  void add_block(std::string_view block);
  void add_turns(const Turns& turns, const MeritTrace& trace);
  void add_call(const MeritCall& call, std::size_t number);
  void add_user(std::string_view text);
  void add_memory_call();

  std::string_view keep(const std::string& text) { return recorder_.keep(text); }
  void report_row(Severity severity, Fault fault, const std::string& detail) {
    row_log_.add(severity, fault, parts_.row_place.line, parts_.row_place.byte, detail);
  }
  void report_trace(Severity severity, Fault fault, const std::string& detail) {
    trace_log_.add(severity, fault, parts_.trace_place.line, parts_.trace_place.byte, detail);
  }

  const MeritParts& parts_;
  const MeritContext& context_;
  EpisodeRecorder& recorder_;
  Episode& episode_;
  DiagnosticLog& row_log_;
  DiagnosticLog& trace_log_;
  std::size_t user_turns_ = 0;
};

void EpisodeBuilder::set_names(const MeritNames& names) {
  const MeritCommon& common = common_of(parts_);
  episode_.id = context_.copy < 2 ? common.episode_id : keep(fmt::format("{}#{}", common.episode_id, context_.copy));
  episode_.task_id = common.task_id;
  episode_.model = common.model;
  episode_.condition = condition_of(parts_);
  episode_.seed = seed_of(parts_);
  episode_.group = arc_of(parts_);
  episode_.configuration = keep(merit_configuration(parts_, names));
  episode_.run = keep(merit_run(parts_, names));
  if (common.model.empty() && names.options.configuration.empty()) {
    const std::string detail = fmt::format("`model` is missing; \"{}\" was used", episode_.configuration);
    if (parts_.row) {
      report_row(Severity::warning, Fault::unnamed_configuration, detail);
    } else {
      report_trace(Severity::warning, Fault::unnamed_configuration, detail);
    }
  }
  episode_.store = keep(joined({names.cell, episode_.seed, episode_.condition,
                                parts_.row ? corruption_text(*parts_.row) : std::string(kUnscored), episode_.group}));
  episode_.position = context_.position;
}

void EpisodeBuilder::set_row(const MeritRow& row) {
  episode_.domain = row.domain;
  episode_.tier = row.difficulty;
  Probe probe;
  probe.dependent = row.dependent;
  probe.pre_satisfied = row.pre_satisfied;
  probe.memory_had_fact = row.memory_had_fact;
  probe.memory_utilized = row.memory_utilized;
  if (!row.corrupt_mode.empty()) probe.corruption = Corruption{row.corrupt_mode, row.rate};
  episode_.probe = std::move(probe);
  if (row.success) episode_.outcome = Outcome{row.success, std::nullopt, "merit results"};
}

/// Cost of the agent alone. MERIT writes 0 where it knows no price, so with a real model 0 is no cost.
std::optional<double> agent_cost(const MeritRow& row) {
  if (!row.cost_usd) return std::nullopt;
  // The two were added as doubles: their difference is exact to far below any price.
  constexpr double kNothing = 1e-12;
  const double cost = *row.cost_usd - row.memory_cost_usd.value_or(0.0);
  if (cost > kNothing) return cost;
  if (cost < -kNothing) return std::nullopt;
  return row.model == "mock" ? std::optional(0.0) : std::nullopt;
}

void EpisodeBuilder::set_totals() {
  const MeritCommon& common = common_of(parts_);
  AgentTotals totals;
  totals.usage.input = common.prompt_tokens;
  totals.usage.output = common.completion_tokens;
  totals.seconds = common.wall_seconds;
  if (parts_.row) {
    totals.cost_usd = agent_cost(*parts_.row);
    if (parts_.row->cost_usd && parts_.row->memory_cost_usd && *parts_.row->cost_usd < *parts_.row->memory_cost_usd &&
        !totals.cost_usd) {
      report_row(Severity::warning, Fault::unknown_value, "`cost_usd` is less than `memory_cost_usd`, its part");
    }
  }
  episode_.totals = totals;
}

void EpisodeBuilder::set_grades() {
  episode_.visibility = VisibilityGrade::unknown;
  const bool has_memory = block_form(merit_memory(parts_)) != BlockForm::none;
  episode_.delivery_grade = has_memory ? DeliveryGrade::not_recorded : DeliveryGrade::none;
}

void EpisodeBuilder::add_transcript(const MeritTrace& trace) {
  std::vector<std::string> lines;
  for (const MeritCall& call : trace.calls) lines.push_back(call.line);
  const auto after_heading = after_memory_heading(trace.transcript);
  const bool usable = after_heading && context_.block && context_.block->bytes <= after_heading->size();
  if (!usable) {
    report_trace(Severity::warning, Fault::transcript_mismatch,
                 "the transcript has no memory block or no user turn; calls were taken from `tool_calls`");
    return add_turns(split_turns({}, lines), trace);
  }
  const BlockEnd& end = *context_.block;
  if (end.rule == BlockRule::tool_lines || end.rule == BlockRule::last_user_line) {
    report_trace(Severity::warning, Fault::guessed_boundary,
                 fmt::format("no C0 or C4 trace of task {} shows its first user message; by rule {}",
                             shortened(trace.task_id, 60), name(end.rule)));
  }
  episode_.visibility = VisibilityGrade::partial;
  add_block(after_heading->substr(0, end.bytes));
  const Turns turns = split_turns(after_heading->substr(end.bytes), lines);
  if (turns.calls_not_found > 0) {
    report_trace(Severity::warning, Fault::transcript_mismatch,
                 fmt::format("{} of {} calls are not in the transcript as `tool_calls` has them", turns.calls_not_found,
                             lines.size()));
  }
  add_turns(turns, trace);
}

void EpisodeBuilder::add_block(std::string_view block) {
  const BlockForm form = block_form(merit_memory(parts_));
  const bool empty = holds_no_memory(form, block);
  if (form == BlockForm::none && empty) return;
  episode_.delivery_grade = DeliveryGrade::by_rule;
  Delivery delivery;
  delivery.id = "memory";
  delivery.route = Route::host;
  delivery.form = keep(fmt::format("merit_{}", merit_memory(parts_)));
  if (!is_blank(block)) {
    recorder_.tick();
    const std::uint32_t message = recorder_.add_message({"memory", Role::system, Origin::memory, false, block});
    // The headings of C5 are in the input, but they deliver nothing.
    if (!empty) delivery.message = message;
  }
  if (!empty) {
    for (const BlockEntry& part : split_block(form, block, episode_.group)) {
      Entry entry;
      entry.range = part.range;
      entry.text = block.substr(part.range.begin, part.range.end - part.range.begin);
      if (!part.item.empty()) {
        entry.item = part.item;
        entry.identifiers.push_back(part.item);
      }
      entry.version = part.version;
      delivery.entries.push_back(std::move(entry));
    }
  }
  recorder_.tick();
  recorder_.add_delivery(std::move(delivery));
}

void EpisodeBuilder::add_turns(const Turns& turns, const MeritTrace& trace) {
  for (const TurnPart& part : turns.parts) {
    recorder_.tick();
    switch (part.kind) {
      case TurnPart::Kind::user:
        add_user(part.text);
        break;
      case TurnPart::Kind::call:
        add_call(trace.calls[part.call], part.call + 1);
        break;
      case TurnPart::Kind::assistant: {
        StepRecord step;
        if (part.text != kNoText) step.response = part.text;
        step.model = episode_.model;
        recorder_.add_step(std::move(step));
        break;
      }
    }
  }
}

void EpisodeBuilder::add_user(std::string_view text) {
  ++user_turns_;
  if (user_turns_ == 1) episode_.task_text = text;
  const std::string_view id = keep(fmt::format("user-{}", user_turns_));
  recorder_.add_message({id, Role::user, user_turns_ == 1 ? Origin::task : Origin::user, false, text});
}

void EpisodeBuilder::add_call(const MeritCall& call, std::size_t number) {
  const std::string_view id = keep(fmt::format("call-{}", number));
  StepRecord step;
  step.actions.push_back({id, call.name, call.arguments});
  step.results.push_back({{}, id, call.out});
  step.model = episode_.model;
  recorder_.add_step(std::move(step));
}

/// What the memory system itself spent.
void EpisodeBuilder::add_memory_call() {
  if (!parts_.row || (!parts_.row->memory_tokens && !parts_.row->memory_cost_usd)) return;
  SideCall call;
  call.purpose = "memory";
  call.usage.input = parts_.row->memory_tokens;  // prompt, completion and embedding in one sum
  const std::optional<double>& cost = parts_.row->memory_cost_usd;
  const bool unpriced = cost == 0.0 && parts_.row->memory_tokens.value_or(0) > 0;
  if (!unpriced) call.cost_usd = cost;
  recorder_.tick();
  recorder_.add_side_call(call);
}

void EpisodeBuilder::set_tags() {
  const auto add = [this](std::string_view key, std::string_view value) {
    if (!value.empty()) episode_.tags.push_back({key, value});
  };
  if (context_.block) add("block_end", name(context_.block->rule));
  if (parts_.row) {
    if (parts_.row->episode_index) add("episode_index", keep(fmt::format("{}", *parts_.row->episode_index)));
    add("kind", parts_.row->kind);
  } else {
    add("episode_index", read_task_name(parts_.trace->task_id).episode_index);
  }
  if (parts_.trace) {
    add("memory", parts_.trace->memory);
    add("user_turns", keep(fmt::format("{}", user_turns_)));
  }
}

/// Reads what `to_version` prints, one word after another.
class VersionParser {
 public:
  explicit VersionParser(std::string_view text) : rest_(text) {}

  bool skip(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc{}) failed_ = true;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }
  std::string_view word() {
    const std::string_view found = rest_.substr(0, rest_.find(' '));
    rest_.remove_prefix(found.size());
    return found;
  }
  void expect(std::string_view word) {
    if (!skip(word)) failed_ = true;
  }
  [[nodiscard]] bool ok() const { return !failed_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

}  // namespace

std::string to_version(const MeritContext& context) {
  std::string text(kMeritVersion);
  if (context.transcript) {
    text += fmt::format(" transcript={}@{}-{}", context.transcript->line, context.transcript->byte_begin,
                        context.transcript->byte_end);
  }
  if (context.block) text += fmt::format(" block={}/{}", context.block->bytes, name(context.block->rule));
  if (context.position) text += fmt::format(" position={}", *context.position);
  if (context.copy > 1) text += fmt::format(" copy={}", context.copy);
  return text;
}

std::optional<MeritContext> parse_version(std::string_view version) {
  VersionParser parser(version);
  MeritContext context;
  parser.expect(kMeritVersion);
  if (parser.skip(" transcript=")) {
    LinePlace place;
    place.line = parser.number();
    parser.expect("@");
    place.byte_begin = parser.number();
    parser.expect("-");
    place.byte_end = parser.number();
    context.transcript = place;
  }
  if (parser.skip(" block=")) {
    BlockEnd block;
    block.bytes = parser.number();
    parser.expect("/");
    const auto rule = parse_block_rule(parser.word());
    if (!rule) return std::nullopt;
    block.rule = *rule;
    context.block = block;
  }
  if (parser.skip(" position=")) context.position = parser.number();
  if (parser.skip(" copy=")) context.copy = parser.number();
  if (!parser.ok()) return std::nullopt;
  return context;
}

std::string_view merit_memory(const MeritParts& parts) {
  if (parts.trace && !parts.trace->memory.empty()) return parts.trace->memory;
  return condition_of(parts);
}

std::string merit_configuration(const MeritParts& parts, const MeritNames& names) {
  const std::string rest =
      joined({condition_of(parts), parts.row ? corruption_text(*parts.row) : std::string(kUnscored)});
  const ReadOptions& options = names.options;
  std::string name = full_name(options.configuration, options.names_replace, common_of(parts).model, rest);
  if (common_of(parts).model.empty() && options.configuration.empty()) name = joined({"unnamed", rest});
  return name;
}

std::string merit_run(const MeritParts& parts, const MeritNames& names) {
  const std::string& given = names.options.run;
  return full_name(given, true, names.cell, std::string(seed_of(parts)));
}

void record_merit_episode(const MeritParts& parts, const MeritContext& context, const MeritNames& names,
                          EpisodeRecorder& recorder, DiagnosticLog& row_log, DiagnosticLog& trace_log) {
  EpisodeBuilder(parts, context, recorder, row_log, trace_log).build(names);
}

}  // namespace memuse::ingest
