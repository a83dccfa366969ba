// The table `origins` of a made-up study against the chances that it was made with.

#include <catch2/catch.hpp>

#include "support/chance_bounds.h"
#include "support/json_table.h"
#include "support/program.h"
#include "support/synthetic_study.h"

using memuse::test::Bounds;
using memuse::test::json_count;
using memuse::test::json_value;
using memuse::test::share_bounds;

namespace {

void check_origin(const std::string& what, double value, const Bounds& bounds) {
  INFO(what << ": " << value << " in [" << bounds.low << ", " << bounds.high << "]");
  CHECK(bounds.hold(value));
}

double part_of(std::uint64_t part, std::uint64_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

TEST_CASE("planted origins come out of the tables inside the bounds of chance") {
  const memuse::test::TemporaryFolder folder;
  const memuse::test::SyntheticStudy study = memuse::test::planted_study(1);
  memuse::test::write_study(folder.database().string(), study.source(), "none");
  const nlohmann::json table = nlohmann::json::parse(
      memuse::test::memuse_output({"tables", "origins", "--db", folder.database().string(), "--json"}));
  for (const memuse::test::SyntheticConfiguration& configuration : study.configurations) {
    if (!configuration.memory) continue;
    const std::string& name = configuration.name;
    const memuse::test::OriginChances& chances = configuration.origins;
    INFO(name);
    const std::uint64_t beneficial = json_count(table, "beneficial", name);
    const std::uint64_t traced = json_count(table, "traced", name);
    CHECK(beneficial > 50);
    check_origin("traced", part_of(traced, beneficial), share_bounds(beneficial, chances.traced));
    check_origin("same episode", part_of(json_count(table, "same_episode", name), beneficial),
                 share_bounds(beneficial, chances.same_episode));
    CHECK(json_count(table, "outcome_known", name) == traced);
    check_origin("from failed episodes", json_value(table, "from_failed_share", name),
                 share_bounds(traced, chances.failed));
    check_origin("from another repository", part_of(json_count(table, "from_another_repository", name), traced),
                 share_bounds(traced, chances.other_repository));
    check_origin("median gap", json_value(table, "median_gap", name),
                 memuse::test::median_bounds(traced, 1, chances.longest_gap));
  }
}
