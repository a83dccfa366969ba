#include "ingest/inspect_log.h"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <set>
#include <utility>

#include "ingest/inspect_sample.h"
#include "ingest/json_document.h"
#include "ingest/json_fields.h"
#include "ingest/json_head.h"
#include "ingest/peeked_stream.h"
#include "ingest/zip_members.h"
#include "model/text.h"

namespace memuse::ingest {
namespace {

constexpr std::string_view kZipVersion = "eval";
constexpr std::string_view kJsonVersion = "json";
constexpr std::string_view kHeader = "header.json";
constexpr std::string_view kStart = "_journal/start.json";
constexpr std::string_view kSamples = "samples/";

bool is_log_document(std::string_view head) {
  bool version = false;
  bool status = false;
  bool eval = false;
  scan_json_head(head, [&](std::string_view path, std::optional<std::string_view> /*text*/) {
    version = version || path == "version";
    status = status || path == "status";
    eval = eval || path == "eval/task" || path == "eval/task_id";
    return !(version && status && eval);
  });
  return version && status && eval;
}

/// Bytes with the room behind them that the parser wants.
class ParsedMember {
 public:
  ParsedMember(std::string bytes, JsonParser& parser, Arena& arena, RecordPlace place, DiagnosticLog& log,
               const std::string& name)
      : sha256_(sha256_hex(bytes)) {
    std::size_t replaced = 0;
    bytes_ = without_bare_numbers(std::move(bytes), replaced);
    if (replaced > 0) {
      log.add(Severity::note, Fault::unknown_value, place.line, place.byte,
              fmt::format("{}: {} bare NaN or Infinity, which JSON does not have, read as null", name, replaced));
    }
    const std::size_t size = bytes_.size();
    bytes_.resize(size + JsonParser::kPadding, ' ');
    JsonFault fault;
    root_ =
        parser.parse_next(std::string_view(bytes_).substr(0, size), bytes_.size(), arena, fault_, JsonRoot::container);
    if (root_ != nullptr) report_repairs(parser.repairs(), place, log);
  }

  /// Null when it is no JSON: `fault` then says why.
  [[nodiscard]] const JsonValue* root() const { return root_; }
  [[nodiscard]] const JsonFault& fault() const { return fault_; }
  [[nodiscard]] const std::string& sha256() const { return sha256_; }

 private:
  std::string sha256_;
  std::string bytes_;
  const JsonValue* root_ = nullptr;
  JsonFault fault_;
};

/// A chunk of a sample: `samples/ID/events/12.json`.
struct ChunkName {
  std::string sample;  ///< `samples/ID`
  std::string part;    ///< `events`; `sample` for the sample itself
  std::uint64_t first = 0;
};

std::string_view without_json(std::string_view name) {
  constexpr std::string_view kSuffix = ".json";
  if (name.ends_with(kSuffix)) name.remove_suffix(kSuffix.size());
  return name;
}

/// Nothing for members that are no parts of samples. A sample's own id may hold slashes, so names are read from behind.
std::optional<ChunkName> chunk_name(std::string_view name) {
  if (!name.starts_with(kSamples) || !name.ends_with(".json")) return std::nullopt;
  const std::string_view stem = without_json(name);
  const std::size_t slash = stem.rfind('/');
  const std::string_view last = stem.substr(slash + 1);
  const std::string_view folder = stem.substr(0, slash);
  if (last == "sample" || last == "metadata" || last == "skeleton") {
    return ChunkName{std::string(folder), std::string(last), 0};
  }
  const std::size_t above = folder.rfind('/');
  const std::string_view part = folder.substr(above + 1);
  if (above != std::string_view::npos && above > 0 && folder.substr(0, above) != "samples" &&
      (part == "messages" || part == "events" || part == "calls" || part == "attachments")) {
    ChunkName chunk{std::string(folder.substr(0, above)), std::string(part), 0};
    const auto [end, error] = std::from_chars(last.data(), last.data() + last.size(), chunk.first);
    if (error == std::errc() && end == last.data() + last.size()) return chunk;
    if (last == "stats" || last == "uuids") return ChunkName{chunk.sample, "statistics", 0};
  }
  return ChunkName{std::string(stem), "whole", 0};
}

/// Reads the samples of a zip.
class ZipLogReader {
 public:
  ZipLogReader(const std::string& path, std::unique_ptr<ByteStream> stream, const ReadOptions& options,
               DiagnosticLog& log)
      : path_(path), options_(options), log_(log), zip_(path, std::move(stream)) {}

