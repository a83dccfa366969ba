#include "ingest/merit_adapter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>
#include <vector>

#include "ingest/json_head.h"
#include "ingest/merit_cell.h"
#include "ingest/merit_episode.h"

namespace memuse::ingest {
namespace {

namespace fs = std::filesystem;

bool has_keys(std::string_view head, std::initializer_list<std::string_view> keys) {
  return std::all_of(keys.begin(), keys.end(), [head](std::string_view key) { return has_word(head, key); });
}

bool starts_like_json_lines(std::string_view head) {
  const std::size_t first = head.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  return first != std::string_view::npos && head[first] == '{';
}

/// Keys that stand in every row, also of the oldest runs.
bool looks_like_rows(std::string_view head) {
  return has_keys(head, {"\"episode_id\"", "\"task_id\"", "\"condition\"", "\"arc_id\"", "\"episode_index\"",
                         "\"memory_had_fact\""});
}

bool looks_like_traces(std::string_view head) {
  return has_keys(
      head, {"\"episode_id\"", "\"task_id\"", "\"memory\"", "\"tool_calls\"", "\"transcript\"", "[memory shown]"});
}

/// The first bytes of a file; nothing when there is no such file.
std::string head_of(const std::string& path) {
  try {
    return read_up_to(*open_file(path), kDetectionBytes);
  } catch (const ReadFault&) {
    return {};
  }
}

bool holds(const std::string& path, bool (*looks_right)(std::string_view)) {
  const std::string head = head_of(path);
  return starts_like_json_lines(head) && looks_right(head);
}

/// Names in a folder that are not hidden, sorted.
std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (!name.starts_with(".")) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// What else lies in a cell's folder: MERIT writes nothing else there, but the user may have.
class OtherFiles {
 public:
  void look_at(const fs::path& folder, const fs::path& below, std::string_view own, std::string_view own_too) {
    for (const std::string& name : names_in(folder / below)) {
      if (name == own || name == own_too) continue;
      const fs::path path = folder / below / name;
      std::error_code error;
      const bool is_trace = fs::is_directory(path, error) ? detect_folder(path).has_value()
                                                          : detect_format(head_of(path.string())).has_value();
      (is_trace ? traces_ : others_).push_back((below / name).string());
    }
  }

  void report(DiagnosticLog& log) const {
    if (!traces_.empty()) {
      log.add(Severity::warning, Fault::not_read, 0, 0,
              fmt::format("traces in a run directory of MERIT must be named on their own: {}", listed(traces_)));
    }
    if (!others_.empty()) log.add(Severity::note, Fault::not_read, 0, 0, listed(others_));
  }

 private:
  static std::string listed(const std::vector<std::string>& names) {
    constexpr std::size_t kListed = 5;
    std::string text;
    for (std::size_t i = 0; i < std::min(kListed, names.size()); ++i) {
      text += fmt::format("{}`{}`", i == 0 ? "" : ", ", names[i]);
    }
    if (names.size() > kListed) text += fmt::format(" and {} more", names.size() - kListed);
    return text;
  }

  std::vector<std::string> traces_;
  std::vector<std::string> others_;
};

class MeritAdapter final : public Adapter {
 public:
  [[nodiscard]] std::string_view name() const override { return "merit"; }
  [[nodiscard]] std::string_view description() const override {
    return "a run directory of MERIT: results.jsonl and traces/episodes.jsonl, or one of them";
  }

  [[nodiscard]] std::optional<std::string> detect(std::string_view head) const override {
    if (!starts_like_json_lines(head) || !has_word(head, "\"episode_id\"")) return std::nullopt;
    if (!looks_like_rows(head) && !looks_like_traces(head)) return std::nullopt;
    return std::string(kMeritVersion);
  }

  [[nodiscard]] std::optional<std::string> claims(const fs::path& folder) const override {
    const bool is_cell = holds(merit_results_path(folder.string()), looks_like_rows) ||
                         holds(merit_traces_path(folder.string()), looks_like_traces);
    return is_cell ? std::optional<std::string>(kMeritVersion) : std::nullopt;
  }

  void read(std::unique_ptr<ByteStream> stream, const std::string& path, const ReadOptions& options,
            const EpisodeSink& sink, DiagnosticLog& log) const override {
    read_merit_file(std::move(stream), path, options, sink, log);
  }

  void read_folder(const std::string& path, const ReadOptions& options, const EpisodeSink& sink,
                   DiagnosticLog& log) const override {
    OtherFiles others;
    others.look_at(path, {}, "results.jsonl", "traces");
    others.look_at(path, "traces", "episodes.jsonl", "episodes.jsonl");
    others.report(log);
    read_merit_folder(path, options, sink, log);
  }

  void read_again(const SourcePlace& place, const ReadOptions& options, const EpisodeSink& sink,
                  DiagnosticLog& log) const override {
    read_merit_place(place, options, sink, log);
  }
};

}  // namespace

const Adapter& merit_adapter() {
  static const MeritAdapter adapter;
  return adapter;
}

}  // namespace memuse::ingest
