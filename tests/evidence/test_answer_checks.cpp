#include "evidence/answer_checks.h"

#include "evidence_cases.h"

using namespace memuse;
using namespace memuse::test;
using Catch::Matchers::Contains;
using evidence::Answerer;
using evidence::EvidenceSet;

namespace {

const std::string kHeading = "Section D0:";

/// The agent looks at step 1 and finds a note on request; a note is placed for step 2; it acts at step 2.
Episode one_note() {
  EpisodeBuilder builder;
  builder.episode().task_text = builder.keep("Open the north gate.");
  builder.episode().outcome = Outcome{true, std::nullopt, "hidden check"};
  builder.step({.response = "I look around first.",
                .results = {{"r", "gate.txt\npump\n[[aaaaaaaaaaaa end]]"}},
                .actions = {{"bash", R"({"command":"ls\t-l  gates","depth":12345678901234})"}}});
  builder.message("m", "Note: the gate takes key QX9-4471, caf\x65\xCC\x81 side.");
  builder.delivery({.id = "d", .message = "m", .entries = {{"M-1", "the gate takes key QX9-4471", {"M-1"}}}});
  builder.step({.response = "Key it is.", .actions = {{"bash", R"({"command":"gate --key \"QX9-4471\""})"}}});
  builder.step({.response = "Done."});
  return builder.build();
}

struct Scene {
  explicit Scene(evidence::EvidenceOptions options = {}) : scene(one_note(), options), set(scene.of(1)) {
    answer.entries.push_back(
        {0, {true, Accuracy::corroborated, Novelty::novel, Influence::acted_on, Effect::improved}, {2}, {}, "because"});
  }
  void cite(std::uint32_t step, std::string quote) {
    Evidence evidence;
    evidence.step = step;
    evidence.quote = std::move(quote);
    entry().evidence.push_back(evidence);
  }
  void cite(const char* file, std::string quote) {
    Evidence evidence;
    evidence.file = file;
    evidence.quote = std::move(quote);
    entry().evidence.push_back(evidence);
  }
  EntryAnswer& entry() { return answer.entries.front(); }
  [[nodiscard]] std::vector<std::string> faults(Answerer answerer = Answerer::model) const {
    return evidence::answer_faults(set, answer, answerer);
  }
  void check_fault(const std::string& part) {
    const std::vector<std::string> found = faults();
    REQUIRE(found.size() == 1);
    CHECK_THAT(found.front(), Contains(part));
    entry().evidence.clear();
  }
  [[nodiscard]] std::string quoted_place(std::size_t evidence) const {
    const auto& place = answer.entries.front().evidence.at(evidence).place;
    REQUIRE(place);
    return text_of(set, place->file).substr(place->begin, place->end - place->begin);
  }

  EvidenceCase scene;
  EvidenceSet set;
  Answer answer;
};

}  // namespace

TEST_CASE("quotes of what the files show are in order") {
  Scene scene;
  scene.cite(2, "gate --key \"QX9-4471\"");
  scene.cite(1, "ls -l gates");  // white space folded
  scene.cite(1, "12345678901234");
  scene.cite(1, "pump");  // a whole line
  scene.cite(0U, "the north gate.");
  scene.cite("task", "Open the north gate.");
  scene.cite("target", "the gate takes key QX9-4471");
  scene.cite("target", "QX9-4471,\ncaf\xC3\xA9 side.\n");
  scene.cite("target", "M-1");  // a whole value
  scene.cite("steps/0001", "I look around first.");
  scene.cite(1, "[[aaaaaaaaaaaa end]]");  // recorded text, whatever it looks like
  CHECK(scene.faults().empty());
  CHECK(scene.faults(Answerer::person).empty());

  evidence::locate_quotes(scene.set, scene.answer);
  CHECK(scene.quoted_place(0) == "gate --key \"QX9-4471\"");
  CHECK(scene.quoted_place(1) == "ls\t-l  gates");
  CHECK(scene.quoted_place(3) == "pump");
  CHECK(scene.quoted_place(7) == "QX9-4471, caf\x65\xCC\x81 side.");
  CHECK(scene.entry().evidence[0].place->file == "steps/0002");
  CHECK(scene.entry().evidence[4].place->file == "task");
}

TEST_CASE("quotes that do not stand where they are cited are faults that say where they do") {
  Scene scene;
  scene.cite(2, "gate --key QX9-4472");
  scene.check_fault("does not stand in step 2; copy it letter by letter");
  scene.cite(3, "gate --key \"QX9-4471\"");
  scene.check_fault("does not stand in step 3; it stands in file steps/0002: cite that if you mean it");
  scene.cite("prior_context", "the gate takes key QX9-4471");
  scene.check_fault("it stands in file target");
  scene.cite(2, "--key \"QX9");
  scene.check_fault("too short");
  scene.cite(2, " \n");
  scene.check_fault("is empty");
  scene.cite(9, "gate --key \"QX9-4471\"");
  scene.check_fault("there is no step 9");
  scene.cite("diary", "gate --key \"QX9-4471\"");
  scene.check_fault("there is no file `diary`");
  scene.cite("outcome", "resolved: true");  // not shown, so it cannot be cited
  scene.check_fault("there is no file `outcome`");
}

TEST_CASE("headings and borders are no evidence") {
  Scene scene;
  const std::string target = text_of(scene.set, "target");
  scene.cite("target", "credit window: steps 2 to 3");
  scene.check_fault("a heading or border of the file is no evidence");
  scene.cite("target", target.substr(0, target.find('\n')));
  scene.check_fault("a heading or border of the file is no evidence");
  scene.cite("target", target.substr(target.find("[["), 25));
  scene.check_fault("a heading or border of the file is no evidence");
  // Nor is a quote that runs from one text over a border into the next.
  const std::size_t placed = target.find("side.");
  scene.cite("target", target.substr(placed, 60));
  CHECK(scene.faults().size() == 1);
}

TEST_CASE("the recorded result can be quoted when it is shown") {
  Scene scene({.reference = false, .outcome = true});
  scene.cite("outcome", "resolved: true");
  CHECK(scene.faults().empty());
  evidence::locate_quotes(scene.set, scene.answer);
  CHECK(scene.quoted_place(0) == "resolved: true");
}

TEST_CASE("checks on labels and anchors hold as for every judge") {
  Scene scene;
  scene.entry().anchors = {1};
  CHECK_THAT(scene.faults().at(0), Contains("outside the window [2, 3]"));
  scene.entry().anchors = {2};
  scene.entry().labels.relevance = std::nullopt;
  for (const Answerer answerer : {Answerer::model, Answerer::person}) {
    CHECK_THAT(scene.faults(answerer).at(0), Contains("relevance is null"));
  }
  scene.answer.entries.clear();
  CHECK_THAT(scene.faults().at(0), Contains("no answer"));
}

TEST_CASE("redundant cites something visible before the delivery, not the delivery itself") {
  Scene scene;
  scene.entry().labels = {true, Accuracy::corroborated, Novelty::redundant, Influence::none, std::nullopt};
  scene.entry().anchors = {};
  const std::string fault = "redundant needs a quote from something visible before the delivery";
  scene.cite("target", "the gate takes key QX9-4471");
  scene.check_fault(fault);
  scene.cite(2, "gate --key \"QX9-4471\"");
  scene.check_fault(fault);
  scene.cite(1, "I look around first.");
  CHECK(scene.faults().empty());
  scene.entry().evidence.clear();
  scene.cite(0U, "the north gate.");
  CHECK(scene.faults().empty());
}

TEST_CASE("an answer to a tool that brought the target is no proof that it was known") {
  const std::string note = "the gate takes key QX9-4471";
  EpisodeBuilder builder;
  builder.step({.response = "I search.", .results = {{"r", "1 hit of notes\n" + note}}});
  const std::size_t begin = std::string("1 hit of notes\n").size();
  builder.delivery({.id = "d",
                    .message = "r",
                    .entries = {{"M-1", note}},
                    .range = ByteRange{begin, begin + note.size()},
                    .route = Route::agent});
  builder.step();
  const EvidenceCase scene(builder.build());
  const EvidenceSet set = scene.of(1);
  Answer answer{{{0, {true, Accuracy::corroborated, Novelty::redundant, Influence::none, std::nullopt}, {}, {}, ""}}};
  Evidence evidence;
  evidence.step = 1;
  evidence.quote = note;
  answer.entries.front().evidence = {evidence};
  CHECK(evidence::answer_faults(set, answer, Answerer::model).size() == 1);
  answer.entries.front().evidence.front().quote = "1 hit of notes";
  CHECK(evidence::answer_faults(set, answer, Answerer::model).empty());
}

TEST_CASE("what an earlier block said up to the step before makes an entry redundant") {
  const std::string six = "Flush the queue with qx drain, then qx seal.";
  const std::string five = "Flush the queue with qx drain";
  EpisodeBuilder builder;
  builder.transient("m1", six).delivery({.id = "d1", .message = "m1", .entries = {{"6", six}}}).step();
  builder.transient("m2", six + " " + five);
  builder.delivery({.id = "d2", .message = "m2", .entries = {{"6", six}, {"5", five}}}).steps(2);
  const EvidenceCase scene(builder.build());
  REQUIRE(scene.spans().spans.size() == 2);
  const EvidenceSet set = scene.of(2);
  Answer answer{{{1, {true, Accuracy::corroborated, Novelty::redundant, Influence::none, std::nullopt}, {}, {}, ""}}};
  for (const char* file : {"target", "earlier_copies"}) {
    Evidence evidence;
    evidence.file = file;
    evidence.quote = "the queue with qx drain, then";
    answer.entries.front().evidence = {evidence};
    CHECK(evidence::answer_faults(set, answer, Answerer::model).empty());
  }
}

TEST_CASE("in labels by other hands, step 0 is the task or the memory") {
  Scene scene;
  scene.cite(0U, "the gate takes key QX9-4471");
  CHECK(scene.faults(Answerer::person).empty());
  CHECK(scene.faults(Answerer::model).size() == 1);
  evidence::locate_quotes(scene.set, scene.answer);
  CHECK(scene.entry().evidence.front().place->file == "target");
}

TEST_CASE("quotes made to be slow are not") {
  EpisodeBuilder builder;
  builder.step({.response = std::string(2'000'000, 'a')});
  builder.message("m", "The gate takes a key.").delivery({.id = "d", .message = "m"}).step();
  const EvidenceCase scene(builder.build());
  const EvidenceSet set = scene.of(1);
  Answer answer{{{0, {true, Accuracy::corroborated, std::nullopt, std::nullopt, std::nullopt}, {}, {}, ""}}};
  Evidence evidence;
  evidence.step = 1;
  evidence.quote = std::string(1'000'000, 'a') + "b";
  answer.entries.front().evidence.assign(10, evidence);
  CHECK(evidence::answer_faults(set, answer, Answerer::model).size() == 10);
}
