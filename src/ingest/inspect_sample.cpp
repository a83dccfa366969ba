#include "ingest/inspect_sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <unordered_map>
#include <utility>

#include "ingest/chat_call.h"
#include "ingest/chat_chain.h"
#include "ingest/episode_names.h"
#include "ingest/inspect_log.h"
#include "ingest/inspect_texts.h"
#include "ingest/instance_names.h"
#include "ingest/json_fields.h"
#include "model/sha256.h"
#include "model/text.h"

// Events of a sample are a list in which spans (or, before 2025, steps) begin and end. Every model call states its
// whole input, so the visible input is exact. Calls inside a scorer are not the agent's.

namespace memuse::ingest {
namespace {

constexpr int kDeepestNestedEvents = 8;
/// Messages of all inputs of a sample together: inputs that are given by reference can be far larger than the log.
constexpr std::size_t kMostInputMessages = 4'000'000;

constexpr std::array<std::string_view, 24> kEventKinds{
    "sample_init", "sample_limit", "span_begin", "span_end", "step",       "model",     "tool",   "state",
    "store",       "subtask",      "sandbox",    "approval", "input",      "info",      "logger", "error",
    "score",       "score_edit",   "compaction", "branch",   "checkpoint", "interrupt", "anchor", "source_info"};

std::uint64_t sum(std::optional<std::uint64_t> a, std::optional<std::uint64_t> b, std::optional<std::uint64_t> c) {
  return a.value_or(0) + b.value_or(0) + c.value_or(0);
}

/// Tokens of calls, as Inspect counts them: input without what was read from or written to a cache.
struct TokenSums {
  std::uint64_t input = 0, output = 0;
  friend bool operator==(const TokenSums&, const TokenSums&) = default;
};

class SampleReader {
 public:
  SampleReader(const InspectSampleParts& parts, const InspectHeader& header, const InspectSamplePlace& place,
               const ReadOptions& options, DiagnosticLog& log)
      : parts_(parts),
        sample_(*parts.sample),
        header_(header),
        place_(place),
        options_(options),
        log_(log),
        fields_(*parts.sample, "sample", place.record, log) {}

  void read(const EpisodeSink& sink) {
    read_pools();
    for (const JsonValue* events : parts_.events) read_events(*events, 0);
    if (const JsonValue* events = fields_.array("events")) read_events(*events, 0);
    // In 2024 events and texts stood together.
    const JsonValue* transcript = fields_.object("transcript");
    if (const JsonValue* events = array_in(transcript, "events")) read_events(*events, 0);
    if (calls_.empty()) calls_from_conversation();
    know_the_rest();
    if (too_many_) {
      return set_aside(fmt::format("its inputs together have more than {} messages", kMostInputMessages));
    }
    if (texts_.missing() > 0) {
      report(Severity::warning, Fault::unmatched_record, fmt::format("{} attachments are not there", texts_.missing()));
    }
    check_tokens();
    hand_over(sink);
  }

 private:
  void report(Severity severity, Fault fault, const std::string& detail) {
    log_.add(severity, fault, place_.record.line, place_.record.byte, fmt::format("sample {}: {}", id(), detail));
  }
  void set_aside(const std::string& why, Loss loss = Loss::record) {
    log_.add(Severity::error, Fault::episode_set_aside, place_.record.line, place_.record.byte,
             fmt::format("sample {}: {}", id(), why), loss);
  }

  std::string id() {
    const auto id = fields_.string_or_number("id");
    return id ? std::string(*id) : std::string("unnamed");
  }

  void read_pools() {
    for (const JsonValue* list : parts_.attachments) texts_.add_attachments(list);
    texts_.add_attachments(fields_.any("attachments"));
    texts_.add_attachments(object_in(object_in(&sample_, "transcript"), "content"));
    for (const JsonValue* list : parts_.messages) add_to_pool(list);
    add_to_pool(array_in(&sample_, "message_pool"));
    add_to_pool(array_in(object_in(&sample_, "events_data"), "messages"));
    fields_.any("message_pool");
    fields_.any("events_data");
  }

  void add_to_pool(const JsonValue* list) {
    if (list == nullptr || list->kind != JsonKind::array) return;
    for (const JsonValue& message : JsonChildren(*list)) {
      ChatMessages read;
      texts_.add_message(message, read);
      pool_.push_back(std::move(read.list.front()));
      pool_whole_.push_back(read.whole);
    }
  }

