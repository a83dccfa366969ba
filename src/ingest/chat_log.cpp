#include "ingest/chat_log.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "ingest/chat_call.h"
#include "ingest/chat_chain.h"
#include "ingest/document.h"
#include "ingest/episode_names.h"
#include "ingest/instance_names.h"
#include "ingest/json_document.h"
#include "ingest/json_head.h"
#include "ingest/json_records.h"
#include "ingest/peeked_stream.h"
#include "ingest/unique_ids.h"
#include "model/sha256.h"
#include "model/text.h"

namespace memuse::ingest {
namespace {

constexpr std::string_view kOneCall = "call";
constexpr std::string_view kLangSmith = "langsmith";
constexpr std::string_view kLangfuse = "langfuse";

/// What the head of a file shows of its first record.
std::optional<std::string> chat_version(std::string_view head) {
  std::set<std::string, std::less<>> fields;
  bool role = false;
  bool foreign = false;
  scan_json_head(head, [&](std::string_view path, std::optional<std::string_view> text) {
    if (path.starts_with("#/")) path.remove_prefix(2);
    role = role || path == "messages/#/role" || path == "request/messages/#/role" || path == "body/messages/#/role";
    if (!text && path.find('#') == std::string_view::npos) {
      if (std::count(path.begin(), path.end(), '/') <= 1) fields.emplace(path);
    }
    foreign = foreign || path == "info" || path == "history" || path == "trajectory_format" || path == "schema" ||
              path == "traj" || path == "sessionId";
    return !foreign && fields.size() < 500;
  });
  const auto has = [&](std::string_view field) { return fields.contains(field); };
  if (foreign) return std::nullopt;
  if ((has("post") || has("patch") || has("dotted_order")) && (head.find("\"run_type\"") != std::string_view::npos)) {
    return std::string(kLangSmith);
  }
  if (has("trace") && (has("observations") || has("trace/projectId"))) return std::string(kLangfuse);
  const bool answered = has("response") || has("kwargs") || has("model_parameters") || has("raw_response");
  if (role && has("messages") && answered) return std::string(kOneCall);
  const bool pair = has("request/messages") || has("request/input") || has("body/messages") || has("body/input");
  return pair && has("response") ? std::optional(std::string(kOneCall)) : std::nullopt;
}

/// The calls of one input, and what becomes of them.
class ChatLogReading {
 public:
  ChatLogReading(const std::string& path, const ReadOptions& options, DiagnosticLog& log)
      : path_(path), options_(options), log_(log) {}

  /// The calls of a record whose bytes are `text`.
  void take(const JsonValue& record, std::string_view text, RecordPlace place, DiagnosticLog& log) {
    if (record.kind == JsonKind::array) {
      for (const JsonValue& inner : JsonChildren(record)) {
        if (inner.kind == JsonKind::object) take(inner, inner.text, place, log);
      }
      return;
    }
    const std::string hash = sha256_hex(text);
    for (ChatCall& call : read_chat_calls(record, place, texts_, log)) {
      call.sha256 = hash;
      calls_.push_back(std::move(call));
    }
  }

  /// `lines`: each call was a record of its own.
  void finish(std::string_view version, std::uint64_t size, bool lines, const EpisodeSink& sink) {
    sort_calls(calls_);
    const std::vector<ChatChain> chains = chain_calls(calls_);
    UniqueIds ids;
    for (const ChatChain& chain : chains) {
      auto episode = chain_episode(chain, calls_);
      if (!episode) {
        const RecordPlace place = calls_[chain.calls.front()].place;
        log_.add(Severity::warning, Fault::episode_set_aside, place.line, place.byte, "a request without an answer",
                 lines ? Loss::record : Loss::part);
        continue;
      }
      name_chain(*episode, chain, ids);
      set_chain_source(*episode, chain, version, size);
      sink(std::move(*episode));
    }
  }

 private:
  void name_chain(Episode& episode, const ChatChain& chain, UniqueIds& ids) {
    const std::string wanted = chain.conversation.empty() ? instance_of_path(path_) : chain.conversation;
    episode.id = episode.arena.keep(ids.take(wanted));
    episode.task_id = episode.id;
    name_configuration(episode, options_, model_without_route(episode.model), log_, {1, 0});
    name_run(episode, options_, run_folder_of_path(path_, episode.id));
  }

  /// An episode's calls may stand anywhere in the file, so all of it is read again for each.
  void set_chain_source(Episode& episode, const ChatChain& chain, std::string_view version, std::uint64_t size) {
    Sha256 hash;
    std::uint64_t line = 1;
    for (const std::size_t call : chain.calls) {
      hash.update(calls_[call].sha256);
      if (call == chain.calls.front()) line = std::max<std::uint64_t>(calls_[call].place.line, 1);
    }
    hash.update(episode.id);
    SourcePlace& source = episode.source;
    source.path = path_;
    source.format = chat_log_adapter().name();
    source.format_version = version;
    source.line = line;
    source.byte_end = size;
    source.sha256 = hash.finish_hex();
  }

