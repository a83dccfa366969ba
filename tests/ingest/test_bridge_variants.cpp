// The ways in which recorders may differ (docs/memory-bridge.md): each change of a run root must leave the spans as
// they are, or say what was lost. The same changes are made to the shared example where it is there.

#include <catch2/catch.hpp>

#include "support/bridge_reading.h"
#include "support/bridge_variants.h"

using namespace memuse;
using namespace memuse::test;

namespace {

struct Variant {
  const char* name;
  std::function<void(const std::filesystem::path&)> change;
  VisibilityGrade visibility;
  const char* trace;
};

const std::vector<Variant>& variants() {
  using Path = std::filesystem::path;
  static const std::vector<Variant> all{
      {"retractions in place of rewrites", [](const Path& root) { renumber(root, Numbering::retractions); },
       VisibilityGrade::exact, "traced"},
      {"running message numbers", [](const Path& root) { renumber(root, Numbering::running); }, VisibilityGrade::exact,
       "traced"},
      {"running message numbers without calls/",
       [](const Path& root) {
         renumber(root, Numbering::running);
         delete_calls(root);
       },
       VisibilityGrade::exact, "traced"},
      {"blocks left out of the log", [](const Path& root) { renumber(root, Numbering::without_blocks); },
       VisibilityGrade::exact, "traced"},
      {"blocks left out of the log, without calls/",
       [](const Path& root) {
         renumber(root, Numbering::without_blocks);
         delete_calls(root);
       },
       VisibilityGrade::rebuilt, "traced"},
      {"payloads on the event itself", flatten_payloads, VisibilityGrade::exact, "traced"},
      {"calls/ deleted", delete_calls, VisibilityGrade::exact, "traced"},
      {"contents as parts", contents_as_parts, VisibilityGrade::exact, "traced"},
      {"a delivery lost", lose_deliveries, VisibilityGrade::exact, "partly_traced"},
      {"a delivery lost, blocks left out of the log, without calls/",
       [](const Path& root) {
         renumber(root, Numbering::without_blocks);
         delete_calls(root);
         lose_deliveries(root);
       },
       VisibilityGrade::rebuilt, "partly_traced"},
      {"generation inputs as digests", digests_only, VisibilityGrade::exact, "traced"},
      {"other names for lanes", rename_lanes, VisibilityGrade::exact, "traced"},
      {"annotations twice", double_annotations, VisibilityGrade::exact, "traced"},
      {"no turn fields", [](const Path& root) { drop_turns(root, false); }, VisibilityGrade::exact, "traced"},
      {"no turns at all, without calls/",
       [](const Path& root) {
         drop_turns(root, true);
         delete_calls(root);
       },
       VisibilityGrade::exact, "traced"},
  };
  return all;
}

void check_variant(const Variant& variant, const std::filesystem::path& root, const std::string& spans) {
  variant.change(root);
  const Reading reading = read_path(root.string());
  INFO(variant.name << "\n" << reading.faults());
  CHECK(all_spans(reading) == spans);
  for (const auto& [id, episode] : reading.episodes) {
    INFO(id);
    CHECK(episode.visibility == variant.visibility);
    CHECK(tag_of(episode, "bridge_trace") == variant.trace);
  }
  if (std::string(variant.trace) != "traced") CHECK(reading.count(Fault::under_recorded) > 0);
  check_read_again(reading);
}

/// A copy that can be changed.
void copy_root(const std::filesystem::path& from, const std::filesystem::path& to) {
  namespace fs = std::filesystem;
  for (const auto& entry : fs::recursive_directory_iterator(from)) {
    const fs::path target = to / fs::relative(entry.path(), from);
    if (entry.is_regular_file()) BridgeInstance::write(target, read_file(entry.path()));
  }
}

const std::filesystem::path& example() {
  static const std::filesystem::path path = shared_data() / ".." / "formats" / "bridge-v6-example";
  return path;
}

}  // namespace

TEST_CASE("however a recorder writes, the spans are the same or the loss is told", "[bridge]") {
  const TemporaryFolder original;
  write_bridge_root(original.path());
  const std::string spans = all_spans(read_path(original.path().string()));
  REQUIRE_FALSE(spans.empty());
  for (const Variant& variant : variants()) {
    const TemporaryFolder folder;
    copy_root(original.path(), folder.path());
    check_variant(variant, folder.path(), spans);
  }
}

