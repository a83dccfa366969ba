#include "workflow/label_write_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "model/error.h"
#include "model/text.h"
#include "model/version.h"
#include "spans/spans.h"
#include "stats/random.h"
#include "store/database.h"
#include "store/judged_spans.h"
#include "store/reader.h"
#include "workflow/label_form.h"
#include "workflow/label_texts.h"
#include "workflow/sources.h"
#include "workflow/span_sample.h"

namespace memuse::workflow {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string json_line(const Json& document, int indent = -1) {
  return document.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

void write_file(const fs::path& path, std::string_view bytes) {
  errno = 0;
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!out.flush()) {
    throw Error(ExitCode::environment,
                fmt::format("cannot write {}: {}; remove the folder and write it again", printable(path.string()),
                            error ? error.message() : std::strerror(errno)));
  }
}

void refuse_used_folder(const std::string& folder) {
  std::error_code error;
  if (!fs::exists(folder, error)) return;
  if (!fs::is_directory(folder, error)) {
    throw Error(ExitCode::usage, fmt::format("{} is no folder; name a new one", printable(folder)));
  }
  if (fs::is_empty(folder, error)) return;
  const bool is_whole = fs::exists(fs::path(folder) / kManifestFile, error);
  throw Error(ExitCode::usage, fmt::format("{} is not empty{}; name a new folder", printable(folder),
                                           is_whole ? ", and labels that were filled in there would be lost" : ""));
}

/// The spans to write: those of a sample with their strata, or all that a judge has to answer for.
class WantedSpans {
 public:
  WantedSpans(const store::Database& database, const LabelWriteOptions& options) {
    if (!options.sample) {
      store::for_each_judged_span(database, [&](const store::JudgedSpanFacts& span) { add_episode(span.uid); });
    } else {
      sample_ = draw_sample(sample_frame(database), *options.sample, options.seed);
      for (const SampledSpan& span : sample_->spans) add_episode(span.uid);
    }
    std::sort(episodes_.begin(), episodes_.end());
    if (options.blind) number_episodes(options.seed);
  }

  [[nodiscard]] const std::optional<SpanSample>& sample() const { return sample_; }
  [[nodiscard]] std::size_t episodes() const { return episodes_.size(); }
  [[nodiscard]] bool has_episode(const std::string& uid) const {
    return std::binary_search(episodes_.begin(), episodes_.end(), uid);
  }
  /// Number of the episode in a blind folder, from 1 on, in an order that says nothing of it.
  [[nodiscard]] std::uint32_t number(const std::string& uid) const {
    return numbers_[static_cast<std::size_t>(std::lower_bound(episodes_.begin(), episodes_.end(), uid) -
                                             episodes_.begin())];
  }
  /// The drawn span; null when the sample has not drawn it.
  [[nodiscard]] const SampledSpan* drawn(const std::string& uid, std::uint32_t span) const {
    const auto at =
        std::lower_bound(sample_->spans.begin(), sample_->spans.end(), std::tie(uid, span),
                         [](const SampledSpan& a, const auto& key) { return std::tie(a.uid, a.span) < key; });
    return at != sample_->spans.end() && at->uid == uid && at->span == span ? &*at : nullptr;
  }
  [[nodiscard]] bool is_wanted(const std::string& uid, const SpanRecord& span) const {
    return span.routing == Routing::judged && (!sample_ || drawn(uid, span.number) != nullptr);
  }

 private:
  void add_episode(const std::string& uid) {
    if (episodes_.empty() || episodes_.back() != uid) episodes_.push_back(uid);
  }
  void number_episodes(std::uint64_t seed) {
    stats::RandomStream random(seed, hash128("blind folder").low);
    for (std::uint32_t i = 0; i < episodes_.size(); ++i) {
      numbers_.push_back(i + 1);
      std::swap(numbers_[i], numbers_[random.below(i + 1)]);
    }
  }

  std::optional<SpanSample> sample_;
  std::vector<std::string> episodes_;  // uids, sorted
  std::vector<std::uint32_t> numbers_;
};

/// Where the folders of the episodes go.
class EpisodeFolders {
 public:
  EpisodeFolders(const WantedSpans& wanted, bool blind) : wanted_(wanted), blind_(blind) {}

  std::string folder(const EpisodeRecord& record) {
    if (blind_) return fmt::format("E{:04}", wanted_.number(record.uid));
    // Episodes come configuration by configuration and run by run.
    if (record.configuration != configuration_) runs_.clear();
    if (record.configuration != configuration_ || record.run != run_) episodes_.clear();
    configuration_ = record.configuration;
    run_ = record.run;
    return fmt::format("{}/{}/{}", configurations_.folder(record.configuration, record.configuration),
                       runs_.folder(record.run, record.run), episodes_.folder(record.episode, record.uid));
  }

 private:
  const WantedSpans& wanted_;
  bool blind_;
  std::string configuration_, run_;
  FolderNames configurations_, runs_, episodes_;
};

class FolderWriter {
 public:
  FolderWriter(const LabelWriteOptions& options, const WantedSpans& wanted, const store::Database& database,
               LabelWriteSummary& summary)
      : options_(options), wanted_(wanted), sources_(database), folders_(wanted, options.blind), summary_(summary) {
    write_file(fs::path(options.folder) / kReadmeFile, label_texts().front().text);
    list_.open(fs::path(options.folder) / kSpansFile, std::ios::binary);
  }

