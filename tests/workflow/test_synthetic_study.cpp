// The made-up studies that other tests rest on: what is planned, what is written and what the rules find agree.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <map>

#include "spans/spans.h"
#include "store/reader.h"
#include "support/synthetic_study.h"
#include "support/temporary_folder.h"

using namespace memuse;
using memuse::test::PlannedEpisode;
using memuse::test::SyntheticStudy;
using memuse::test::TemporaryFolder;

namespace {

SyntheticStudy small_synthetic_study() {
  SyntheticStudy study = test::planted_study(5);
  study.runs = 2;
  study.tasks = 60;
  for (test::SyntheticConfiguration& configuration : study.configurations) {
    configuration.automatic = 0.5;
    configuration.empty = 0.5;
  }
  return study;
}

std::string spans_text(const EpisodeSpans& spans) {
  std::string out;
  for (const Span& span : spans.spans) {
    out += fmt::format("S{} {}-{} {}:", span.number, span.first_step, span.last_step, name(span.routing));
    for (const SpanDelivery& member : span.deliveries) {
      out += fmt::format(" d{}@{}{}", member.delivery, member.step, member.restatement ? "r" : "");
    }
    for (const SpanEntry& entry : span.entries) {
      out += entry.window ? fmt::format(" e{}[{},{}]", entry.entry, entry.window->first, entry.window->last)
                          : fmt::format(" e{}[]", entry.entry);
    }
    out += "\n";
  }
  return out + fmt::format("{} unconsumed", spans.unconsumed.size());
}

std::string record_text(const EpisodeSpansRecord& record) {
  const EpisodeRecord& episode = record.episode;
  std::string out = fmt::format("{}/{}/{} {} {} pos {} resolved {} steps {} agent {} {} {:.9f} side {} {:.9f} {}\n",
                                episode.configuration, episode.run, episode.episode, episode.task_id, episode.repo,
                                episode.position.value_or(0), episode.resolved ? *episode.resolved ? "y" : "n" : "?",
                                episode.steps, episode.agent.calls, episode.agent.input_tokens, episode.agent.cost_usd,
                                episode.side.calls, episode.side.cost_usd, episode.delivery_grade);
  for (const SpanRecord& span : record.spans) {
    out += fmt::format(" S{} {}-{} {} {}\n", span.number, span.first_step, span.last_step, name(span.status),
                       span.verdict ? name(*span.verdict) : "no verdict");
    for (const DeliveryRecord& delivery : span.deliveries) {
      out += fmt::format("  {} {} {} {} {} {}\n", delivery.delivery, delivery.step, delivery.restatement,
                         delivery.route, delivery.form, delivery.estimated_tokens);
    }
    for (const EntryRecord& entry : span.entries) {
      out +=
          fmt::format("  {} {} {} {}\n", entry.entry, entry.item.value_or("?"), entry.text, entry.answer.has_value());
      if (!entry.answer) continue;
      const Labels& labels = entry.answer->labels;
      out += fmt::format(
          "   {} {} {} {} {}\n", labels.relevance ? *labels.relevance ? "relevant" : "not" : "null",
          labels.accuracy ? name(*labels.accuracy) : "null", labels.novelty ? name(*labels.novelty) : "null",
          labels.influence ? name(*labels.influence) : "null", labels.effect ? name(*labels.effect) : "null");
      for (const std::uint32_t anchor : entry.answer->anchors) out += fmt::format("   at {}\n", anchor);
    }
  }
  return out;
}

}  // namespace

TEST_CASE("planned spans are those that the rules find in the planned episodes") {
  std::uint64_t spans = 0;
  small_synthetic_study().for_each([&](const PlannedEpisode& plan) {
    const EpisodeSpans planned = test::make_spans(plan);
    spans += planned.spans.size();
    REQUIRE(spans_text(planned) == spans_text(spans::compute_spans(test::make_episode(plan))));
  });
  CHECK(spans > 300);
}

TEST_CASE("what the store gives back of a made-up study is what was planned") {
  const TemporaryFolder folder;
  const SyntheticStudy study = small_synthetic_study();
  test::write_study(folder.database().string(), study.source(), "none");
  std::map<std::string, std::string> planned;
  study.for_each([&](const PlannedEpisode& plan) {
    const EpisodeSpansRecord record = test::make_record(plan);
    planned[record.episode.uid] = record_text(record);
  });
  const store::Database database = store::Database::open_existing(folder.database());
  std::size_t episodes = 0;
  store::for_each_episode(database, {}, 1, [&](const EpisodeSpansRecord& record) {
    const EpisodeRecord& episode = record.episode;
    const std::string key = fmt::format("{}/{}/{}", episode.configuration, episode.run, episode.episode);
    REQUIRE(planned.at(key) == record_text(record));
    return ++episodes > 0;
  });
  CHECK(episodes == 4U * 2U * 60U);
}

TEST_CASE("a made-up study is a function of its seed") {
  const auto text_of = [](const SyntheticStudy& study) {
    std::string out;
    study.for_each([&](const PlannedEpisode& plan) { out += record_text(test::make_record(plan)); });
    return out;
  };
  SyntheticStudy study = small_synthetic_study();
  const std::string first = text_of(study);
  CHECK(first == text_of(study));
  study.seed = 6;
  CHECK(first != text_of(study));
}