  /// All samples, or only the one at `wanted`.
  void read(const EpisodeSink& sink, const std::string& wanted = {}) {
    list_members();
    zip_.rewind();
    std::size_t number = 0;
    while (zip_.next()) {
      ++number;
      const std::string name = zip_.name();
      if (last_.at(name) != number) continue;  // an older version of a member that was written again
      const auto chunk = chunk_name(name);
      if (!chunk || chunk->part == "statistics" || chunk->part == "metadata" || chunk->part == "calls") continue;
      if (!wanted.empty() && chunk->sample != wanted) continue;
      take(*chunk, number, sink);
    }
    for (const auto& [sample, pending] : pending_) {
      log_.begin_document(pending.record.line, 0, std::nullopt);
      set_aside({pending.record.line, 0}, sample, "parts of it are missing");
    }
    if (samples_ == 0 && wanted.empty()) {
      log_.add(Severity::warning, Fault::no_traces_found, 0, 0, "the log holds no samples");
    }
  }

 private:
  struct Pending {
    RecordPlace record;
    std::map<std::pair<std::string, std::uint64_t>, std::string> parts;  // by part and first index
    std::size_t bytes = 0;
  };

  /// Names, the last place of each, how many chunks each sample has; and the header, which stands last.
  void list_members() {
    std::size_t number = 0;
    std::string header;
    std::string start;
    while (zip_.next()) {
      last_[zip_.name()] = ++number;
      if (zip_.name() == kHeader) header = zip_.read(options_.max_record_bytes);
      if (zip_.name() == kStart) start = zip_.read(options_.max_record_bytes);
    }
    for (const auto& [name, place] : last_) {
      const auto chunk = chunk_name(name);
      if (chunk && chunk->part != "whole" && chunk->part != "statistics" && chunk->part != "metadata" &&
          chunk->part != "calls") {
        ++chunks_[chunk->sample];
      }
    }
    read_header(header.empty() ? start : header, header.empty() ? std::string(kStart) : std::string(kHeader));
    if (header.empty()) {
      log_.add(Severity::warning, Fault::truncated_line, 0, 0,
               "the log has no header.json: the evaluation did not end");
    }
  }

  void read_header(std::string bytes, const std::string& name) {
    if (bytes.empty()) return;
    JsonParser parser;
    Arena arena;
    const ParsedMember member(std::move(bytes), parser, arena, {0, 0}, log_, name);
    if (member.root() == nullptr) {
      log_.add(Severity::warning, member.fault().fault, 0, 0, fmt::format("{}: {}", name, member.fault().detail));
    }
    header_ = InspectHeader::of(object_in(member.root(), "eval"));
  }

  void set_aside(RecordPlace place, const std::string& sample, const std::string& why) {
    log_.add(Severity::error, Fault::episode_set_aside, place.line, place.byte, fmt::format("{}: {}", sample, why));
  }

