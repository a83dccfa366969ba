// The arithmetic of a published study: a database with its reported counts prints its reported shares.

#include <array>
#include <catch2/catch.hpp>

#include "support/json_table.h"
#include "support/program.h"
#include "support/synthetic_plan.h"

using namespace memuse;
using memuse::test::json_count;
using memuse::test::json_value;
using memuse::test::memuse_output;
using memuse::test::PlannedEntry;
using memuse::test::PlannedEpisode;
using memuse::test::PlannedSpan;

namespace {

constexpr std::uint32_t kDeliveries = 109'059;
constexpr std::uint32_t kSpans = 20'703;
constexpr std::uint32_t kAutomatic = 3'211;
constexpr std::uint32_t kEmpty = 2'221;
constexpr std::uint32_t kJudged = kSpans - kAutomatic - kEmpty;
constexpr std::uint32_t kRestatements = kDeliveries - kSpans;
constexpr std::array<std::uint32_t, 4> kBeneficial{84, 86, 108, 143};
/// Of the 15,271 judged spans, those of each configuration, as the spans go round the episodes.
constexpr std::array<std::uint32_t, 4> kJudgedOfEach{3'850, 3'821, 3'800, 3'800};
constexpr std::uint32_t kEpisodesEach = 50;
constexpr std::uint32_t kEpisodes = kEpisodesEach * kBeneficial.size();

PlannedEntry published_entry(std::uint32_t span, char place, bool beneficial) {
  PlannedEntry entry;
  entry.item = "i" + std::to_string(span) + place;
  entry.text = "note " + entry.item;
  entry.labels = {false, Accuracy::uncontradicted, Novelty::redundant, Influence::none, std::nullopt};
  if (beneficial) {
    entry.labels = {true, Accuracy::corroborated, Novelty::novel, Influence::acted_on, Effect::improved};
  }
  return entry;
}

/// Spans go round the episodes; the first judged spans of a configuration hold its beneficial entries.
std::vector<PlannedEpisode> published_episodes(bool pooled) {
  std::vector<PlannedEpisode> episodes(kEpisodes);
  std::array<std::uint32_t, 4> beneficial_left = kBeneficial;
  for (std::uint32_t i = 0; i < kEpisodes; ++i) {
    const std::string part(1, static_cast<char>('a' + i / kEpisodesEach));
    episodes[i].configuration = pooled ? "all" : part;
    episodes[i].run = pooled ? part : "r1";
    episodes[i].id = episodes[i].task = "t" + std::to_string(i % kEpisodesEach);
    episodes[i].position = i % kEpisodesEach + 1;
    episodes[i].resolved = true;
  }
  for (std::uint32_t span = 0; span < kJudged; ++span) {
    PlannedEpisode& episode = episodes[span % kEpisodes];
    std::uint32_t& left = beneficial_left[span % kEpisodes / kEpisodesEach];
    const bool beneficial = left > 0;
    if (beneficial) --left;
    PlannedSpan planned;
    planned.restatements = kRestatements / kJudged + (span < kRestatements % kJudged ? 1 : 0);
    planned.entries = {published_entry(span, 'x', beneficial), published_entry(span, 'y', false)};
    episode.spans.push_back(std::move(planned));
  }
  for (std::uint32_t span = 0; span < kAutomatic; ++span) {
    PlannedEpisode& episode = episodes[span % kEpisodes];
    PlannedSpan again = episode.spans[span / kEpisodes];
    again.routing = Routing::automatic_neutral;
    again.restatements = 0;
    again.entries.resize(1);
    episode.spans.push_back(std::move(again));
  }
  for (std::uint32_t span = 0; span < kEmpty; ++span) {
    PlannedSpan nothing;
    nothing.routing = Routing::empty;
    episodes[span % kEpisodes].spans.push_back(std::move(nothing));
  }
  return episodes;
}

/// A database with the published counts.
class PublishedStudy {
 public:
  explicit PublishedStudy(bool pooled) {
    const std::vector<PlannedEpisode> episodes = published_episodes(pooled);
    test::write_study(
        folder_.database().string(),
        [&](const std::function<void(const PlannedEpisode&)>& visit) {
          for (const PlannedEpisode& episode : episodes) visit(episode);
        },
        "");
  }
  [[nodiscard]] std::string printed(const std::string& table, const std::string& format) const {
    return memuse_output({"tables", table, "--db", folder_.database().string(), "--format", format});
  }
  [[nodiscard]] nlohmann::json json(const std::string& table) const {
    return nlohmann::json::parse(printed(table, "json"));
  }

 private:
  test::TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("published counts: restatements, spans and triage in one column") {
  const PublishedStudy study(true);
  const nlohmann::json units = study.json("units");
  CHECK(json_count(units, "deliveries", "all") == 109'059);
  CHECK(json_count(units, "spans", "all") == 20'703);
  CHECK(json_count(units, "judged", "all") == 15'271);
  CHECK(json_count(units, "automatic_neutral", "all") == 3'211);
  CHECK(json_count(units, "empty", "all") == 2'221);
  CHECK(json_count(units, "beneficial", "all") == 84 + 86 + 108 + 143);
  const std::string markdown = study.printed("units", "markdown");
  CHECK(markdown.find("| Restatements % | 81.02 |") != std::string::npos);
  // 421 of 15,271 + 3,211 spans.
  CHECK(markdown.find("| Beneficial % | 2.28 |") != std::string::npos);
  // 421 of 15,271 spans.
  CHECK(study.printed("profile", "markdown").find("| Beneficial per 100 spans | 2.76 |") != std::string::npos);
}

TEST_CASE("published counts: beneficial entries of four configurations") {
  const PublishedStudy study(false);
  const nlohmann::json use = study.json("use");
  const nlohmann::json units = study.json("units");
  const nlohmann::json profile = study.json("profile");
  std::uint64_t deliveries = 0;
  std::uint64_t judged = 0;
  for (std::size_t i = 0; i < kBeneficial.size(); ++i) {
    const std::string name(1, static_cast<char>('a' + i));
    INFO(name);
    CHECK(json_count(use, "acted_on", name) == kBeneficial[i]);
    CHECK(json_value(use, "improved_share", name) == 1.0);
    CHECK(json_count(units, "judged", name) == kJudgedOfEach[i]);
    const double spans = kJudgedOfEach[i];
    CHECK(json_value(profile, "beneficial_yield", name) == Approx(100.0 * kBeneficial[i] / spans));
    // One of the two entries of such a span.
    CHECK(json_value(profile, "benefit", name) == Approx(kBeneficial[i] / 2.0 / spans));
    deliveries += json_count(units, "deliveries", name);
    judged += json_count(units, "judged", name);
  }
  CHECK(deliveries == kDeliveries);
  CHECK(judged == kJudged);
}
