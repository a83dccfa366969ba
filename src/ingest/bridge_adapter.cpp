#include "ingest/bridge_adapter.h"

#include <array>
#include <filesystem>
#include <utility>

#include "ingest/bridge_episode.h"

namespace memuse::ingest {
namespace {

using bridge::Attempt;
using bridge::Instance;
using bridge::Location;
using bridge::ReadContext;
using bridge::RootFiles;
using bridge::RootInfo;

constexpr std::string_view kVersion = "6";

/// Hands over the attempts at one instance; with `run_dir`, those of that folder only.
void read_instance(const ReadContext& context, const RootInfo& info, const Instance& instance,
                   const std::optional<std::string>& run_dir, const EpisodeSink& sink) {
  for (const Attempt& attempt : find_attempts(context, instance)) {
    if (run_dir && (!attempt.run_dir || attempt.run_dir->name != *run_dir)) continue;
    sink(read_attempt(context, info, attempt));
  }
}

/// Tasks of which only the verdict is left; there is nothing of theirs to read.
void read_verdicts(const ReadContext& context, const RootInfo& info, const EpisodeSink& sink) {
  for (const std::string& id : info.order) {
    const Instance instance = find_instance(context.files, id);
    if (instance.outer.empty() && info.verdicts.contains(id)) {
      read_instance(context, info, instance, std::nullopt, sink);
    }
  }
}

void read_root(const ReadContext& context, const RootInfo& info, const EpisodeSink& sink) {
  for (const std::string& id : info.order) {
    const Instance instance = find_instance(context.files, id);
    if (!instance.outer.empty() || info.verdicts.contains(id)) {
      read_instance(context, info, instance, std::nullopt, sink);
    } else {
      DiagnosticLog log = context.log.for_file(context.files.path("instance-ids.txt"));
      log.add(Severity::warning, Fault::under_recorded, 0, 0, "no folder and no verdict for " + id);
      context.log.absorb(std::move(log));
    }
  }
}

void read_location(const Location& location, const ReadOptions& options, const EpisodeSink& sink, DiagnosticLog& log) {
  const RootFiles files(location.root);
  const ReadContext context{files, options, log};
  const RootInfo info = read_root_info(context);
  if (location.instance) {
    read_instance(context, info, *location.instance, location.run_dir, sink);
  } else {
    read_root(context, info, sink);
  }
}

class BridgeAdapter final : public Adapter {
 public:
  [[nodiscard]] std::string_view name() const override { return "memory-bridge"; }
  [[nodiscard]] std::string_view description() const override {
    return "a run root of memory-bridge, schema v6 (a folder), or one of its trajectory.jsonl";
  }

  [[nodiscard]] std::optional<std::string> detect(std::string_view head) const override {
    return bridge::looks_like_log(head) ? std::optional<std::string>(kVersion) : std::nullopt;
  }

  [[nodiscard]] std::optional<std::string> claims(const std::filesystem::path& folder) const override {
    const bool ours = bridge::is_run_root(folder.string()) || bridge::is_instance_folder(folder.string());
    return ours ? std::optional<std::string>(kVersion) : std::nullopt;
  }

  /// The log that `path` names is read with the files beside it; the stream, which holds the same bytes, is not needed.
  void read(std::unique_ptr<ByteStream> /*stream*/, const std::string& path, const ReadOptions& options,
            const EpisodeSink& sink, DiagnosticLog& log) const override {
    read_location(bridge::locate(path), options, sink, log);
  }

  void read_folder(const std::string& path, const ReadOptions& options, const EpisodeSink& sink,
                   DiagnosticLog& log) const override {
    read_location(bridge::locate(path), options, sink, log);
  }

  void read_again(const SourcePlace& place, const ReadOptions& options, const EpisodeSink& sink,
                  DiagnosticLog& log) const override {
    std::error_code error;
    if (!std::filesystem::exists(place.path, error)) throw ReadFault{"there is no " + place.path};
    const Location location = bridge::locate(place.path);
    if (location.instance) return read_location(location, options, sink, log);
    const RootFiles files(location.root);
    const ReadContext context{files, options, log};
    read_verdicts(context, read_root_info(context), sink);
  }
};

}  // namespace

const Adapter& bridge_adapter() {
  static const BridgeAdapter adapter;
  return adapter;
}

}  // namespace memuse::ingest