  void read_events(const JsonValue& events, int depth) {
    for (const JsonValue& event : JsonChildren(events)) {
      const std::string_view kind = string_in(&event, "event");
      if (kind == "model") {
        read_call(event);
      } else if (kind == "tool") {
        read_result(event);
        // Before 2025 what happened inside a tool stands inside its event.
        const JsonValue* nested = array_in(&event, "events");
        if (nested != nullptr && depth < kDeepestNestedEvents) read_events(*nested, depth + 1);
      } else if (kind == "step" && string_in(&event, "type") == "scorer") {
        scorer_steps_ += string_in(&event, "action") == "begin" ? 1 : -1;
      } else if (kind == "span_begin") {
        const std::string_view type = string_in(&event, "type");
        const bool inside = scorer_spans_.contains(string_in(&event, "parent_id"));
        if (type == "scorer" || type == "scorers" || inside) scorer_spans_.insert(string_in(&event, "id"));
      } else if (!is_one_of(kind, kEventKinds)) {
        log_.count_unknown_type(kind.empty() ? "event" : kind, place_.record.line, place_.record.byte, Loss::part);
      }
    }
  }

  [[nodiscard]] bool in_scorer(const JsonValue& event) const {
    return scorer_steps_ > 0 || scorer_spans_.contains(string_in(&event, "span_id"));
  }

  void read_call(const JsonValue& event) {
    const auto pending = event.field("pending");
    if (pending != nullptr && pending->as_bool().value_or(false)) return;  // it never came to an end
    ChatCall call;
    call.conversation = "sample";
    call.order = static_cast<double>(calls_.size() + scorer_calls_.size());
    call.time = texts_.shared().keep(string_in(&event, "timestamp"));
    call.place = place_.record;
    call.sha256 = place_.sha256;
    read_input(event, call.input);
    const JsonValue* tools = array_in(&event, "tools");
    call.has_tools = tools != nullptr && tools->children > 0;
    const JsonValue* output = object_in(&event, "output");
    const std::string_view answered_by = string_in(output, "model");
    call.model = texts_.shared().keep(answered_by.empty() ? string_in(&event, "model") : answered_by);
    read_answer(output, call);
    read_usage(event, output, call);
    if (in_scorer(event)) {
      call.side_purpose = "scorer";
      scorer_calls_.push_back(std::move(call));
    } else {
      calls_.push_back(std::move(call));
    }
  }

  void read_input(const JsonValue& event, ChatMessages& input) {
    if (const JsonValue* refs = array_in(&event, "input_refs")) {
      for (const JsonValue& range : JsonChildren(*refs)) take_range(range, input);
    }
    if (const JsonValue* messages = array_in(&event, "input")) {
      for (const JsonValue& message : JsonChildren(*messages)) {
        if (!count_message()) return;
        texts_.add_message(message, input);
      }
    }
  }

  void take_range(const JsonValue& range, ChatMessages& input) {
    std::vector<std::optional<std::uint64_t>> ends;
    if (range.kind == JsonKind::array) {
      for (const JsonValue& end : JsonChildren(range)) ends.push_back(end.as_unsigned());
    }
    if (ends.size() != 2 || !ends[0] || !ends[1] || *ends[0] > *ends[1] || *ends[1] > pool_.size()) {
      input.whole = false;
      report(Severity::warning, Fault::bad_range, "a call's `input_refs` do not fit the pool of messages");
      return;
    }
    for (std::size_t at = *ends[0]; at < *ends[1]; ++at) {
      if (!count_message()) return;
      input.list.push_back(pool_[at]);
      input.whole = input.whole && pool_whole_[at];
    }
  }

  bool count_message() {
    if (++input_messages_ > kMostInputMessages) too_many_ = true;
    return !too_many_;
  }

  void read_answer(const JsonValue* output, ChatCall& call) {
    const JsonValue* choices = array_in(output, "choices");
    const JsonValue* message = choices == nullptr ? nullptr : object_in(choices->first_child, "message");
    if (message == nullptr) return;
    ChatMessages read;
    texts_.add_message(*message, read);
    call.answer = std::move(read.list.front());
    call.answer->role = Role::assistant;
    call.answer->key = key_of_message(*call.answer);
  }

  void read_usage(const JsonValue& event, const JsonValue* output, ChatCall& call) {
    if (string_in(&event, "cache") == "read") {
      call.usage = {0, 0, 0};  // it came from Inspect's own cache: nobody was paid
      call.cost_usd = 0.0;
      return;
    }
    const JsonValue* usage = object_in(output, "usage");
    const auto input = whole_in(usage, "input_tokens");
    const auto cached = whole_in(usage, "input_tokens_cache_read");
    const auto written = whole_in(usage, "input_tokens_cache_write");
    if (input) call.usage.input = sum(input, cached, written);
    call.usage.cached_input = cached;
    call.usage.output = whole_in(usage, "output_tokens");
    call.cost_usd = number_in(usage, "total_cost");
    counted_.input += input.value_or(0);
    counted_.output += call.usage.output.value_or(0);
  }

