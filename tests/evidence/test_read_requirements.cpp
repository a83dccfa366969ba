#include "evidence/read_requirements.h"

#include "evidence_cases.h"

using namespace memuse;
using namespace memuse::test;
using Catch::Matchers::Contains;
using evidence::EvidenceSet;
using evidence::ReadLedger;
using evidence::ReadRequirement;

namespace {

using Names = std::vector<std::string>;

/// S1 (item B) is placed for step 2 and stays; S2 (item A) is placed for step 5 and is gone after step 7 of 9. The
/// response of step 3 is dropped before step 5.
Episode two_notes() {
  EpisodeBuilder builder;
  builder.episode().reference = Reference{"patch", "+port=7719"};
  builder.message("sys", "You are careful.", {.role = Role::system, .origin = Origin::system});
  builder.message("task", "Set the port.", {.origin = Origin::task}).step();
  builder.message("b", "Batches above 46 lines are refused.");
  builder.delivery({.id = "b", .message = "b", .entries = {{"B", "Batches above 46 lines are refused."}}}).steps(2);
  builder.drop("r3").step();
  builder.message("a", "Port 7719 and batch 46.");
  builder.delivery({.id = "a", .message = "a", .entries = {{"A1", "Port 7719"}, {"A2", "batch 46."}}}).steps(3);
  builder.drop("a").steps(2);
  return builder.build();
}

const EvidenceCase& scene() {
  static const EvidenceCase made(two_notes(), {.reference = true, .outcome = false});
  return made;
}

EvidenceSet subject() {
  return scene().of(2);
}

Names names_of(const std::vector<ReadRequirement>& requirements) {
  Names names;
  for (const ReadRequirement& requirement : requirements) {
    names.push_back(requirement.section.empty() ? requirement.file : requirement.file + "#" + requirement.section);
  }
  return names;
}

const Names kBasic{"task", "target", "prior_context", "other_messages", "reference", "steps/0004", "steps/0005"};

/// The names beyond the basic ones that an answer for one entry needs.
Names beyond_basic(const EntryAnswer& entry) {
  Names names = names_of(evidence::read_requirements(subject(), Answer{{entry}}));
  for (const std::string& basic : kBasic) {
    const auto found = std::find(names.begin(), names.end(), basic);
    REQUIRE(found != names.end());
    names.erase(found);
  }
  return names;
}

EntryAnswer answer(Labels labels, std::vector<std::uint32_t> anchors = {}) {
  return {0, labels, std::move(anchors), {}, ""};
}

ReadLedger all_read(const EvidenceSet& set) {
  ReadLedger ledger;
  for (const evidence::EvidenceFile& file : set.files()) ledger.add(file.name, {0, file.bytes});
  return ledger;
}

/// Everything but what `gap` names.
ReadLedger all_but(const EvidenceSet& set, const ReadRequirement& gap) {
  ReadLedger ledger;
  for (const evidence::EvidenceFile& file : set.files()) {
    if (file.name != gap.file) {
      ledger.add(file.name, {0, file.bytes});
    } else {
      ledger.add(file.name, {0, gap.range.begin});
      ledger.add(file.name, {gap.range.end, file.bytes});
    }
  }
  return ledger;
}

Answer full_answer() {
  EntryAnswer first =
      answer({true, Accuracy::corroborated, Novelty::novel, Influence::acted_on, Effect::improved}, {6});
  EntryAnswer second = answer({true, Accuracy::corroborated, Novelty::confirming, Influence::none, std::nullopt});
  second.entry = 1;
  return {{first, second}};
}

}  // namespace

TEST_CASE("every answer needs task, target, input, other messages, reference, the first step and the one before") {
  CHECK(names_of(evidence::basic_requirements(subject())) == kBasic);
  for (const ReadRequirement& requirement : evidence::basic_requirements(subject())) {
    CHECK(requirement.range == ByteRange{0, text_of(subject(), requirement.file).size()});
    CHECK(requirement.because == "every answer");
  }
  CHECK(beyond_basic(answer({true, Accuracy::contradicted, std::nullopt, std::nullopt, std::nullopt})).empty());

  EpisodeBuilder builder;
  builder.message("m", "Port 7719 it is.").delivery({.id = "d", .message = "m"}).steps(2);
  const EvidenceCase plain(builder.build());
  CHECK(names_of(evidence::basic_requirements(plain.of(1))) == Names{"task", "target", "prior_context", "steps/0001"});
}

TEST_CASE("novelty, and an action, need the sources of the prior context and the other deliveries") {
  const Names sources{"deliveries#D0", "steps/0001", "steps/0002"};  // step 3 was dropped, step 4 is needed anyway
  for (const Novelty novelty : {Novelty::novel, Novelty::confirming, Novelty::redundant}) {
    CHECK(beyond_basic(answer({true, Accuracy::contradicted, novelty, std::nullopt, std::nullopt})) == sources);
  }
  CHECK(beyond_basic(answer({true, Accuracy::contradicted, std::nullopt, Influence::acted_on, std::nullopt})) ==
        sources);
}