TEST_CASE("the shared example holds through the same changes", "[bridge][data]") {
  if (!std::filesystem::exists(example())) {
    WARN("skipped: no reference data on this machine");
    return;
  }
  const std::string spans = all_spans(read_path(example().string()));
  for (const Variant& variant : variants()) {
    const TemporaryFolder folder;
    copy_root(example(), folder.path());
    check_variant(variant, folder.path(), spans);
  }
}

TEST_CASE("a cut log is used and known to be cut", "[bridge]") {
  const TemporaryFolder folder;
  write_bridge_root(folder.path());
  const std::string spans = all_spans(read_path(folder.path().string()));
  cut_logs(folder.path());
  const Reading reading = read_path(folder.path().string());
  INFO(reading.faults());
  CHECK(all_spans(reading) == spans);
  for (const auto& [id, episode] : reading.episodes) {
    CHECK_FALSE(episode.end_reason);
    CHECK(tag_of(episode, "bridge_trace") == "partly_traced");
  }
  CHECK(reading.count(Fault::truncated_line) == 2);
  check_read_again(reading);
}

TEST_CASE("an aborted run dir is an attempt of its own and not the chosen one", "[bridge]") {
  const TemporaryFolder folder;
  write_bridge_root(folder.path());
  const Reading before = read_path(folder.path().string());
  add_aborted_runs(folder.path());
  const Reading reading = read_path(folder.path().string());
  INFO(reading.faults());
  REQUIRE(reading.episodes.size() == 4);
  for (const auto& [id, episode] : before.episodes) {
    CHECK(first_difference(reading.at(id), episode).empty());
    const Episode& aborted = reading.at(id + "/20310102-000000-memory-aborted");
    CHECK(aborted.task_id == id);
    CHECK_FALSE(aborted.end_reason);
    CHECK_FALSE(aborted.outcome);
    CHECK(tag_of(aborted, "bridge_attempt") == "not chosen");
  }
  check_read_again(reading);
}

TEST_CASE("mem0 lines have no key, and its receipts no version before", "[bridge]") {
  const TemporaryFolder folder;
  write_bridge_root(folder.path(), BridgeKind::mem0);
  const TemporaryFolder cure;
  write_bridge_root(cure.path());
  const Reading reading = read_path(folder.path().string());
  INFO(reading.faults());
  const Episode& first = reading.at("meadow__tinycal-7");
  CHECK(first.configuration == "mem0");
  CHECK(spans_of(first) == spans_of(read_path(cure.path().string()).at("meadow__tinycal-7")));
  REQUIRE(first.memory_operations.size() == 4);
  CHECK(first.memory_operations[2].from == std::vector<std::string_view>{*first.memory_operations[1].version});
  CHECK(first.deliveries[0].entries[0].identifiers.empty());
}

TEST_CASE("several sessions in one log are episodes of their own", "[bridge]") {
  const TemporaryFolder folder;
  write_bridge_root(folder.path());
  const auto files = log_files(folder.path());
  REQUIRE(files.size() == 2);
  Events both = read_events(files[0]);
  const std::string spans = spans_of(read_path(folder.path().string()).at("meadow__tinycal-7"));
  for (Json event : read_events(files[0])) {
    std::string text = event.dump();
    for (std::size_t at = text.find("session-meadow"); at != std::string::npos;
         at = text.find("session-meadow", at + 9)) {
      text.replace(at, 7, "another");
    }
    Json again = Json::parse(text);
    if (again.contains("annotation_id")) again["annotation_id"] = again["annotation_id"].get<std::string>() + "-2";
    if (again["type"] != "agent_start") both.push_back(again);
  }
  write_events(files[0], both);
  std::filesystem::remove_all(files[0].parent_path() / "calls");
  const Reading reading = read_path(folder.path().string());
  INFO(reading.faults());
  REQUIRE(reading.episodes.size() == 3);
  const Episode& last = reading.at("meadow__tinycal-7");
  CHECK(last.source.byte_begin > 0);
  CHECK(last.end_reason == "Submitted");
  CHECK(spans_of(last) == spans);
  for (const auto& [id, episode] : reading.episodes) {
    if (id.rfind("meadow__tinycal-7/", 0) == 0) CHECK(spans_of(episode) == spans);
  }
  check_read_again(reading);
}