  /// What a tool gave back for the call before it: of use where no later input shows it.
  void read_result(const JsonValue& event) {
    if (calls_.empty() || in_scorer(event)) return;
    ChatCall& call = calls_.back();
    ChatMessages unused;
    ToolAnswer answer;
    answer.action = texts_.shared().keep(string_in(&event, "id"));
    answer.text = texts_.result_text(event.field("result"), unused);
    if (answer.text.empty()) answer.text = texts_.text(string_in(object_in(&event, "error"), "message"));
    call.tool_answers.push_back(answer);
  }

  /// Without events the conversation at the end is all there is: each answer saw what stands before it.
  void calls_from_conversation() {
    const JsonValue* messages = array_in(&sample_, "messages");
    if (messages == nullptr) return;
    ChatMessages all;
    for (const JsonValue& message : JsonChildren(*messages)) texts_.add_message(message, all);
    for (std::size_t i = 0; i < all.list.size(); ++i) {
      if (all.list[i].role != Role::assistant) continue;
      ChatCall call;
      call.conversation = "sample";
      call.order = static_cast<double>(i);
      call.place = place_.record;
      call.sha256 = place_.sha256;
      call.told = true;
      call.has_tools = true;
      call.input.whole = all.whole;
      call.model = texts_.shared().keep(header_.model);
      for (std::size_t before = 0; before < i; ++before) {
        if (!count_message()) return;
        call.input.list.push_back(all.list[before]);
      }
      call.answer = all.list[i];
      for (std::size_t after = i + 1; after < all.list.size() && all.list[after].role == Role::tool; ++after) {
        call.tool_answers.push_back({all.list[after].tool_call, all.list[after].text});
      }
      calls_.push_back(std::move(call));
    }
  }

  /// Fields that are known and looked at elsewhere, or of no use here.
  void know_the_rest() {
    for (const std::string_view known :
         {"epoch",    "input",      "choices",      "target",      "messages",      "output",     "scores",
          "metadata", "store",      "events",       "model_usage", "role_usage",    "total_time", "working_time",
          "uuid",     "started_at", "completed_at", "error",       "error_retries", "limit",      "invalidation",
          "files",    "setup",      "sandbox",      "timelines"}) {
      fields_.any(known);
    }
    id();
    fields_.count_unknown();
  }

  /// Tokens of all calls against those that the sample states by model.
  void check_tokens() {
    const JsonValue* usage = object_in(&sample_, "model_usage");
    if (usage == nullptr || usage->children == 0 || counted_ == TokenSums{}) return;
    TokenSums stated;
    for (const JsonValue& model : JsonChildren(*usage)) {
      stated.input += whole_in(&model, "input_tokens").value_or(0);
      stated.output += whole_in(&model, "output_tokens").value_or(0);
    }
    if (stated == counted_) return;
    report(Severity::note, Fault::stated_count,
           fmt::format("`model_usage` states {} input and {} output tokens, the calls have {} and {}", stated.input,
                       stated.output, counted_.input, counted_.output));
  }

  void hand_over(const EpisodeSink& sink) {
    const std::size_t agent_calls = calls_.size();
    for (ChatCall& call : scorer_calls_) calls_.push_back(std::move(call));
    std::vector<ChatCall> own(calls_.begin(), calls_.begin() + static_cast<std::ptrdiff_t>(agent_calls));
    std::vector<ChatChain> chains = chain_calls(own);
    const auto longest = std::max_element(chains.begin(), chains.end(), [](const ChatChain& a, const ChatChain& b) {
      return a.calls.size() < b.calls.size();
    });
    if (longest == chains.end()) return set_aside("it has no call of the agent");
    std::rotate(chains.begin(), longest, longest + 1);
    for (std::size_t i = agent_calls; i < calls_.size(); ++i) chains.front().asides.push_back(i);
    for (std::size_t number = 0; number < chains.size(); ++number) {
      std::optional<Episode> episode = chain_episode(chains[number], calls_);
      if (!episode) {
        set_aside("a call of the agent has no answer", number == 0 ? Loss::record : Loss::part);
        continue;
      }
      describe(*episode, number);
      sink(std::move(*episode));
    }
  }

  void describe(Episode& episode, std::size_t number) {
    const std::string sample = id();
    const std::string name = number == 0 ? sample : fmt::format("{}.{}", sample, number + 1);
    episode.id = episode.arena.keep(name);
    episode.task_id = episode.id;
    episode.domain = episode.arena.keep(header_.task);
    name_configuration(episode, options_, model_without_route(episode.model), log_, place_.record);
    name_run(episode, options_, header_.run.empty() ? run_folder_of_path(place_.path, episode.id) : header_.run);
    const auto epoch = whole_in(&sample_, "epoch");
    if (header_.epochs && epoch) episode.run = episode.arena.keep(fmt::format("{}-epoch-{}", episode.run, *epoch));
    if (number == 0) add_end(episode);
    set_source(episode);
  }

