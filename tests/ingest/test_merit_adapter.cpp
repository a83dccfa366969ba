#include "ingest/episode_rereader.h"
#include "ingest/merit_adapter.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "ingest/canonical_trace_writer.h"
#include "ingest/merit_cell.h"
#include "ingest/merit_episode.h"
#include "ingest/pipeline.h"
#include "support/adapter_reading.h"
#include "support/data.h"
#include "support/temporary_folder.h"

namespace memuse::ingest {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

const fs::path kExample = fs::path(MEMUSE_SOURCE_DIR) / "examples" / "merit-cell";

using Reading = test::AdapterReading;

Reading read_folder(const std::string& folder, const ReadOptions& options = {}) {
  return test::read_claimed(merit_adapter(), folder, options);
}

Reading read_alone(const std::string& path, const std::string& bytes, const ReadOptions& options = {}) {
  return test::read_bytes(merit_adapter(), bytes, path, options);
}

/// Everything of an episode that a trace can say, as text.
std::string all_of(const Episode& episode) {
  return write_canonical_trace(episode);
}

void check_read_again(const Episode& episode, const ReadOptions& options = {}) {
  Fault fault = Fault::source_missing;
  std::string detail;
  const auto again = EpisodeRereader().read(episode.source, options, fault, detail);
  INFO(episode.source.path << " " << episode.source.locator << " " << detail);
  REQUIRE(again);
  CHECK(all_of(*again) == all_of(episode));
  CHECK(again->totals->seconds == episode.totals->seconds);
}

const std::string& all_rows() {
  static const std::string text = test::read_file(kExample / "results.jsonl");
  return text;
}

const std::string& all_traces() {
  static const std::string text = test::read_file(kExample / "traces" / "episodes.jsonl");
  return text;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
  return text;
}

std::string first_lines(const std::string& text, std::size_t count) {
  std::size_t end = 0;
  while (count-- > 0) end = text.find('\n', end) + 1;
  return text.substr(0, end);
}

TEST_CASE("a cell: one episode per row, joined with its trace") {
  const Reading reading = read_folder(kExample.string());
  CHECK(reading.diagnostics.empty());
  REQUIRE(reading.episodes.size() == 6);
  const Episode& probe = reading.episodes.back();
  CHECK(probe.id == "b27d9f13");
  CHECK(probe.task_id == "d2-arc0-000-e2-probe-cfg");
  CHECK(probe.configuration == "example-agent/C4");
  CHECK(probe.run == "merit-cell/0");
  CHECK(probe.store == "merit-cell/0/C4/d2-arc0-000");
  CHECK(probe.group == "d2-arc0-000");
  CHECK(probe.position == 3U);
  CHECK(probe.domain == "d2");
  CHECK(probe.tier == "easy");
  CHECK(probe.condition == "C4");
  CHECK(probe.seed == "0");
  CHECK(probe.model == "example-agent");
  CHECK(probe.visibility == VisibilityGrade::partial);
  CHECK(probe.delivery_grade == DeliveryGrade::by_rule);
  REQUIRE(probe.probe);
  CHECK(probe.probe->dependent == true);
  CHECK(probe.probe->memory_had_fact == true);
  CHECK(probe.probe->memory_utilized == true);
  CHECK(probe.probe->pre_satisfied == false);
  CHECK_FALSE(probe.probe->corruption);
  REQUIRE(probe.outcome);
  CHECK(probe.outcome->resolved == true);
  CHECK(probe.outcome->source == "merit results");
  REQUIRE(probe.totals);
  CHECK_FALSE(probe.totals->calls);
  CHECK(probe.totals->usage.input.has_value());
  CHECK(probe.totals->cost_usd.has_value());
  CHECK(probe.totals->seconds.has_value());

  REQUIRE(probe.messages.size() >= 2);
  CHECK(probe.messages[0].origin == Origin::memory);
  CHECK(probe.messages[0].role == Role::system);
  CHECK(probe.messages[1].origin == Origin::task);
  CHECK(probe.task_text.starts_with("Set the buffer"));
  REQUIRE(probe.steps.size() == 3);  // two calls and the answer
  CHECK(probe.steps[1].actions.at(0).name == "set_config");
  CHECK(probe.steps[1].results.size() == 1);
  CHECK(probe.steps[2].response == "Done: buffer_rows is 4817.");
  REQUIRE(probe.deliveries.size() == 1);
  const Delivery& delivery = probe.deliveries[0];
  CHECK(delivery.form == "merit_C4_structured");
  CHECK(delivery.route == Route::host);
  CHECK(delivery.consuming_step == 1);
  REQUIRE(delivery.entries.size() == 2);
  CHECK(delivery.entries[0].item == "lighthouse-feed.buffer_rows");
  CHECK(delivery.entries[0].version == "4817");
  CHECK(probe.placed_text(delivery).substr(delivery.entries[1].range->begin) ==
        std::string(delivery.entries[1].text) + "  (ep d2-arc0-000-e1)");

  const Episode& first = reading.episode("b27d9f11");  // C4, nothing stored yet
  REQUIRE(first.deliveries.size() == 1);
  CHECK(first.deliveries[0].entries.empty());
  CHECK_FALSE(first.deliveries[0].message);
  const Episode& plain = reading.episode("a10c4e03");
  CHECK(plain.delivery_grade == DeliveryGrade::none);
  CHECK(plain.deliveries.empty());
  for (const Episode& episode : reading.episodes) check_read_again(episode);
}

TEST_CASE("names: the user's stand in place of model and cell, stored ones are taken whole") {
  ReadOptions options;
  options.configuration = "tuned";
  options.run = "monday";
  CHECK(read_folder(kExample.string(), options).episodes[3].configuration == "example-agent/C4");
  CHECK(read_folder(kExample.string(), options).episodes[3].run == "monday/0");
  options.names_replace = true;
  const Reading reading = read_folder(kExample.string(), options);
  CHECK(reading.episodes[3].configuration == "tuned/C4");
  ReadOptions stored;
  stored.configuration = "tuned/C4";
  stored.run = "monday/0";
  check_read_again(reading.episodes[3], stored);
}

TEST_CASE("names of cells do not depend on how the path is written") {
  CHECK(merit_cell_name("/runs/d1-easy") == "d1-easy");
  CHECK(merit_cell_name("/runs/d1-easy/") == "d1-easy");
  CHECK(merit_cell_name("/runs/other/../d1-easy/.") == "d1-easy");
  CHECK(merit_cell_name("/runs/d1-easy/results.jsonl") == "d1-easy");
  CHECK(merit_cell_name("/runs/d1-easy/traces/episodes.jsonl") == "d1-easy");
  CHECK(merit_cell_name("/runs/d1-easy.results.jsonl.gz") == "d1-easy");
  CHECK(merit_cell_name("/runs/odd.jsonl") == "odd");
  CHECK(merit_cell_name(".") == fs::current_path().filename().string());
}

TEST_CASE("damaged memory is a configuration of its own") {
  const std::string row =
      replaced(first_lines(all_rows(), 6).substr(first_lines(all_rows(), 5).size()),
               R"("corrupt_mode": "none", "corrupt_rate": 0.0)", R"("corrupt_mode": "stale", "corrupt_rate": 0.1)");
  const Reading reading = read_alone("/x/cell/results.jsonl", row);
  REQUIRE(reading.episodes.size() == 1);
  const Episode& episode = reading.episodes[0];
  CHECK(episode.configuration == "example-agent/C4/stale@0.1");
  CHECK(episode.store == "cell/0/C4/stale@0.1/d2-arc0-000");
  REQUIRE(episode.probe->corruption);
  CHECK(episode.probe->corruption->rate == 0.1);
}

TEST_CASE("rows alone: no steps, and nothing is said about deliveries") {
  const Reading reading = read_alone("/x/cell/results.jsonl", all_rows());
  CHECK(reading.faults() == std::vector<Fault>{Fault::unmatched_record});
  REQUIRE(reading.episodes.size() == 6);
  const Episode& episode = reading.episode("b27d9f13");
  CHECK(episode.steps.empty());
  CHECK(episode.visibility == VisibilityGrade::unknown);
  CHECK(episode.delivery_grade == DeliveryGrade::not_recorded);
  CHECK(reading.episode("a10c4e01").delivery_grade == DeliveryGrade::none);
}

TEST_CASE("traces alone: outcome and corruption unknown, the names say so") {
  const Reading reading = read_alone("/x/cell/traces/episodes.jsonl", all_traces());
  REQUIRE(reading.episodes.size() == 6);
  const Episode& episode = reading.episode("b27d9f13");
  CHECK(episode.configuration == "example-agent/C4/unscored");
  CHECK(episode.run == "cell/0");
  CHECK_FALSE(episode.outcome);
  CHECK_FALSE(episode.probe);
  CHECK(episode.deliveries.size() == 1);
  CHECK(episode.steps.size() == 3);
}

TEST_CASE("a cell whose files do not fit together loses nothing and says where") {
  const TemporaryFolder folder;
  // One row has no trace, one trace has no row, the last row is cut off.
  folder.write("cell/results.jsonl",
               first_lines(all_rows(), 5) + all_rows().substr(first_lines(all_rows(), 5).size(), 80));
  folder.write("cell/traces/episodes.jsonl", all_traces().substr(first_lines(all_traces(), 1).size()));
  const Reading reading = read_folder(folder / "cell");
  CHECK(reading.episodes.size() == 6);
  CHECK(reading.episode("a10c4e01").steps.empty());
  CHECK(reading.episode("b27d9f13").configuration == "example-agent/C4/unscored");
  CHECK(reading.faults() ==
        std::vector<Fault>{Fault::truncated_line, Fault::episode_set_aside, Fault::unmatched_record});
  for (const Diagnostic& diagnostic : reading.diagnostics) CHECK(diagnostic.line > 0);
  for (const Episode& episode : reading.episodes) check_read_again(episode);
}

TEST_CASE("either file may be missing") {
  const TemporaryFolder folder;
  folder.write("rows/results.jsonl", all_rows());
  folder.write("traces-only/traces/episodes.jsonl", all_traces());
  CHECK(merit_adapter().claims(folder / "rows"));
  CHECK(merit_adapter().claims(folder / "traces-only"));
  CHECK_FALSE(merit_adapter().claims(folder.path()));
  CHECK(read_folder(folder / "rows").episodes.size() == 6);
  const Reading traces = read_folder(folder / "traces-only");
  CHECK(traces.episodes.size() == 6);
  for (const Episode& episode : traces.episodes) check_read_again(episode);
}

TEST_CASE("a run that was appended twice: second attempts share the positions of the first") {
  const TemporaryFolder folder;
  folder.write("cell/results.jsonl", all_rows() + replaced(replaced(all_rows(), "a10c", "c30e"), "b27d", "d40f"));
  folder.write("cell/traces/episodes.jsonl",
               all_traces() + replaced(replaced(all_traces(), "a10c", "c30e"), "b27d", "d40f"));
  const Reading reading = read_folder(folder / "cell");
  CHECK(reading.diagnostics.empty());
  REQUIRE(reading.episodes.size() == 12);
  CHECK(reading.episode("d40f9f13").position == 3U);
  for (const Episode& episode : reading.episodes) check_read_again(episode);
}

TEST_CASE("ids that stand twice: equal bytes count once, others get a number") {
  const TemporaryFolder folder;
  folder.write("cell/results.jsonl",
               all_rows() + all_rows() + replaced(all_rows(), "\"success\": true", "\"success\": false"));
  folder.write("cell/traces/episodes.jsonl", all_traces() + all_traces());
  const Reading reading = read_folder(folder / "cell");
  // Five of six rows changed their success.
  CHECK(reading.episodes.size() == 11);
  CHECK(reading.episode("b27d9f13#2").outcome->resolved == false);
  CHECK(reading.faults() == std::vector<Fault>{Fault::repeated_record, Fault::repeated_id});
  for (const Episode& episode : reading.episodes) check_read_again(episode);
}

TEST_CASE("without C0 the end of a block comes from C4, and by weaker rules with a warning") {
  const TemporaryFolder folder;
  folder.write("c4/results.jsonl", all_rows().substr(first_lines(all_rows(), 3).size()));
  folder.write("c4/traces/episodes.jsonl", all_traces().substr(first_lines(all_traces(), 3).size()));
  const Reading only_c4 = read_folder(folder / "c4");
  CHECK(only_c4.diagnostics.empty());
  CHECK(only_c4.episode("b27d9f13").deliveries[0].entries.size() == 2);
  const auto as_c2 = [](const std::string& text) {
    return replaced(replaced(text, "C4_structured", "C2_rag"), "\"C4\"", "\"C2\"");
  };
  folder.write("c2/results.jsonl", as_c2(all_rows().substr(first_lines(all_rows(), 3).size())));
  folder.write("c2/traces/episodes.jsonl", as_c2(all_traces().substr(first_lines(all_traces(), 3).size())));
  const Reading only_c2 = read_folder(folder / "c2");
  CHECK(only_c2.faults() == std::vector<Fault>{Fault::guessed_boundary});
  CHECK(only_c2.episode("b27d9f13").deliveries[0].entries.size() == 1);
  for (const Episode& episode : only_c2.episodes) check_read_again(episode);
}

TEST_CASE("other files in a cell are named, traces among them with a warning") {
  const TemporaryFolder folder;
  folder.write("cell/results.jsonl", all_rows());
  folder.write("cell/notes.txt", "mine");
  folder.write("cell/rerun/results.jsonl", all_rows());
  folder.write("cell/own.jsonl",
               R"({"type":"episode","schema":"memuse-trace/1","episode":"e","task_id":"t","run":"r"})");
  const Reading reading = read_folder(folder / "cell");
  std::vector<std::pair<Severity, std::string>> found;
  for (const Diagnostic& diagnostic : reading.diagnostics) {
    if (diagnostic.fault == Fault::not_read) found.emplace_back(diagnostic.severity, diagnostic.detail);
  }
  REQUIRE(found.size() == 2);
  CHECK(found[0].second == "`notes.txt`");
  CHECK(found[1].first == Severity::warning);
  CHECK(found[1].second.find("`own.jsonl`, `rerun`") != std::string::npos);
}

TEST_CASE("costs: the memory's part is a call of its own, zero with a real model is no price") {
  const std::string row = first_lines(all_rows(), 1);
  const auto with_costs = [&](const std::string& costs) {
    std::string changed = row;
    const std::size_t begin = changed.find("\"cost_usd\"");
    changed.replace(begin, changed.find(',', begin) - begin, costs);
    return read_alone("/x/cell/results.jsonl", changed).episodes;
  };
  const auto both = with_costs(R"("cost_usd": 0.00043764, "memory_tokens": 202, "memory_cost_usd": 4.04e-06)");
  REQUIRE(both.size() == 1);
  CHECK(*both[0].totals->cost_usd == Approx(0.0004336));
  REQUIRE(both[0].side_calls.size() == 1);
  CHECK(both[0].side_calls[0].purpose == "memory");
  CHECK(both[0].side_calls[0].usage.input == 202U);
  CHECK(both[0].side_calls[0].cost_usd == 4.04e-06);
  CHECK_FALSE(with_costs(R"("cost_usd": 0.0)")[0].totals->cost_usd);
  CHECK_FALSE(with_costs(R"("cost_usd": 4e-06, "memory_tokens": 5, "memory_cost_usd": 4e-06)")[0].totals->cost_usd);
  CHECK(read_alone("/x/c/results.jsonl", replaced(replaced(row, "example-agent", "mock"), "\"cost_usd\": 0.000",
                                                  "\"cost_usd\": 0.0, \"x\": 0.000"))
            .episodes[0]
            .totals->cost_usd == 0.0);
}

TEST_CASE("rows of the oldest runs lack some fields, nothing is made up for them") {
  const std::string row = R"({"seed": 2, "condition": "C1", "corrupt_mode": "none", "corrupt_rate": 0.0, )"
                          R"("arc_id": "arc2-004", "episode_index": 1, "task_id": "arc2-004-e1-indep-addr", )"
                          R"("kind": "I_addr", "dependent": false, "success": true, "memory_had_fact": false, )"
                          R"("memory_utilized": false, "prompt_tokens": 10, "completion_tokens": 2, "cost_usd": 0.1, )"
                          R"("model": "m", "episode_id": "00ff00ff"})";
  const Reading reading = read_alone("/x/old/results.jsonl", row);
  REQUIRE(reading.episodes.size() == 1);
  CHECK(reading.episodes[0].domain.empty());
  CHECK(reading.episodes[0].tier.empty());
  CHECK_FALSE(reading.episodes[0].probe->pre_satisfied);
  CHECK_FALSE(reading.episodes[0].totals->seconds);
  CHECK(merit_adapter().detect(row));
}

TEST_CASE("records that cannot be used are set aside with their line") {
  const Reading reading = read_alone(
      "/x/cell/results.jsonl", "{\"episode_id\": \"1\", \"condition\": \"C1\"}\n[1]\n{\"other\": 1}\n" + all_rows());
  CHECK(reading.episodes.size() == 6);
  std::map<std::uint64_t, std::size_t> set_aside;
  for (const Diagnostic& diagnostic : reading.diagnostics) {
    if (diagnostic.fault == Fault::episode_set_aside) ++set_aside[diagnostic.line];
  }
  CHECK(set_aside == std::map<std::uint64_t, std::size_t>{{1, 1}, {2, 1}, {3, 1}});
}

TEST_CASE("what decides about an episode can be read back from its locator") {
  MeritContext context;
  CHECK(to_locator(context).empty());
  CHECK(parse_locator(to_locator(context)) == context);
  context.transcript = LinePlace{5, 2010, 4020};
  context.block = BlockEnd{812, BlockRule::c0_message};
  context.position = 7;
  context.copy = 2;
  CHECK(to_locator(context) == "transcript=5@2010-4020 block=812/c0-message position=7 copy=2");
  CHECK(parse_locator(to_locator(context)) == context);
  for (const char* wrong : {"2", "block=3", "block=3/guess", "transcript=1", "more", " position=1"}) {
    CHECK_FALSE(parse_locator(wrong));
  }
}

TEST_CASE("other JSON Lines are not taken for MERIT's") {
  CHECK_FALSE(merit_adapter().detect(R"({"episode_id": "1", "task_id": "t", "success": true})"));
  CHECK_FALSE(
      merit_adapter().detect("# \"episode_id\" \"task_id\" \"condition\" \"arc_id\" \"episode_index\" "
                             "\"memory_had_fact\""));
  CHECK(merit_adapter().detect(all_rows()));
  CHECK(merit_adapter().detect(all_traces()));
}

}  // namespace
}  // namespace memuse::ingest
