#include "ingest/episode_names.h"

#include <fmt/format.h>

#include <algorithm>

namespace memuse::ingest {

void name_configuration(Episode& episode, const ReadOptions& options, std::string_view stand_in, DiagnosticLog& log,
                        RecordPlace place, std::string_view lacks) {
  if (!options.configuration.empty()) {
    episode.configuration = episode.arena.keep(options.configuration);
  } else if (!stand_in.empty()) {
    episode.configuration = stand_in;
  } else {
    episode.configuration = "unnamed";
    log.add(Severity::warning, Fault::unnamed_configuration, place.line, place.byte,
            fmt::format("{}; \"unnamed\" was used", lacks));
  }
}

void name_run(Episode& episode, const ReadOptions& options, const std::string& folder) {
  episode.run = episode.arena.keep(!options.run.empty() ? options.run : !folder.empty() ? folder : "r1");
}

void add_tag(Episode& episode, std::string_view key, std::string_view value) {
  if (value.empty()) return;
  const auto after =
      std::find_if(episode.tags.begin(), episode.tags.end(), [&](const Tag& tag) { return tag.key > key; });
  episode.tags.insert(after, {key, value});
}

}  // namespace memuse::ingest
