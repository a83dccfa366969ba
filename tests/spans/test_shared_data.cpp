#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>
#include <tuple>

#include "../support/data.h"
#include "ingest/canonical_trace.h"
#include "model/entries.h"
#include "model/sha256.h"
#include "spans/spans.h"

// Reference traces with their expected span exports. Only the fields that an expected line has are compared, all of
// them exactly and in order.

namespace memuse::test {
namespace {

using Json = nlohmann::json;

std::vector<Json> read_json_lines(const std::filesystem::path& path) {
  std::vector<Json> lines;
  std::istringstream in(read_file(path));
  for (std::string line; std::getline(in, line);) {
    if (!line.empty()) lines.push_back(Json::parse(line));
  }
  return lines;
}

Json optional_text(const std::optional<std::string_view>& text) {
  return text ? Json(std::string(*text)) : Json(nullptr);
}

Json delivery_json(const Episode& episode, const SpanDelivery& placed) {
  Json json{{"step", placed.step}, {"restatement", placed.restatement}};
  if (placed.delivery >= episode.deliveries.size()) {
    json["delivery"] = std::string(episode.searches[placed.delivery - episode.deliveries.size()].id);
    return json;
  }
  const Delivery& delivery = episode.deliveries[placed.delivery];
  json["delivery"] = std::string(delivery.id);
  json["route"] = std::string(name(delivery.route));
  json["form"] = std::string(delivery.form);
  json["tokens"] = delivery.tokens ? Json(*delivery.tokens) : Json(nullptr);
  return json;
}

Json entry_json(const SpanEntry& entry, const ExposedEntry& exposed) {
  const Entry* recorded = exposed.recorded;
  return {{"entry", entry.entry},
          {"item", recorded == nullptr ? Json(nullptr) : optional_text(recorded->item)},
          {"version", recorded == nullptr ? Json(nullptr) : optional_text(recorded->version)},
          {"window", entry.window ? Json{entry.window->first, entry.window->last} : Json(nullptr)},
          {"text_sha256", sha256_hex(exposed.text)}};
}

Json span_json(const Episode& episode, const Span& span) {
  Json json{{"configuration", std::string(episode.configuration)},
            {"run", std::string(episode.run)},
            {"episode", std::string(episode.id)},
            {"span", "S" + std::to_string(span.number)},
            {"first_step", span.first_step},
            {"last_step", span.last_step},
            {"routing", std::string(name(span.routing))},
            {"deliveries", Json::array()},
            {"entries", Json::array()}};
  const bool judged = span.routing == Routing::judged;
  json["status"] = judged ? "not_judged" : (span.routing == Routing::empty ? "empty" : "automatic");
  json["verdict"] = judged ? Json(nullptr) : Json("neutral");
  for (const SpanDelivery& delivery : span.deliveries) json["deliveries"].push_back(delivery_json(episode, delivery));
  if (span.entries.empty()) return json;
  const std::vector<ExposedEntry> exposed =
      exposed_entries(episode, episode.deliveries[span.deliveries.front().delivery]);
  REQUIRE(exposed.size() == span.entries.size());
  for (std::size_t i = 0; i < exposed.size(); ++i) {
    REQUIRE(exposed[i].index == span.entries[i].entry);
    json["entries"].push_back(entry_json(span.entries[i], exposed[i]));
  }
  return json;
}

/// What of `actual` the expected value speaks of.
Json in_the_terms_of(const Json& expected, const Json& actual) {
  if (expected.is_object() && actual.is_object()) {
    Json reduced = Json::object();
    for (const auto& [key, value] : expected.items()) {
      // Labels are the judge's business.
      if (key == "labels") {
        reduced[key] = value;
      } else if (actual.contains(key)) {
        reduced[key] = in_the_terms_of(value, actual.at(key));
      }
    }
    return reduced;
  }
  if (expected.is_array() && actual.is_array() && expected.size() == actual.size()) {
    Json reduced = Json::array();
    for (std::size_t i = 0; i < expected.size(); ++i) reduced.push_back(in_the_terms_of(expected[i], actual[i]));
    return reduced;
  }
  return actual;
}

/// How the lines of an expected file are ordered.
enum class ExpectedOrder {
  documented,  // by configuration, run, position, episode, span number
  of_files     // as the episodes stand in the trace files; span numbers ascend
};

/// Brings lines whose spans stand in order into the documented order.
void sort_by_position(std::vector<Json>& lines, const std::vector<Episode>& episodes) {
  const auto rank = [&](const Json& line) {
    const auto found = std::find_if(episodes.begin(), episodes.end(), [&](const Episode& episode) {
      return line.at("configuration") == episode.configuration && line.at("run") == episode.run &&
             line.at("episode") == episode.id;
    });
    return found - episodes.begin();
  };
  std::stable_sort(lines.begin(), lines.end(), [&](const Json& a, const Json& b) { return rank(a) < rank(b); });
}

void compare(const std::vector<std::filesystem::path>& traces, const std::filesystem::path& expected_file,
             ExpectedOrder order = ExpectedOrder::documented) {
  std::vector<Episode> episodes;
  for (const std::filesystem::path& trace : traces) {
    for (Episode& episode : ingest::read_canonical_trace(read_file(trace), {})) episodes.push_back(std::move(episode));
  }
  std::sort(episodes.begin(), episodes.end(), [](const Episode& a, const Episode& b) {
    return std::tie(a.configuration, a.run, a.position, a.id) < std::tie(b.configuration, b.run, b.position, b.id);
  });
  std::vector<Json> actual;
  for (const Episode& episode : episodes) {
    const EpisodeSpans spans = spans::compute_spans(episode);
    for (const Span& span : spans.spans) actual.push_back(span_json(episode, span));
  }
  std::vector<Json> expected = read_json_lines(expected_file);
  REQUIRE(!expected.empty());
  if (order == ExpectedOrder::of_files) sort_by_position(expected, episodes);
  CHECK(actual.size() == expected.size());
  for (std::size_t i = 0; i < std::min(actual.size(), expected.size()); ++i) {
    INFO(expected_file << " line " << i + 1);
    CHECK(in_the_terms_of(expected[i], actual[i]).dump() == expected[i].dump());
  }
}

}  // namespace

TEST_CASE("reference traces give the expected spans") {
  MEMUSE_NEEDS_SHARED_DATA();
  const std::filesystem::path data = shared_data();
  SECTION("worked examples") {
    compare({data / "spans-worked/trace.jsonl"}, data / "spans-worked/expected-spans.jsonl");
  }
  SECTION("edge cases") {
    compare({data / "spans-worked/edge-cases.jsonl"}, data / "spans-worked/expected-edge-cases.jsonl");
  }
  SECTION("random") {
    compare({data / "spans-random/trace.jsonl"}, data / "spans-random/expected-spans.jsonl");
  }
  SECTION("random, hard") {
    compare({data / "spans-random/trace-hard.jsonl"}, data / "spans-random/expected-spans-hard.jsonl");
  }
  SECTION("recorded runs") {
    std::vector<std::filesystem::path> traces;
    for (const auto& file : std::filesystem::directory_iterator(data / "recorded-runs/traces")) {
      traces.push_back(file.path());
    }
    REQUIRE(!traces.empty());
    compare(traces, data / "recorded-runs/expected-spans.jsonl", ExpectedOrder::of_files);
  }
}

}  // namespace memuse::test
