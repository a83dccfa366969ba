#include "controlled/control.h"

#include <catch2/catch.hpp>

#include "controlled/study_builder.h"

using namespace memuse;
using Catch::Matchers::Contains;
using controlled::Component;
using controlled::Confound;
using controlled::EffectiveComponent;
using test::StudyBuilder;

namespace {

void answer_both(StudyBuilder& builder) {
  for (const char* instance : {"q1", "q2", "q3"}) builder.answer(0, instance, 1.0).answer(1, instance, 0.0);
}

/// A row that states one component.
controlled::ResultRow stating(const std::string& instance, Component component, const char* value) {
  controlled::ResultRow row;
  row.instance = instance;
  row.score = 1.0;
  row.components[component] = value;
  return row;
}

}  // namespace

TEST_CASE("one component differs and it is the declared factor: controlled") {
  StudyBuilder builder;
  builder.strategy("a", {{Component::memory_method, "facts"}}).strategy("b");
  builder.compare(0, 1, Component::memory_method);
  answer_both(builder);
  const auto study = builder.study();
  CHECK(study.comparisons[0].control.controlled());
  CHECK(study.all_controlled());
}

TEST_CASE("every component beside the factor is looked at: any difference and any gap is a confound") {
  for (const Component factor : controlled::kComponents) {
    for (const Component other : controlled::kComponents) {
      for (const std::string& value : {std::string("another"), std::string()}) {
        if (other == factor && !value.empty()) continue;
        StudyBuilder builder;
        builder.strategy("a", {{factor, "x"}}).strategy("b", {{other, value}});
        builder.compare(0, 1, factor);
        answer_both(builder);
        const auto control = builder.study(0).comparisons[0].control;
        REQUIRE(control.confounds.size() == 1);
        CHECK(control.confounds[0].component == other);
        CHECK(control.confounds[0].kind == (value.empty() ? Confound::Kind::unknown : Confound::Kind::differs));
      }
    }
  }
}

TEST_CASE("a factor that does not vary and a factor that is not declared are no control") {
  StudyBuilder builder;
  builder.strategy("a").strategy("b").compare(0, 1, Component::top_k);
  builder.compare(0, 1, std::nullopt);
  builder.strategy("c", {{Component::memory_method, "facts"}}).compare(0, 2, Component::memory_method);
  answer_both(builder);
  builder.answer(2, "q1", 1.0);
  const auto study = builder.study(0);
  CHECK(study.comparisons[2].control.controlled());
  CHECK(study.comparisons[0].control.confounds.at(0).kind == Confound::Kind::factor_is_the_same);
  CHECK(study.comparisons[1].control.confounds.at(0).kind == Confound::Kind::no_factor);
  CHECK_FALSE(study.all_controlled());
}

TEST_CASE("what comes with the factor is let through only where one side has no such component") {
  const auto ruling = [](const std::string& embedding) {
    StudyBuilder builder;
    builder.strategy("memory", {{Component::memory_method, "facts"}, {Component::embedding_model, "e1"}});
    builder.strategy("plain", {{Component::memory_method, "none"}, {Component::embedding_model, embedding}});
    builder.compare(0, 1, Component::memory_method, {Component::embedding_model});
    answer_both(builder);
    return builder.study(0).comparisons[0].control;
  };
  CHECK(ruling("none").controlled());
  CHECK(ruling("none").came_with == std::vector{Component::embedding_model});
  CHECK_FALSE(ruling("e2").controlled());
  CHECK_FALSE(ruling("").controlled());
  CHECK(ruling("e1").came_with.empty());
}

TEST_CASE("what comes with the factor is missing on the side that is without the factor") {
  const auto controlled_with = [](const std::string& second_method, const std::string& first_embedding,
                                  const std::string& second_embedding) {
    StudyBuilder builder;
    builder.strategy("memory", {{Component::memory_method, "facts"}, {Component::embedding_model, first_embedding}});
    builder.strategy("other",
                     {{Component::memory_method, second_method}, {Component::embedding_model, second_embedding}});
    builder.compare(0, 1, Component::memory_method, {Component::embedding_model});
    answer_both(builder);
    return builder.study(0).comparisons[0].control.controlled();
  };
  CHECK(controlled_with("none", "e1", "none"));
  CHECK_FALSE(controlled_with("none", "none", "e1"));
  CHECK(controlled_with("full-context", "e1", "none"));
  CHECK(controlled_with("full-context", "none", "e1"));
}

