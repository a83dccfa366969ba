#include "ingest/atif.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "ingest/atif_steps.h"
#include "ingest/document.h"
#include "ingest/episode_names.h"
#include "ingest/episode_recorder.h"
#include "ingest/instance_names.h"
#include "ingest/json.h"
#include "ingest/json_document.h"
#include "ingest/json_head.h"
#include "ingest/record_fields.h"
#include "ingest/stated_totals.h"
#include "model/sha256.h"
#include "model/text.h"

// A file is one segment of an episode. Later segments lie beside the first and are named after it (`X.cont-1.json`
// beside `X.json`); that name is made here from the file's own and only compared with what the file says, so that no
// path in the data is ever followed.

namespace memuse::ingest {
namespace {

constexpr std::string_view kFamily = "ATIF-";
constexpr std::string_view kExtension = ".json";
constexpr std::string_view kContinuation = ".cont-";

bool is_plain_file(const std::string& path) {
  std::error_code failure;
  return std::filesystem::symlink_status(path, failure).type() == std::filesystem::file_type::regular;
}

/// `X` of a path `X.json` or `X.cont-3.json`, with the number of the segment (0 for the first).
struct SegmentName {
  std::string stem;
  std::uint64_t number = 0;

  [[nodiscard]] std::string path(std::uint64_t segment) const {
    if (segment == 0) return stem + std::string(kExtension);
    return fmt::format("{}{}{}{}", stem, kContinuation, segment, kExtension);
  }
};

std::optional<SegmentName> segment_name(const std::string& path) {
  if (!path.ends_with(kExtension)) return std::nullopt;
  const std::string stem = path.substr(0, path.size() - kExtension.size());
  const std::size_t at = stem.rfind(kContinuation);
  if (at == std::string::npos) return SegmentName{stem, 0};
  const std::string digits = stem.substr(at + kContinuation.size());
  constexpr std::size_t kMostDigits = 6;
  if (digits.empty() || digits.size() > kMostDigits || digits.find_first_not_of("0123456789") != std::string::npos) {
    return SegmentName{stem, 0};
  }
  return SegmentName{stem.substr(0, at), std::stoull(digits)};
}

/// The document in a root: itself, or the first of several that stand under names of their own.
const JsonValue* main_document(const JsonValue& root) {
  if (root.field("schema_version") != nullptr) return &root;
  for (const JsonValue& value : JsonChildren(root)) {
    if (value.kind == JsonKind::object && value.field("schema_version") != nullptr) return &value;
  }
  return nullptr;
}

/// Reads an episode from its segments.
class TrajectoryReader {
 public:
  TrajectoryReader(const std::string& path, const ReadOptions& options, DiagnosticLog& log)
      : path_(path), options_(options), log_(log) {}

  std::optional<Episode> read(const Document& first);

 private:
  /// False when the segment cannot be used.
  bool take(const Document& document, const std::string& path, bool first);
  bool read_root(const JsonValue& root, DocumentPlaces& places, DiagnosticLog& log, bool first);
  bool read_document(const JsonValue& document, DocumentPlaces& places, DiagnosticLog& log, bool first);
  void read_agent(const JsonValue& agent, RecordPlace place);
  void read_final_metrics(const JsonValue& metrics, RecordPlace place, DiagnosticLog& log);
  void name_episode();
  void take_continuations();
  bool take_file(const std::string& path);

