#include "stats/krippendorff.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <string>

#include "stats/random.h"

using namespace memuse::stats;

namespace {

using Unit = std::vector<std::optional<std::size_t>>;

/// Units from one line of digits per rater, '.' for a missing rating; categories count from 0.
std::vector<Unit> units_of(const std::vector<std::string>& raters) {
  std::vector<Unit> units(raters.front().size());
  for (const std::string& rater : raters)
    for (std::size_t i = 0; i < rater.size(); ++i)
      units[i].push_back(rater[i] == '.' ? std::nullopt : std::optional<std::size_t>(rater[i] - '1'));
  return units;
}

std::vector<double> coincidences_of(const std::vector<Unit>& units, std::size_t categories) {
  Coincidences coincidences(categories);
  for (const Unit& unit : units) coincidences.add_unit(unit);
  return coincidences.values();
}

}  // namespace

TEST_CASE("alpha: published example with missing values") {
  // Krippendorff 2011, section C (four observers, twelve units, five categories): nominal 0.743, ordinal 0.815.
  const auto units = units_of({"123321412...", "1233224125.3", ".3332342251.", "12332441251."});
  const auto coincidences = coincidences_of(units, 5);
  double n = 0.0;
  for (const double value : coincidences) n += value;
  CHECK(n == Approx(40.0));
  CHECK(*krippendorff_alpha(coincidences, Scale::nominal) == Approx(0.743).margin(5e-4));
  CHECK(*krippendorff_alpha(coincidences, Scale::ordinal) == Approx(0.815).margin(5e-4));
}

TEST_CASE("alpha: published example of two observers and two categories") {
  // Krippendorff 2011, section A: ten units, alpha = 0.095.
  const auto units = units_of({"1211111112", "2221112111"});
  CHECK(*krippendorff_alpha(coincidences_of(units, 2), Scale::nominal) == Approx(0.095).margin(5e-4));
}

TEST_CASE("alpha: nothing when there is nothing to pair or one category only") {
  CHECK_FALSE(krippendorff_alpha(coincidences_of({}, 3), Scale::nominal));
  CHECK_FALSE(krippendorff_alpha(coincidences_of({{1, std::nullopt}, {2, std::nullopt}}, 3), Scale::nominal));
  CHECK_FALSE(krippendorff_alpha(coincidences_of({{1, 1}, {1, 1, 1}}, 3), Scale::nominal));
  CHECK_FALSE(krippendorff_alpha({}, Scale::ordinal));
}

TEST_CASE("alpha: full agreement is 1, and neither the order of units nor of raters matters") {
  RandomStream random(4, 0);
  for (int round = 0; round < 100; ++round) {
    std::vector<Unit> units(20);
    for (Unit& unit : units)
      for (int rater = 0; rater < 5; ++rater)
        unit.push_back(random.below(4) == 0 ? std::nullopt : std::optional<std::size_t>(random.below(4)));
    const auto before = coincidences_of(units, 4);
    std::reverse(units.begin(), units.end());
    for (Unit& unit : units) std::rotate(unit.begin(), unit.begin() + 2, unit.end());
    CHECK(coincidences_of(units, 4) == before);

    for (Unit& unit : units) std::fill(unit.begin(), unit.end(), random.below(4));
    units[0] = {0, 0};
    units[1] = {1, 1};
    const auto agreed = coincidences_of(units, 4);
    CHECK(*krippendorff_alpha(agreed, Scale::nominal) == 1.0);
    CHECK(*krippendorff_alpha(agreed, Scale::ordinal) == 1.0);
  }
}

TEST_CASE("alpha: on the ordinal scale a far disagreement costs more than a near one") {
  const auto near = units_of({"11223344", "12223344"});
  const auto far = units_of({"11223344", "14223344"});
  CHECK(*krippendorff_alpha(coincidences_of(near, 4), Scale::ordinal) >
        *krippendorff_alpha(coincidences_of(far, 4), Scale::ordinal));
}