  void take(const ChunkName& chunk, std::size_t number, const EpisodeSink& sink) {
    std::string bytes;
    try {
      bytes = zip_.read(options_.max_record_bytes);
    } catch (const ReadFault& fault) {
      ++samples_;
      if (chunk.part != "whole") {
        chunks_[chunk.sample] = 0;
        pending_.erase(chunk.sample);
      }
      log_.begin_document(number, 0, std::nullopt);
      return set_aside({number, 0}, chunk.sample, fault.reason);
    }
    if (chunk.part == "whole") {
      std::map<std::pair<std::string, std::uint64_t>, std::string> parts;
      parts[{"sample", 0}] = std::move(bytes);
      return read_sample(chunk.sample, number, std::move(parts), sink);
    }
    if (chunks_[chunk.sample] == 0) return;  // set aside already
    Pending& pending = pending_[chunk.sample];
    if (pending.record.line == 0) pending.record.line = number;
    pending.bytes += bytes.size();
    pending.parts[{chunk.part, chunk.first}] = std::move(bytes);
    if (pending.bytes > options_.max_record_bytes) {
      log_.begin_document(number, 0, std::nullopt);
      set_aside({number, 0}, chunk.sample,
                fmt::format("it has more than {} bytes (--max-record-bytes)", options_.max_record_bytes));
      chunks_[chunk.sample] = 0;
      pending_.erase(chunk.sample);
      return;
    }
    if (pending.parts.size() < chunks_[chunk.sample]) return;
    auto parts = std::move(pending.parts);
    const std::size_t line = pending.record.line;
    pending_.erase(chunk.sample);
    read_sample(chunk.sample, line, std::move(parts), sink);
  }

  void read_sample(const std::string& sample, std::size_t number,
                   std::map<std::pair<std::string, std::uint64_t>, std::string> texts, const EpisodeSink& sink) {
    ++samples_;
    const RecordPlace place{number, 0};
    log_.begin_document(number, 0, std::nullopt);
    JsonParser parser;
    Arena arena;
    std::string hashes;
    std::vector<std::unique_ptr<ParsedMember>> members;
    InspectSampleParts parts;
    for (auto& [key, bytes] : texts) {
      const ParsedMember& member =
          *members.emplace_back(std::make_unique<ParsedMember>(std::move(bytes), parser, arena, place, log_, sample));
      if (member.root() == nullptr) {
        log_.add(Severity::error, member.fault().fault, place.line, place.byte,
                 fmt::format("{}: {}", sample, member.fault().detail));
        return;
      }
      hashes += member.sha256();
      const bool own = key.first == "sample" || (key.first == "skeleton" && parts.sample == nullptr);
      if (own) parts.sample = member.root();
      if (key.first == "events") parts.events.push_back(member.root());
      if (key.first == "messages") parts.messages.push_back(member.root());
      if (key.first == "attachments") parts.attachments.push_back(member.root());
    }
    if (parts.sample == nullptr || parts.sample->kind != JsonKind::object) {
      return set_aside(place, sample, "it is no object");
    }
    const InspectSamplePlace where{path_, std::string(kZipVersion), sample, sha256_hex(hashes), place, zip_.size()};
    read_inspect_sample(parts, header_, where, options_, sink, log_);
  }

