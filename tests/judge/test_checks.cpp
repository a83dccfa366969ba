#include "episodes.h"

using namespace memuse;
using namespace memuse::test;

namespace {

/// One note in view from step 2 on, with one step before and one after it.
struct Scene {
  Scene() {
    EpisodeText text("Open the north gate.");
    text.step("I look around first.", "ls", "gate.txt\npump").notes({{"M-1", "The gate takes key QX9-4471."}});
    text.step("Key it is.", "gate --key QX9-4471").step("Done.", "submit");
    judged = std::make_unique<Judged>(text);
    answer.entries.push_back({0,
                              {true, Accuracy::corroborated, Novelty::novel, Influence::acted_on, Effect::improved},
                              {2},
                              {step_quote(2, "gate --key QX9-4471")},
                              "because"});
  }
  static Evidence step_quote(std::uint32_t step, std::string quote) {
    Evidence evidence;
    evidence.step = step;
    evidence.quote = std::move(quote);
    return evidence;
  }
  static Evidence file_quote(std::string file, std::string quote) {
    Evidence evidence;
    evidence.file = std::move(file);
    evidence.quote = std::move(quote);
    return evidence;
  }
  EntryAnswer& entry() { return answer.entries.front(); }
  [[nodiscard]] std::vector<std::string> faults(const judge::CheckOptions& options = {}) const {
    return judge::answer_faults(judged->episode, judged->spans.spans.front(), answer, options);
  }
  void check_fault(const std::string& part) const {
    const std::vector<std::string> found = faults();
    REQUIRE(found.size() == 1);
    INFO(found.front());
    CHECK(found.front().find(part) != std::string::npos);
  }

  std::unique_ptr<Judged> judged;
  Answer answer;
};

}  // namespace

TEST_CASE("a proper answer has no fault") {
  Scene scene;
  CHECK(scene.faults().empty());
  scene.entry().evidence = {Scene::file_quote("target", "takes key QX9-4471"), Scene::step_quote(0, "the north gate"),
                            Scene::step_quote(1, "pump"), Scene::file_quote("steps/0001", "I look  around\nfirst."),
                            Scene::file_quote("task", "Open the north gate.")};
  CHECK(scene.faults().empty());
}

TEST_CASE("check 1: every entry with a window once, and no other") {
  Scene scene;
  scene.answer.entries.push_back(scene.entry());
  scene.check_fault("answered 2 times");
  scene.answer.entries.pop_back();
  scene.entry().entry = 4;
  CHECK(scene.faults().size() == 2);
  scene.answer.entries.clear();
  scene.check_fault("no answer");
}

TEST_CASE("check 2: anchors inside the window, redundant never acted on") {
  Scene scene;
  scene.entry().anchors = {1};
  scene.check_fault("outside the window [2, 3]");
  scene.entry().anchors = {};
  scene.check_fault("no anchor");
  scene.entry().anchors = {2};
  scene.entry().labels.novelty = Novelty::redundant;
  scene.entry().evidence.push_back(Scene::step_quote(1, "I look around first."));
  scene.check_fault("redundant never goes with acted_on");
  for (const Influence influence : {Influence::selected, Influence::referenced}) {
    Scene other;
    other.entry().labels.influence = influence;
    other.entry().labels.effect = std::nullopt;
    CHECK(other.faults().empty());
    other.entry().anchors = {};
    other.check_fault("no anchor");
  }
}

TEST_CASE("check 3: no effect without an action") {
  Scene scene;
  scene.entry().labels.influence = Influence::referenced;
  scene.check_fault("make it null");
}

TEST_CASE("check 4: quotes stand where they are cited and are long enough") {
  Scene scene;
  scene.entry().evidence = {Scene::step_quote(2, "gate --key QX9-4472")};
  scene.check_fault("does not stand in step 2");
  scene.entry().evidence = {Scene::step_quote(3, "gate --key QX9-4471")};
  scene.check_fault("does not stand in step 3");
  scene.entry().evidence = {Scene::step_quote(2, "--key QX9")};
  scene.check_fault("too short");
  scene.entry().evidence = {Scene::step_quote(2, " \n")};
  scene.check_fault("is empty");
  scene.entry().evidence = {Scene::file_quote("prior_context", "The gate takes key QX9-4471.")};
  scene.check_fault("does not stand in file `prior_context`");  // the target is cut out of it
}

TEST_CASE("check 5: cited places exist, redundant cites what was visible before") {
  Scene scene;
  scene.entry().evidence = {Scene::step_quote(9, "gate --key QX9-4471")};
  scene.check_fault("there is no step 9");
  scene.entry().evidence = {Scene::file_quote("diary", "gate --key QX9-4471")};
  scene.check_fault("there is no file `diary`");
  scene.entry().labels = {true, Accuracy::corroborated, Novelty::redundant, Influence::none, std::nullopt};
  scene.entry().anchors = {};
  scene.entry().evidence = {Scene::step_quote(2, "gate --key QX9-4471"),
                            Scene::file_quote("target", "takes key QX9-4471")};
  scene.check_fault("visible before the delivery");
  scene.entry().evidence.push_back(Scene::step_quote(1, "I look around first."));
  CHECK(scene.faults().empty());
}

TEST_CASE("relevance and accuracy must be answered by a judge that assesses them") {
  Scene scene;
  scene.entry().labels.relevance = std::nullopt;
  scene.check_fault("relevance is null");
  scene.entry().labels.accuracy = std::nullopt;
  CHECK(scene.faults().size() == 2);
  CHECK(scene.faults(judge::tracer_checks()).empty());
}
