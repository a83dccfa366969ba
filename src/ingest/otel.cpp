#include "ingest/otel.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "ingest/chat_chain.h"
#include "ingest/document.h"
#include "ingest/episode_names.h"
#include "ingest/instance_names.h"
#include "ingest/json_document.h"
#include "ingest/json_head.h"
#include "ingest/json_records.h"
#include "ingest/otel_calls.h"
#include "ingest/otel_spans.h"
#include "ingest/peeked_stream.h"
#include "model/sha256.h"

namespace memuse::ingest {
namespace {

constexpr std::string_view kOtlp = "otlp-json";
constexpr std::string_view kSpans = "spans";
constexpr std::string_view kLangfuseSpans = "langfuse";

/// Keys that tell a span of a model call, an agent or a tool from any other span.
bool has_family_key(std::string_view head) {
  for (const std::string_view key : {"gen_ai.", "openinference.span.kind", "\"openinference\"", "ai.operationId",
                                     "llm.request.type", "traceloop.span.kind", "\"gen_ai\""}) {
    if (head.find(key) != std::string_view::npos) return true;
  }
  return false;
}

/// What the head of a file shows of its first record.
std::optional<std::string> otel_version(std::string_view head) {
  std::set<std::string, std::less<>> fields;
  scan_json_head(head, [&](std::string_view path, std::optional<std::string_view> text) {
    if (path.starts_with("#/")) path.remove_prefix(2);
    if (!text && std::count(path.begin(), path.end(), '/') <= 1) fields.emplace(path);
    return fields.size() < 500;
  });
  const auto has = [&](std::string_view field) { return fields.contains(field); };
  if (has("resourceSpans")) return std::string(kOtlp);
  if (!has_family_key(head)) return std::nullopt;
  const bool exported = has("trace") && (has("observations") || has("trace/projectId"));
  if (exported) return std::string(kLangfuseSpans);
  const bool span = has("context/span_id") || has("spanId") || has("span_id");
  const bool attributes = has("attributes") || has("span_attributes") || has("SpanAttributes");
  return span && attributes ? std::optional(std::string(kSpans)) : std::nullopt;
}

/// The spans of one input, and what becomes of them.
class OtelReading {
 public:
  OtelReading(const std::string& path, const ReadOptions& options, DiagnosticLog& log)
      : path_(path), options_(options), log_(log) {}

  void take(const JsonValue& record, RecordPlace place) { read_otel_spans(record, place, texts_, spans_, log_); }

  void finish(std::string_view version, std::uint64_t size, const EpisodeSink& sink) {
    calls_ = otel_calls(spans_, texts_, log_);
    sort_calls(calls_);
    if (calls_.empty() && !spans_.empty()) {
      log_.add(Severity::warning, Fault::episode_set_aside, 1, 0,
               fmt::format("none of the {} spans is a call of a model", spans_.size()));
    }
    std::set<std::string> ids;
    for (const ChatChain& chain : chain_calls(calls_)) {
      auto episode = chain_episode(chain, calls_);
      if (!episode) {
        const RecordPlace place = calls_[chain.calls.empty() ? chain.asides.front() : chain.calls.front()].place;
        log_.add(Severity::warning, Fault::episode_set_aside, place.line, place.byte,
                 chain.calls.empty() ? "calls of a scorer without an agent's" : "a request without an answer");
        continue;
      }
      grade(*episode, chain);
      name_chain(*episode, chain, ids);
      set_source(*episode, chain, version, size);
      sink(std::move(*episode));
    }
  }

 private:
  /// Content is not captured unless an operator asks for it; then nothing is known of the inputs.
  void grade(Episode& episode, const ChatChain& chain) const {
    const bool captured = std::any_of(chain.calls.begin(), chain.calls.end(),
                                      [&](std::size_t call) { return !calls_[call].input.list.empty(); });
    if (!captured) episode.visibility = VisibilityGrade::unknown;
  }

  void name_chain(Episode& episode, const ChatChain& chain, std::set<std::string>& ids) {
    const std::string wanted = chain.conversation.empty() ? instance_of_path(path_) : chain.conversation;
    std::string id = wanted;
    for (int number = 2; !ids.insert(id).second; ++number) id = fmt::format("{}.{}", wanted, number);
    episode.id = episode.arena.keep(id);
    episode.task_id = episode.id;
    const ChatCall& first = calls_[chain.calls.front()];
    if (!first.agent.empty()) add_tag(episode, "agent", episode.arena.keep(first.agent));
    name_configuration(episode, options_, model_without_route(episode.model), log_, {1, 0});
    name_run(episode, options_, run_folder_of_path(path_, episode.id));
  }

  /// An episode's calls may stand anywhere in the file, so all of it is read again for each.
  void set_source(Episode& episode, const ChatChain& chain, std::string_view version, std::uint64_t size) {
    Sha256 hash;
    for (const std::size_t call : chain.calls) hash.update(calls_[call].sha256);
    hash.update(episode.id);
    SourcePlace& source = episode.source;
    source.path = path_;
    source.format = otel_adapter().name();
    source.format_version = version;
    source.line = std::max<std::uint64_t>(calls_[chain.calls.front()].place.line, 1);
    source.byte_end = size;
    source.sha256 = hash.finish_hex();
  }

  const std::string& path_;
  const ReadOptions& options_;
  DiagnosticLog& log_;
  SharedTexts texts_;
  std::vector<OtelSpan> spans_;
  std::vector<ChatCall> calls_;
};

/// True when the first line is a JSON object of its own, or does not end in the head.
bool has_span_lines(std::string_view head) {
  const std::size_t start = head.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (start == std::string_view::npos || head[start] != '{') return false;
  const std::string_view line = head.substr(start, head.find('\n', start) - start);
  if (line.size() == head.size() - start) return head.size() >= kDetectionBytes;
  const std::size_t last = line.find_last_not_of(" \t\r");
  return last > 0 && line[last] == '}';
}

class OtelAdapter final : public Adapter {
 public:
  [[nodiscard]] std::string_view name() const override { return "otel"; }
  [[nodiscard]] std::string_view description() const override {
    return "OpenTelemetry spans: GenAI conventions, OpenInference, OpenLLMetry, AI SDK";
  }
  [[nodiscard]] std::optional<std::string> detect(std::string_view head) const override { return otel_version(head); }

  void read(std::unique_ptr<ByteStream> stream, const std::string& path, const ReadOptions& options,
            const EpisodeSink& sink, DiagnosticLog& log) const override {
    auto peeked = std::make_unique<PeekedStream>(std::move(stream));
    const std::string version = otel_version(peeked->head()).value_or(std::string(kSpans));
    OtelReading reading(path, options, log);
    if (has_span_lines(peeked->head())) {
      JsonRecordReader records(std::move(peeked), options, log);
      for (JsonRecord record; records.next(record);) reading.take(*record.value, record.place);
      return reading.finish(version, records.end(), sink);
    }
    const Document document(std::move(peeked), options.max_record_bytes);
    DocumentPlaces places(document);
    Arena arena;
    JsonParser parser(longest_text(document, options));
    const JsonValue* root = parse_document(document, parser, arena, places, options, log, JsonRoot::container);
    if (root != nullptr) reading.take(*root, {1, 0});
    reading.finish(version, document.size(), sink);
  }
};

}  // namespace

const Adapter& otel_adapter() {
  static const OtelAdapter adapter;
  return adapter;
}

}  // namespace memuse::ingest