  const std::string& path_;
  const ReadOptions& options_;
  DiagnosticLog& log_;
  ZipMembers zip_;
  InspectHeader header_;
  std::map<std::string, std::size_t> last_;    // by name: place of its last version
  std::map<std::string, std::size_t> chunks_;  // by sample
  std::map<std::string, Pending> pending_;
  std::size_t samples_ = 0;
};

/// Reads a log that is one document.
void read_log_document(std::unique_ptr<ByteStream> stream, const std::string& path, const ReadOptions& options,
                       const EpisodeSink& sink, DiagnosticLog& log) {
  const Document document(std::move(stream), options.max_record_bytes);
  if (is_too_long(document, options, log)) return;
  JsonParser parser;
  Arena arena;
  // A log that is no JSON is one record, else each of its samples is.
  const ParsedMember whole(std::string(document.text()), parser, arena, {1, 0}, log, "the log");
  if (whole.root() == nullptr) {
    DocumentPlaces places(document);
    report_unparsed(whole.fault(), places, log);
    return;
  }
  const InspectHeader header = InspectHeader::of(object_in(whole.root(), "eval"));
  const JsonValue* samples = array_in(whole.root(), "samples");
  if (samples == nullptr || samples->children == 0) {
    log.add(Severity::warning, Fault::no_traces_found, 0, 0, "the log holds no samples");
    return;
  }
  std::size_t number = 0;
  for (const JsonValue& sample : JsonChildren(*samples)) {
    const std::string name = fmt::format("samples[{}]", number++);
    log.begin_document(number, sample.byte, sample.byte + sample.text.size());
    if (sample.kind != JsonKind::object) {
      log.add(Severity::error, Fault::not_an_object, number, sample.byte, name);
      continue;
    }
    InspectSampleParts parts;
    parts.sample = &sample;
    const InspectSamplePlace where{path,           std::string(kJsonVersion), "", sha256_hex(sample.text), {number, 0},
                                   document.size()};
    read_inspect_sample(parts, header, where, options, sink, log);
  }
}

class InspectLogAdapter final : public Adapter {
 public:
  [[nodiscard]] std::string_view name() const override { return "inspect"; }
  [[nodiscard]] std::string_view description() const override { return "logs of Inspect AI (.eval, .json)"; }

  [[nodiscard]] std::optional<std::string> detect(std::string_view head) const override {
    if (starts_like_zip(head)) {
      // The name of the first member stands behind the 30 bytes of its header.
      const std::string_view first = head.substr(std::min<std::size_t>(30, head.size()));
      const bool ours = first.starts_with(kStart) || first.starts_with(kHeader) ||
                        (first.starts_with(kSamples) && head.find("_epoch_") != std::string_view::npos);
      return ours ? std::optional(std::string(kZipVersion)) : std::nullopt;
    }
    return is_log_document(head) ? std::optional(std::string(kJsonVersion)) : std::nullopt;
  }

  void read(std::unique_ptr<ByteStream> stream, const std::string& path, const ReadOptions& options,
            const EpisodeSink& sink, DiagnosticLog& log) const override {
    auto peeked = std::make_unique<PeekedStream>(std::move(stream));
    if (starts_like_zip(peeked->head())) {
      ZipLogReader(path, std::move(peeked), options, log).read(sink);
    } else {
      read_log_document(std::move(peeked), path, options, sink, log);
    }
  }

  void read_again(const SourcePlace& place, const ReadOptions& options, const EpisodeSink& sink,
                  DiagnosticLog& log) const override {
    auto stream = open_file(place.path);
    if (place.format_version == kZipVersion) {
      ZipLogReader(place.path, std::move(stream), options, log).read(sink, place.locator);
    } else {
      // No sample can be reached without the others.
      read_log_document(std::move(stream), place.path, options, sink, log);
    }
  }
};

}  // namespace

std::string without_bare_numbers(std::string json, std::size_t& replaced) {
  replaced = 0;
  if (json.find("NaN") == std::string::npos && json.find("Infinity") == std::string::npos) return json;
  std::string out;
  out.reserve(json.size());
  bool in_string = false;
  for (std::size_t at = 0; at < json.size(); ++at) {
    const char c = json[at];
    if (in_string) {
      out += c;
      if (c == '\\' && at + 1 < json.size()) {
        out += json[++at];
      } else if (c == '"') {
        in_string = false;
      }
      continue;
    }
    const std::string_view rest = std::string_view(json).substr(at);
    std::size_t length = 0;
    for (const std::string_view word : {"NaN", "-Infinity", "Infinity"}) {
      if (length == 0 && rest.starts_with(word)) length = word.size();
    }
    if (length > 0) {
      out += "null";
      at += length - 1;
      ++replaced;
      continue;
    }
    in_string = c == '"';
    out += c;
  }
  return out;
}

const Adapter& inspect_log_adapter() {
  static const InspectLogAdapter adapter;
  return adapter;
}

}  // namespace memuse::ingest