  const std::string& path_;
  const ReadOptions& options_;
  DiagnosticLog& log_;
  SharedTexts texts_;
  std::vector<ChatCall> calls_;
};

/// Reads a whole JSON document; what is wrong with it goes to `log`. Returns its size.
std::uint64_t read_chat_document(std::unique_ptr<ByteStream> stream, const ReadOptions& options, DiagnosticLog& log,
                                 ChatLogReading& reading) {
  const Document document(std::move(stream), options.max_record_bytes);
  DocumentPlaces places(document);
  Arena arena;
  JsonParser parser(longest_text(document, options));
  const JsonValue* root = parse_document(document, parser, arena, places, options, log, JsonRoot::container);
  if (root != nullptr) reading.take(*root, document.text(), {1, 0}, log);
  return document.size();
}

/// True when the first line is a JSON object of its own, or does not end in the head.
bool has_lines(std::string_view head) {
  const std::size_t start = head.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (start == std::string_view::npos || head[start] != '{') return false;
  const std::string_view line = head.substr(start, head.find('\n', start) - start);
  const std::size_t last = line.find_last_not_of(" \t\r");
  if (line.size() == head.size() - start) return head.size() >= kDetectionBytes;
  return last > 0 && line[last] == '}';
}

/// Files of a folder that is one log: nothing but JSON files with one call each.
std::vector<std::filesystem::path> call_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code failure;
  for (std::filesystem::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    std::error_code unknown;
    const bool regular = entry->symlink_status(unknown).type() == std::filesystem::file_type::regular;
    if (!regular || entry->path().extension() != ".json") return {};
    files.push_back(entry->path());
  }
  if (failure) return {};
  std::sort(files.begin(), files.end());
  return files;
}

bool is_one_call(const std::filesystem::path& file) {
  try {
    const auto stream = open_file(file.string());
    const std::string head = read_up_to(*stream, kDetectionBytes);
    return chat_version(head) == kOneCall;
  } catch (const ReadFault&) {
    return false;
  }
}

class ChatLogAdapter final : public Adapter {
 public:
  [[nodiscard]] std::string_view name() const override { return "chat-log"; }
  [[nodiscard]] std::string_view description() const override {
    return "logs of model calls: request/response records, LiteLLM, LangSmith, Langfuse";
  }
  [[nodiscard]] std::optional<std::string> detect(std::string_view head) const override { return chat_version(head); }

  [[nodiscard]] std::optional<std::string> claims(const std::filesystem::path& folder) const override {
    const auto files = call_files(folder);
    const bool ours = files.size() > 1 && is_one_call(files.front()) && is_one_call(files.back());
    return ours ? std::optional(std::string(kOneCall)) : std::nullopt;
  }

  void read(std::unique_ptr<ByteStream> stream, const std::string& path, const ReadOptions& options,
            const EpisodeSink& sink, DiagnosticLog& log) const override {
    auto peeked = std::make_unique<PeekedStream>(std::move(stream));
    const std::string version = chat_version(peeked->head()).value_or(std::string(kOneCall));
    ChatLogReading reading(path, options, log);
    if (!has_lines(peeked->head())) {
      const std::uint64_t size = read_chat_document(std::move(peeked), options, log, reading);
      return reading.finish(version, size, false, sink);
    }
    JsonRecordReader records(std::move(peeked), options, log);
    for (JsonRecord record; records.next(record);) reading.take(*record.value, record.text, record.place, log);
    reading.finish(version, records.end(), true, sink);
  }

  void read_folder(const std::string& path, const ReadOptions& options, const EpisodeSink& sink,
                   DiagnosticLog& log) const override {
    ChatLogReading reading(path, options, log);
    std::uint64_t size = 0;
    for (const std::filesystem::path& file : call_files(path)) {
      DiagnosticLog own = log.for_file(file.string());
      try {
        size += read_chat_document(open_file(file.string()), options, own, reading);
      } catch (const ReadFault& fault) {
        own.add(Severity::error, Fault::unreadable_file, 0, 0, fault.reason);
      }
      log.absorb(std::move(own));
    }
    reading.finish(kOneCall, size, false, sink);
  }

  void read_again(const SourcePlace& place, const ReadOptions& options, const EpisodeSink& sink,
                  DiagnosticLog& log) const override {
    std::error_code failure;
    if (!std::filesystem::is_directory(place.path, failure)) return Adapter::read_again(place, options, sink, log);
    read_folder(place.path, options, sink, log);
  }
};

}  // namespace

const Adapter& chat_log_adapter() {
  static const ChatLogAdapter adapter;
  return adapter;
}

}  // namespace memuse::ingest