TEST_CASE("a strategy under two names is not controlled: both sides are the same rows") {
  const auto kinds = [](bool same) {
    StudyBuilder builder;
    builder.strategy("a", {{Component::memory_method, "facts"}}).strategy("b").compare(0, 1, Component::memory_method);
    std::uint64_t line = 0;
    for (const std::string instance : {"q1", "q2"}) {
      builder.rows().add(0, stating(instance, Component::judge, "usual judge"), {0, ++line});
      builder.rows().add(1, stating(instance, Component::judge, "usual judge"), {same ? 0U : 1U, line});
    }
    // What only one side has does not make them differ.
    builder.rows().add(1, stating("q3", Component::judge, "usual judge"), {5, 1});
    std::vector<Confound::Kind> found;
    const auto study = builder.study(0);
    for (const Confound& confound : study.comparisons[0].control.confounds) found.push_back(confound.kind);
    return found;
  };
  CHECK(kinds(true) == std::vector{Confound::Kind::same_rows});
  CHECK(kinds(false).empty());
}

TEST_CASE("rows win over the declaration: a model that differs silently is a confound") {
  StudyBuilder builder;
  builder.strategy("a", {{Component::memory_method, "facts"}, {Component::embedding_model, "small"}});
  builder.strategy("b", {{Component::embedding_model, "small"}}).compare(0, 1, Component::memory_method);
  for (const char* instance : {"q1", "q2"}) {
    builder.add(0, stating(instance, Component::embedding_model, "large"));
    builder.add(1, stating(instance, Component::embedding_model, "small"));
  }
  const auto study = builder.study(0);
  const auto& control = study.comparisons[0].control;
  REQUIRE(control.confounds.size() == 1);
  CHECK(control.confounds[0].sentence == "embedding_model differs too (large against small)");
  REQUIRE(control.warnings.size() == 1);
  CHECK_THAT(control.warnings[0], Contains("declared as small") && Contains("rows say large"));
  const EffectiveComponent& known = study.components[0][Component::embedding_model];
  CHECK(known.source == EffectiveComponent::Source::rows);
  CHECK(known.value == "large");
  CHECK(known.contradicted);
}

TEST_CASE("rows complete a declaration when all of them say it, and not when only some do") {
  for (const bool all : {true, false}) {
    StudyBuilder builder;
    builder.strategy("a", {{Component::memory_method, "facts"}, {Component::embedding_model, ""}});
    builder.strategy("b", {{Component::embedding_model, "e1"}}).compare(0, 1, Component::memory_method);
    builder.add(0, stating("q1", Component::embedding_model, "e1"));
    if (all) {
      builder.add(0, stating("q2", Component::embedding_model, "e1"));
    } else {
      builder.answer(0, "q2", 1.0);
    }
    builder.answer(1, "q1", 1.0).answer(1, "q2", 1.0);
    const auto study = builder.study(0);
    CHECK(study.comparisons[0].control.controlled() == all);
    CHECK(study.components[0][Component::embedding_model].source ==
          (all ? EffectiveComponent::Source::rows : EffectiveComponent::Source::partly_stated));
  }
}

TEST_CASE("a component that changes from row to row is known to nobody") {
  StudyBuilder builder;
  builder.strategy("a", {{Component::memory_method, "facts"}}).strategy("b").compare(0, 1, Component::memory_method);
  builder.add(0, stating("q1", Component::reader_model, "m1")).add(0, stating("q2", Component::reader_model, "m2"));
  builder.answer(1, "q1", 1.0).answer(1, "q2", 1.0);
  const auto study = builder.study(0);
  CHECK(study.components[0][Component::reader_model].source == EffectiveComponent::Source::mixed);
  CHECK_FALSE(study.components[0][Component::reader_model].value);
  CHECK_THAT(study.comparisons[0].control.confounds.at(0).sentence, Contains("changes from row to row in a"));
}

TEST_CASE("another judge is a confound and a warning") {
  StudyBuilder builder;
  builder.strategy("a", {{Component::memory_method, "facts"}, {Component::judge, "j2"}}).strategy("b");
  builder.compare(0, 1, Component::memory_method);
  answer_both(builder);
  const auto control = builder.study(0).comparisons[0].control;
  CHECK_FALSE(control.controlled());
  REQUIRE(control.warnings.size() == 1);
  CHECK_THAT(control.warnings[0], Contains("judged differently"));
}

TEST_CASE("without matched instances nothing is controlled") {
  StudyBuilder builder;
  builder.strategy("a", {{Component::memory_method, "facts"}}).strategy("b").compare(0, 1, Component::memory_method);
  builder.answer(0, "q1", 1.0).answer(1, "q2", 1.0);
  const auto study = builder.study();
  CHECK(study.comparisons[0].control.confounds.at(0).kind == Confound::Kind::no_matched_instances);
  CHECK_FALSE(study.comparisons[0].estimates[0]);
}
