#include <catch2/catch.hpp>

#include <random>
#include <set>

#include "judge/patterns.h"

using namespace memuse::judge;

namespace {

bool found(const Pattern& pattern, std::string_view text) {
  PatternTable table;
  table.add(pattern);
  bool hit = false;
  table.scan(text, [&](PatternId, std::size_t begin, std::size_t end) {
    REQUIRE(begin < end);
    REQUIRE(end <= text.size());
    hit = true;
  });
  return hit;
}

}  // namespace

TEST_CASE("sequences are found whatever the white space and quoting") {
  const Pattern pattern = sequence_pattern("PRAGMA page_size = 8192");
  CHECK(found(pattern, "db.run('PRAGMA page_size=8192')"));
  CHECK(found(pattern, "pragma  page_size\n=\t8192;"));
  CHECK(found(sequence_pattern("mode=\"fast\""), "mode = 'fast'"));
  CHECK_FALSE(found(pattern, "PRAGMA page_size = 4096"));
  CHECK_FALSE(found(pattern, "PRAGMA page_sizes = 8192"));
}

TEST_CASE("names are whole, tight and keep their case") {
  CHECK(found(name_pattern("QX9-4471"), "key: \"QX9-4471\","));
  CHECK_FALSE(found(name_pattern("QX9-4471"), "QX9-44710"));
  CHECK_FALSE(found(name_pattern("QX9-4471"), "AQX9-4471"));
  CHECK_FALSE(found(name_pattern("QX9-4471"), "QX9-4471-b"));
  CHECK_FALSE(found(name_pattern("QX9-4471"), "QX9 - 4471"));
  CHECK_FALSE(found(name_pattern("RESERVE"), "the reserve tank"));
  CHECK(found(name_pattern("conf/pumps.toml"), "vi /srv/app/conf/pumps.toml"));
}

TEST_CASE("numbers are compared by value, not by spelling") {
  CHECK(found(sequence_pattern("4.8"), "price = 4.80"));
  CHECK(found(sequence_pattern("1850"), "limit = 1_850"));
  CHECK(found(sequence_pattern("0x1F4A"), "mask 0X1f4a"));
  CHECK_FALSE(found(sequence_pattern("48"), "price = 4.8"));
  CHECK_FALSE(found(sequence_pattern("1.2"), "version 1.2.3"));
  CHECK_FALSE(found(sequence_pattern("19"), "QX9-0019"));
}

TEST_CASE("a number with its word is found where the word stands before it") {
  const Pattern pattern = pair_pattern("46", "limit");
  CHECK(found(pattern, "pump_limit=46"));
  CHECK(found(pattern, "{\"pumpLimit\": 46}"));
  CHECK(found(pattern, "the limit is 46"));
  CHECK_FALSE(found(pattern, "head -46 limit"));
  CHECK_FALSE(found(pattern, "limit | head -46"));
  CHECK_FALSE(found(pattern, "limit of the pumps in the yard is 46"));
  CHECK_FALSE(found(pattern, "pump_limit=460"));
}

TEST_CASE("code is found again with other names") {
  const Pattern pattern = shape_pattern("tanks[min(tanks)[0]] -= spill");
  CHECK(found(pattern, "t[min(t)[0]]-=x"));
  CHECK(found(pattern, "t[low(t)[0]]-=x"));
  CHECK_FALSE(found(pattern, "t[min(u)[0]]-=x"));  // two names where one stood
  CHECK_FALSE(found(pattern, "t[min(t)[1]]-=x"));
  CHECK(shape_pattern("f(x)").atoms.empty());
}

TEST_CASE("texts beyond one portion of atoms are searched without a gap") {
  std::string text;
  for (int i = 0; i < 70000; ++i) text += "w ";
  const std::size_t at = (std::size_t{1} << 16) - 3;  // the value lies across the border
  std::string placed = text;
  placed.insert(2 * at, "QX9-4471 pump_limit = 46 ");
  CHECK(found(name_pattern("QX9-4471"), placed));
  CHECK(found(sequence_pattern("QX9-4471 pump_limit = 46"), placed));
  CHECK(found(pair_pattern("46", "limit"), placed));
  CHECK_FALSE(found(name_pattern("QX9-4471"), text));
}

TEST_CASE("the search finds what a direct comparison finds") {
  std::mt19937 random(7);
  const std::vector<std::string> alphabet = {"a", "b", "-", "7", "42", ".", "_c", "(", ")"};
  const auto draw = [&](int most) {
    std::string text;
    const int length = 1 + static_cast<int>(random() % static_cast<unsigned>(most));
    for (int i = 0; i < length; ++i) text += alphabet[random() % alphabet.size()] + " ";
    return text;
  };
  for (int round = 0; round < 300; ++round) {
    PatternTable table;
    std::vector<Pattern> patterns;
    for (int i = 0; i < 12; ++i) {
      patterns.push_back(sequence_pattern(draw(4)));
      table.add(patterns.back());
    }
    const std::string text = draw(60);
    std::set<std::pair<PatternId, std::size_t>> expected;
    const std::vector<Atom> atoms = atoms_of(text);
    for (PatternId id = 0; id < table.size(); ++id) {
      const std::vector<std::string>& wanted = table[id].atoms;
      for (std::size_t i = 0; i + wanted.size() <= atoms.size(); ++i) {
        bool equal = true;
        for (std::size_t k = 0; k < wanted.size(); ++k) {
          const Atom& atom = atoms[i + k];
          equal = equal && canonical_atom(text.substr(atom.begin, atom.end - atom.begin), atom.kind) == wanted[k];
        }
        if (equal) expected.emplace(id, atoms[i].begin);
      }
    }
    std::set<std::pair<PatternId, std::size_t>> actual;
    table.scan(text, [&](PatternId id, std::size_t begin, std::size_t) { actual.emplace(id, begin); });
    CHECK(actual == expected);
  }
}