  void add_end(Episode& episode) {
    read_scores(episode);
    if (const JsonValue* target = sample_.field("target"); target != nullptr && !target->is_null()) {
      const std::string text = target->as_string() ? std::string(*target->as_string()) : to_json(*target);
      if (!is_blank(text)) episode.reference = Reference{"target", episode.arena.keep(text)};
    }
    if (const auto seconds = number_in(&sample_, "total_time")) {
      episode.totals = AgentTotals{std::nullopt, {}, std::nullopt, seconds};
    }
    if (object_in(&sample_, "error") != nullptr) {
      episode.end_reason = "error";
    } else if (const std::string_view limit = string_in(object_in(&sample_, "limit"), "type"); !limit.empty()) {
      episode.end_reason = episode.arena.keep(fmt::format("limit: {}", limit));
    }
  }

  /// The value of one score as a reward; nothing for lists, objects and other words (Inspect's own `value_to_float`).
  static std::optional<double> reward_of(const JsonValue* value) {
    if (value == nullptr) return std::nullopt;
    if (const auto number = value->as_double()) return number;
    if (const auto flag = value->as_bool()) return *flag ? 1.0 : 0.0;
    const std::string_view word = value->as_string().value_or("");
    if (word == "C") return 1.0;
    if (word == "P") return 0.5;
    if (word == "I" || word == "N") return 0.0;
    return std::nullopt;
  }

  /// Several scorers that differ leave the outcome open; every value is kept as a tag.
  void read_scores(Episode& episode) {
    const JsonValue* scores = object_in(&sample_, "scores");
    if (scores == nullptr) return;
    std::set<std::optional<double>> rewards;
    std::string sources;
    for (const JsonValue& score : JsonChildren(*scores)) {
      const JsonValue* value = score.kind == JsonKind::object ? score.field("value") : nullptr;
      if (value == nullptr || value->is_null()) continue;
      rewards.insert(reward_of(value));
      sources += fmt::format("{}{}", sources.empty() ? "" : ", ", score.key);
      const std::string shown = value->as_string() ? std::string(*value->as_string()) : to_json(*value);
      add_tag(episode, episode.arena.keep(fmt::format("score.{}", score.key)),
              episode.arena.keep(shortened(shown, 200)));
    }
    if (rewards.size() != 1 || !*rewards.begin()) return;
    Outcome outcome;
    outcome.reward = *rewards.begin();
    if (*outcome.reward == 1.0) outcome.resolved = true;
    if (*outcome.reward == 0.0) outcome.resolved = false;
    outcome.source = episode.arena.keep(fmt::format("inspect score {}", sources));
    episode.outcome = outcome;
  }

  void set_source(Episode& episode) const {
    SourcePlace& source = episode.source;
    source.path = place_.path;
    source.format = inspect_log_adapter().name();
    source.format_version = place_.version;
    source.locator = place_.locator;
    source.line = place_.record.line;
    source.byte_begin = place_.record.byte;
    source.byte_end = place_.byte_end;
    Sha256 hash;
    hash.update(place_.sha256);
    hash.update(episode.id);
    source.sha256 = hash.finish_hex();
  }

  const InspectSampleParts& parts_;
  const JsonValue& sample_;
  const InspectHeader& header_;
  const InspectSamplePlace& place_;
  const ReadOptions& options_;
  DiagnosticLog& log_;
  RecordFields fields_;
  SharedTexts shared_;
  InspectTexts texts_{shared_};
  std::vector<ChatMessage> pool_;
  std::vector<char> pool_whole_;
  std::vector<ChatCall> calls_;
  std::vector<ChatCall> scorer_calls_;
  std::set<std::string_view> scorer_spans_;
  int scorer_steps_ = 0;
  std::size_t input_messages_ = 0;
  bool too_many_ = false;
  TokenSums counted_;
};

}  // namespace

InspectHeader InspectHeader::of(const JsonValue* eval) {
  InspectHeader header;
  for (const std::string_view id : {"run_id", "eval_id", "task_id"}) {
    if (header.run.empty()) header.run = string_in(eval, id);
  }
  header.task = string_in(eval, "task");
  header.model = string_in(eval, "model");
  header.epochs = whole_in(object_in(eval, "config"), "epochs").value_or(1) > 1;
  return header;
}

void read_inspect_sample(const InspectSampleParts& parts, const InspectHeader& header, const InspectSamplePlace& place,
                         const ReadOptions& options, const EpisodeSink& sink, DiagnosticLog& log) {
  SampleReader(parts, header, place, options, log).read(sink);
}

}  // namespace memuse::ingest