  void write(const EpisodeSpansRecord& record, const std::optional<store::ProbeRecord>& probe) {
    const std::string& uid = record.episode.uid;
    SourceRead read = sources_.read(record.episode, probe, options_.source_roots);
    if (!read.episode) {
      summary_.unread += static_cast<std::uint64_t>(
          std::count_if(record.spans.begin(), record.spans.end(),
                        [&](const SpanRecord& span) { return wanted_.is_wanted(uid, span); }));
      summary_.diagnostics.push_back(std::move(*read.fault));
      return;
    }
    const EpisodeSpans spans = spans::compute_spans(*read.episode);
    const auto shared = std::make_shared<const evidence::EpisodeEvidence>(*read.episode, spans, options_.evidence);
    const std::string folder = folders_.folder(record.episode);
    bool is_first = true;
    for (const SpanRecord& span : record.spans) {
      if (!wanted_.is_wanted(uid, span)) continue;
      write_span(record.episode, *read.episode, {shared, spans.spans.at(span.number - 1)}, folder, is_first);
      is_first = false;
    }
    ++summary_.episodes;
  }

  /// Last of all: a folder without a manifest was not finished.
  void finish() {
    if (!list_.flush()) {
      throw Error(ExitCode::environment, fmt::format("cannot write {}/{}", printable(options_.folder), kSpansFile));
    }
    Json sample;
    if (summary_.sample) {
      sample = {{"size", summary_.sample->size},
                {"seed", summary_.sample->seed},
                {"population", summary_.sample->population}};
    }
    const Json manifest{
        {"format", kLabelFormat},
        {"program", fmt::format("memuse {}", kProgramVersion)},
        {"rules", kRuleSet},
        {"labeller", options_.labeller},
        {"blind", options_.blind},
        {"evidence", {{"reference", options_.evidence.reference}, {"outcome", options_.evidence.outcome}}},
        {"sample", sample},
        {"spans", summary_.spans}};
    write_file(fs::path(options_.folder) / kManifestFile, json_line(manifest, 2));
  }

 private:
  void write_span(const EpisodeRecord& record, const Episode& episode, const evidence::EvidenceSet& evidence,
                  const std::string& episode_folder, bool with_steps) {
    const Span& span = evidence.span();
    const std::string folder = fmt::format("{}/S{}", episode_folder, span.number);
    const fs::path root(options_.folder);
    for (const evidence::EvidenceFile& file : evidence.files()) {
      const bool is_step = file.name.starts_with("steps/");
      if (is_step && !with_steps) continue;
      write_file(root / (is_step ? episode_folder : folder) / (file.name + ".txt"), *evidence.text(file.name));
    }
    write_file(root / folder / kAnswerFile, json_line(label_form(record, episode, span, options_.blind), 2));

    Json line{{"folder", folder},
              {"uid", record.uid},
              {"configuration", record.configuration},
              {"run", record.run},
              {"episode", record.episode},
              {"span", span.number},
              {"content", span_content(episode, span)}};
    if (const SampledSpan* drawn = wanted_.sample() ? wanted_.drawn(record.uid, span.number) : nullptr) {
      line["stratum"] = drawn->stratum;
      line["weight"] = drawn->weight;
    }
    list_ << json_line(line);
    ++summary_.spans;
  }

  const LabelWriteOptions& options_;
  const WantedSpans& wanted_;
  SourceReader sources_;
  EpisodeFolders folders_;
  LabelWriteSummary& summary_;
  std::ofstream list_;
};

}  // namespace

LabelWriteSummary write_label_folder(const LabelWriteOptions& options, Progress& progress) {
  if (options.blind && options.evidence.outcome) {
    throw Error(ExitCode::usage, "a blind folder hides outcomes; leave out --blind or --outcome");
  }
  refuse_used_folder(options.folder);
  const store::Database database = store::Database::open_existing(options.database);
  const WantedSpans wanted(database, options);
  LabelWriteSummary summary;
  summary.folder = options.folder;
  if (wanted.sample()) {
    summary.sample = wanted.sample()->facts;
    summary.note = sample_note(*wanted.sample());
  }
  if (wanted.episodes() == 0) throw Error(ExitCode::usage, "there is no span to label in this database");
  FolderWriter writer(options, wanted, database, summary);
  progress.begin("writing", "episodes", wanted.episodes());
  store::for_each_episode(database, {}, std::nullopt, [&](const EpisodeSpansRecord& record) {
    if (wanted.has_episode(record.episode.uid) && record.episode.retained) {
      writer.write(record, store::episode_probe(database, record.episode.uid));
      progress.advance(1);
    }
    summary.interrupted = options.stop != nullptr && options.stop->load();
    return !summary.interrupted;
  });
  progress.end();
  if (!summary.interrupted) writer.finish();
  std::sort(summary.diagnostics.begin(), summary.diagnostics.end());
  return summary;
}

}  // namespace memuse::workflow