TEST_CASE("influence short of an action needs every step of the window") {
  for (const Influence influence : {Influence::none, Influence::referenced, Influence::selected}) {
    CHECK(beyond_basic(answer({true, Accuracy::contradicted, std::nullopt, influence, std::nullopt})) ==
          Names{"steps/0006", "steps/0007"});
  }
}

TEST_CASE("an effect needs every step from the window's first to the end") {
  CHECK(beyond_basic(answer({true, Accuracy::contradicted, std::nullopt, std::nullopt, Effect::no_effect})) ==
        Names{"steps/0006", "steps/0007", "steps/0008", "steps/0009"});
}

TEST_CASE("cited steps must have been read") {
  EntryAnswer entry = answer({true, Accuracy::contradicted, std::nullopt, std::nullopt, std::nullopt}, {9});
  CHECK(beyond_basic(entry) == Names{"steps/0009"});
  Evidence by_number;
  by_number.step = 3;
  Evidence by_name;
  by_name.file = "steps/0001";
  Evidence task;
  task.step = 0;
  Evidence nowhere;
  nowhere.step = 99;
  Evidence file;
  file.file = "earlier_copies";
  entry.evidence = {by_number, by_name, task, nowhere, file};
  CHECK(beyond_basic(entry) == Names{"steps/0001", "steps/0003", "steps/0009"});
}

TEST_CASE("requirements add up, each once, in the order of the files, with the first reason") {
  const auto requirements = evidence::read_requirements(subject(), full_answer());
  CHECK(names_of(requirements) == Names{"task", "target", "prior_context", "other_messages", "deliveries#D0",
                                        "reference", "steps/0001", "steps/0002", "steps/0004", "steps/0005",
                                        "steps/0006", "steps/0007", "steps/0008", "steps/0009"});
  CHECK(requirements[0].because == "every answer");
  CHECK(requirements[4].because == "entry 0: novelty is novel");
  CHECK(requirements[10].because == "entry 0: effect is improved");
}

TEST_CASE("an answer without any one of its files is refused for exactly that file") {
  const EvidenceSet set = subject();
  CHECK(evidence::unread_faults(set, full_answer(), all_read(set)).empty());
  for (const ReadRequirement& gap : evidence::read_requirements(set, full_answer())) {
    INFO(gap.file << " " << gap.section);
    const auto nothing = evidence::unread_faults(set, full_answer(), all_but(set, gap));
    REQUIRE(nothing.size() == 1);
    CHECK_THAT(nothing.front(), Contains(gap.file) && Contains("completely: none of its") && Contains(gap.because));

    ReadLedger almost = all_but(set, gap);
    almost.add(gap.file, {gap.range.begin, gap.range.end - 1});
    const auto last_byte = evidence::unread_faults(set, full_answer(), almost);
    REQUIRE(last_byte.size() == 1);
    CHECK_THAT(last_byte.front(), Contains("bytes " + std::to_string(gap.range.end - 1) + "-" +
                                           std::to_string(gap.range.end) + " were not shown"));

    ReadLedger pages = all_but(set, gap);
    const std::uint64_t middle = (gap.range.begin + gap.range.end) / 2;
    pages.add(gap.file, {middle - 3, gap.range.end});
    pages.add(gap.file, {gap.range.begin, middle + 3});
    CHECK(evidence::unread_faults(set, full_answer(), pages).empty());
  }
}

TEST_CASE("files that no claim needs may stay unread") {
  const EvidenceSet set = subject();
  for (const std::string name : {"earlier_copies", "steps/0003"}) {
    CHECK(evidence::unread_faults(set, full_answer(), all_but(set, {name, {0, text_of(set, name).size()}, "", ""}))
              .empty());
  }
  // Of `deliveries` only the sections are asked for, not the header.
  const ByteRange section = set.delivery_sections().front().range;
  REQUIRE(section.begin > 0);
  CHECK(evidence::unread_faults(set, full_answer(), all_but(set, {"deliveries", {0, section.begin}, "", ""})).empty());
}

TEST_CASE("a message names the gaps of a file") {
  const EvidenceSet set = subject();
  ReadLedger ledger = all_but(set, {"steps/0007", {0, text_of(set, "steps/0007").size()}, "", ""});
  ledger.add("steps/0007", {0, 10});
  ledger.add("steps/0007", {20, 30});
  const auto faults = evidence::unread_faults(set, full_answer(), ledger);
  REQUIRE(faults.size() == 1);
  CHECK(faults.front() == "read steps/0007 completely: bytes 10-20, 30-" +
                              std::to_string(text_of(set, "steps/0007").size()) +
                              " were not shown; needed for entry 0: effect is improved");
}
