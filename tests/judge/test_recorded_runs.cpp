#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>
#include <tuple>

#include "../support/data.h"
#include "episodes.h"

// Agreement of the offline judge with two annotation passes over recorded runs (docs/tracer.md).

using namespace memuse;
using namespace memuse::test;

namespace {

using Key = std::tuple<std::string, std::string, std::string, std::string, std::uint32_t>;

struct Label {
  std::string influence;  ///< empty for null
  std::vector<std::uint32_t> anchors;
};

std::map<Key, Label> annotations(const std::filesystem::path& file) {
  std::map<Key, Label> labels;
  std::istringstream lines(read_file(file));
  for (std::string line; std::getline(lines, line);) {
    const Json row = Json::parse(line);
    const Key key{row["configuration"], row["run"], row["episode"], row["span"], row["entry"]};
    labels[key] = {row["influence"].is_null() ? "" : row["influence"], row["anchors"]};
  }
  return labels;
}

std::map<Key, Label> tracer_labels(const std::filesystem::path& folder) {
  std::map<Key, Label> labels;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    for (const Episode& episode : ingest::read_canonical_trace(read_file(file.path()), {})) {
      const EpisodeSpans spans = spans::compute_spans(episode);
      const judge::Tracer tracer(episode, spans);
      for (const Span& span : spans.spans) {
        for (const EntryAnswer& entry : tracer.judge(span).entries) {
          const Key key{std::string(episode.configuration), std::string(episode.run), std::string(episode.id),
                        "S" + std::to_string(span.number), entry.entry};
          const std::string influence = entry.labels.influence ? std::string(name(*entry.labels.influence)) : "";
          labels[key] = {influence, entry.anchors};
        }
      }
    }
  }
  return labels;
}

double kappa(const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::map<std::string, double> first;
  std::map<std::string, double> second;
  double agreed = 0;
  const auto count = static_cast<double>(pairs.size());
  for (const auto& [a, b] : pairs) {
    first[a] += 1 / count;
    second[b] += 1 / count;
    agreed += a == b ? 1 / count : 0;
  }
  double chance = 0;
  for (const auto& [value, share] : first) chance += share * second[value];
  return (agreed - chance) / (1 - chance);
}

bool contains(const std::vector<std::uint32_t>& steps, std::uint32_t step) {
  return std::find(steps.begin(), steps.end(), step) != steps.end();
}

}  // namespace

TEST_CASE("the offline judge agrees with two annotation passes over recorded runs") {
  MEMUSE_NEEDS_SHARED_DATA();
  const std::filesystem::path folder = shared_data() / "recorded-runs";
  if (!std::filesystem::exists(folder / "labels")) {
    WARN("skipped: no recorded runs");
    return;
  }
  const auto first = annotations(folder / "labels" / "annotator-1.jsonl");
  const auto second = annotations(folder / "labels" / "annotator-2.jsonl");
  const auto tracer = tracer_labels(folder / "traces");
  REQUIRE(tracer.size() == first.size());

  std::vector<std::pair<std::string, std::string>> agreed;
  double said = 0;
  double right = 0;
  double wanted = 0;
  double anchors = 0;
  double good_anchors = 0;
  for (const auto& [key, label] : tracer) {
    const Label& a = first.at(key);
    const Label& b = second.at(key);
    for (const std::uint32_t anchor : label.anchors) {
      ++anchors;
      good_anchors += contains(a.anchors, anchor) || contains(b.anchors, anchor) ? 1 : 0;
    }
    if (a.influence != b.influence) continue;
    agreed.emplace_back(label.influence, a.influence);
    said += label.influence == "acted_on" ? 1 : 0;
    wanted += a.influence == "acted_on" ? 1 : 0;
    right += label.influence == "acted_on" && a.influence == "acted_on" ? 1 : 0;
  }
  INFO("precision " << right / said << ", recall " << right / wanted << ", kappa " << kappa(agreed) << ", anchors "
                    << good_anchors / anchors);
  CHECK(right / said >= 0.92);
  CHECK(right / wanted >= 0.7);
  CHECK(kappa(agreed) >= 0.8);
  CHECK(good_anchors / anchors >= 0.9);
}
