#include "attribution/facts.h"

#include <algorithm>

namespace memuse::attribution {

std::optional<NameId> StudyFacts::find_name(const std::string& name) const {
  const auto found = std::lower_bound(names.begin(), names.end(), name);
  if (found == names.end() || *found != name) return std::nullopt;
  return static_cast<NameId>(found - names.begin());
}

Episodes episodes_of(const StudyFacts& study, const std::string& configuration, const std::optional<std::string>& run) {
  Episodes found;
  const auto configuration_id = study.find_name(configuration);
  const auto run_id = run ? study.find_name(*run) : std::nullopt;
  if (!configuration_id || (run && !run_id)) return found;
  for (const EpisodeFacts& facts : study.episodes) {
    if (facts.configuration == *configuration_id && (!run || facts.run == *run_id)) found.push_back(&facts);
  }
  return found;
}

}  // namespace memuse::attribution