  const std::string& path_;
  const ReadOptions& options_;
  DiagnosticLog& log_;
  EpisodeRecorder recorder_;
  Episode& episode_ = recorder_.episode();
  AtifSteps steps_{recorder_};
  Sha256 hash_{options_.hash_sources};
  std::uint64_t bytes_ = 0;
  bool incomplete_ = false;
  bool sub_agent_ = false;
  std::string_view agent_name_;
  std::string_view session_;
  AgentTotals stated_;
  std::string next_;  // what the last segment says of the one behind it
};

std::optional<Episode> TrajectoryReader::read(const Document& first) {
  episode_.delivery_grade = DeliveryGrade::not_recorded;
  episode_.visibility = VisibilityGrade::rebuilt;
  if (!take(first, path_, true)) return std::nullopt;
  take_continuations();
  reconcile_totals(episode_, stated_, {1, 0}, log_);
  if (steps_.inferred_boundary() || incomplete_) {
    recorder_.mark_damaged();
    log_.add(
        Severity::note, Fault::shortened_input, 1, 0,
        incomplete_ ? "a later segment is missing" : "a summary replaced earlier content, and its text is not here");
  }
  SourcePlace& source = episode_.source;
  source.path = path_;
  source.format = atif_adapter().name();
  source.line = 1;
  source.byte_begin = 0;
  source.byte_end = first.size();
  source.sha256 = hash_.finish_hex();
  return recorder_.take();
}

bool TrajectoryReader::take(const Document& document, const std::string& path, bool first) {
  DiagnosticLog own = log_.for_file(path);
  DiagnosticLog& log = first ? log_ : own;
  bool used = false;
  DocumentPlaces places(document);
  JsonParser parser(longest_text(document, options_));
  if (const JsonValue* root = parse_document(document, parser, episode_.arena, places, options_, log)) {
    used = read_root(*root, places, log, first);
  }
  if (!first) log_.absorb(std::move(own));
  if (used) {
    hash_.update(document.text());
    bytes_ += document.size();
  }
  return used;
}

bool TrajectoryReader::read_root(const JsonValue& root, DocumentPlaces& places, DiagnosticLog& log, bool first) {
  const JsonValue* main = main_document(root);
  if (main == nullptr) {
    log.add(Severity::error, Fault::missing_field, 1, 0, "`schema_version` (a string)");
    log.add(Severity::error, Fault::episode_set_aside, 1, 0, "");
    return false;
  }
  const bool used = read_document(*main, places, log, first);
  for (const JsonValue& other : JsonChildren(root)) {
    if (main != &root && &other != main && other.kind == JsonKind::object) steps_.take_subagent(other, log);
  }
  return used;
}

bool TrajectoryReader::read_document(const JsonValue& document, DocumentPlaces& places, DiagnosticLog& log,
                                     bool first) {
  const RecordPlace place = places.at(document.byte);
  RecordFields fields(document, "trajectory", place, log);
  const std::string_view schema = or_empty(fields.string("schema_version"));
  const JsonValue* steps = fields.array("steps");
  if (steps == nullptr || !schema.starts_with(kFamily)) {
    fields.report(Severity::error, Fault::missing_field, "`trajectory.steps` (an array)");
    log.add(Severity::error, Fault::episode_set_aside, place.line, place.byte, "");
    return false;
  }
  const std::string_view session = or_empty(fields.string("session_id"));
  const std::string_view own_id = or_empty(fields.string("trajectory_id"));
  next_ = or_empty(fields.string("continued_trajectory_ref"));
  const JsonValue* agent = fields.object("agent");
  if (first) {
    episode_.source.format_version = schema.substr(kFamily.size());
    session_ = session.empty() ? own_id : session;
    if (agent != nullptr) read_agent(*agent, place);
    name_episode();
  }
  steps_.take_segment(*steps, places, log);
  for (const JsonValue* child : fields.objects("subagent_trajectories")) steps_.take_subagent(*child, log);
  if (const JsonValue* metrics = fields.object("final_metrics")) read_final_metrics(*metrics, place, log);
  for (const std::string_view known : {"notes", "extra"}) fields.any(known);
  fields.count_unknown();
  return true;
}

/// Sums of the tool, which count calls of sub-agents, of earlier segments or of failed calls in some releases: the
/// steps are summed, and the statement of the last segment is compared with that.
void TrajectoryReader::read_final_metrics(const JsonValue& metrics, RecordPlace place, DiagnosticLog& log) {
  RecordFields fields(metrics, "trajectory.final_metrics", place, log);
  AgentTotals stated;
  stated.usage.input = fields.whole("total_prompt_tokens");
  stated.usage.output = fields.whole("total_completion_tokens");
  stated.usage.cached_input = fields.whole("total_cached_tokens");
  const auto cost = fields.number("total_cost_usd");
  if (cost && *cost > 0) stated.cost_usd = cost;
  for (const std::string_view known : {"total_steps", "extra"}) fields.any(known);
  fields.count_unknown();
  stated_ = stated;
}

void TrajectoryReader::read_agent(const JsonValue& agent, RecordPlace place) {
  RecordFields fields(agent, "agent", place, log_);
  agent_name_ = or_empty(fields.string("name"));
  add_tag(episode_, "agent", agent_name_);
  add_tag(episode_, "agent_version", or_empty(fields.string_or_number("version")));
  episode_.model = or_empty(fields.string("model_name"));
  if (const JsonValue* extra = fields.object("extra")) {
    RecordFields parts(*extra, "agent.extra", place, log_);
    const std::string_view parent = or_empty(parts.string("parent_session_id"));
    add_tag(episode_, "parent_session", parent);
    sub_agent_ = !parent.empty();
  }
  fields.any("tool_definitions");
  fields.count_unknown();
}

/// A trajectory names neither configuration nor run: the user does, or else the model and the folder stand for them. A
/// sub-agent in a file of its own is another configuration than the agent that called it.
void TrajectoryReader::name_episode() {
  episode_.id = session_.empty() ? recorder_.keep(instance_of_path(path_)) : session_;
  episode_.task_id = episode_.id;
  const bool by_agent = !agent_name_.empty() && (sub_agent_ || episode_.model.empty());
  name_configuration(episode_, options_, by_agent ? agent_name_ : model_without_route(episode_.model), log_, {1, 0},
                     "no model and no agent");
  name_run(episode_, options_, run_folder_of_path(path_, episode_.id));
}

void TrajectoryReader::take_continuations() {
  const auto name = segment_name(path_);
  for (std::uint64_t number = (name ? name->number : 0) + 1; !next_.empty(); ++number) {
    const std::string expected = name ? name->path(number) : std::string();
    const bool same = next_.find_first_of("/\\") == std::string::npos && expected.ends_with(next_);
    if (!same || !is_plain_file(expected)) {
      incomplete_ = true;
      log_.add(Severity::warning, Fault::source_missing, 1, 0,
               fmt::format("the next segment `{}` is not beside this one under a name that follows from its own",
                           shortened(next_, 100)));
      return;
    }
    next_.clear();
    if (!take_file(expected)) {
      incomplete_ = true;
      return;
    }
  }
}

/// False when the segment cannot be had or used; the rest of the episode is used all the same.
bool TrajectoryReader::take_file(const std::string& path) {
  try {
    const auto taken = static_cast<std::size_t>(bytes_);
    const Document document(open_file(path), options_.max_record_bytes - std::min(taken, options_.max_record_bytes));
    return take(document, path, false);
  } catch (const ReadFault& fault) {
    DiagnosticLog own = log_.for_file(path);
    own.add(Severity::error, Fault::unreadable_file, 0, 0, fault.reason);
    log_.absorb(std::move(own));
    return false;
  }
}

class AtifAdapter final : public Adapter {
 public:
  [[nodiscard]] std::string_view name() const override { return "atif"; }
  [[nodiscard]] std::string_view description() const override { return "ATIF trajectories of Harbor, 1.4 to 1.7"; }

  [[nodiscard]] std::optional<std::string> detect(std::string_view head) const override {
    std::optional<std::string> version;
    scan_json_head(head, [&](std::string_view path, std::optional<std::string_view> text) {
      const bool here = path == "schema_version" || path == "parent/schema_version" || path == "child/schema_version";
      if (!text || !here) return true;
      if (text->starts_with(kFamily)) version = std::string(text->substr(kFamily.size()));
      return false;
    });
    return version;
  }

  void read(std::unique_ptr<ByteStream> stream, const std::string& path, const ReadOptions& options,
            const EpisodeSink& sink, DiagnosticLog& log) const override {
    const Document document(std::move(stream), options.max_record_bytes);
    const auto name = segment_name(path);
    if (name && name->number > 0 && is_plain_file(name->path(name->number - 1))) {
      log.add(Severity::note, Fault::side_log, 1, 0,
              "a later segment; it is read with the first one, which lies beside it");
      return;
    }
    if (auto episode = TrajectoryReader(path, options, log).read(document)) sink(std::move(*episode));
  }
};

}  // namespace

const Adapter& atif_adapter() {
  static const AtifAdapter adapter;
  return adapter;
}

}  // namespace memuse::ingest
