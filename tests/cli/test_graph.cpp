// Lineage through the real program: an invented memory-bridge root, the worked example of the format, hostile names.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/bridge_root.h"
#include "support/program.h"

using memuse::test::BridgeMemories;
using memuse::test::memuse_output;
using memuse::test::run_memuse;
using memuse::test::run_shell;
using memuse::test::shared_data;
using memuse::test::shell_quoted;
using memuse::test::TemporaryFolder;
using memuse::test::write_bridge_root;
using Json = nlohmann::json;

namespace {

std::string study_of(const TemporaryFolder& folder, const std::string& traces) {
  const std::string database = folder / "study.db";
  memuse_output({"ingest", traces, "--db", database});
  memuse_output({"judge", "--db", database});
  return database;
}

Json item(const std::string& database, const std::string& id) {
  Json found = Json::parse(memuse_output({"graph", "item", id, "--db", database, "--json"}));
  REQUIRE(found.size() == 1);
  return found[0];
}

/// "create in tinycal-7 after 2 of 4" for every operation on an item.
std::vector<std::string> operations(const Json& lineage) {
  std::vector<std::string> found;
  for (const Json& one : lineage["operations"]) {
    found.push_back(one["op"].get<std::string>() + " in " + one["episode"].get<std::string>() + " after " +
                    std::to_string(one["after_step"].get<int>()));
  }
  return found;
}

/// "S1 in tinycal-9: version 1, earlier_episode, gap 1" for every exposure.
std::vector<std::string> exposures(const Json& lineage) {
  std::vector<std::string> found;
  for (const Json& one : lineage["exposures"]) {
    const Json& origin = one["origin"];
    found.push_back(one["span"].get<std::string>() + " in " + one["episode"].get<std::string>() + ": version " +
                    std::to_string(one["version_index"].get<int>()) + ", " + origin["kind"].get<std::string>() +
                    ", gap " + origin["gap"].dump() + ", " + std::to_string(one["deliveries"].get<int>()) +
                    " deliveries");
  }
  return found;
}

/// The lineage graph in all three formats, read by other programs: counts of nodes and edges, and the labels.
Json read_by_python(const TemporaryFolder& folder, const std::string& graphml, const std::string& json) {
  const std::string script =
      folder.write("read.py",
                   "import json, sys\n"
                   "import xml.etree.ElementTree as tree\n"
                   "ns = '{http://graphml.graphdrawing.org/xmlns}'\n"
                   "root = tree.parse(sys.argv[1]).getroot()\n"
                   "keys = {k.get('id'): k for k in root.findall(ns + 'key')}\n"
                   "graph = root.find(ns + 'graph')\n"
                   "nodes, edges = graph.findall(ns + 'node'), graph.findall(ns + 'edge')\n"
                   "for part, kind in ((nodes, 'node'), (edges, 'edge')):\n"
                   "    for one in part:\n"
                   "        for data in one:\n"
                   "            assert keys[data.get('key')].get('for') == kind, data.get('key')\n"
                   "ids = [n.get('id') for n in nodes]\n"
                   "assert len(set(ids)) == len(ids)\n"
                   "assert all(e.get('source') in ids and e.get('target') in ids for e in edges)\n"
                   "doc = json.load(open(sys.argv[2], encoding='utf-8'))\n"
                   "assert [n['id'] for n in doc['nodes']] == ids\n"
                   "assert [(e['from'], e['to']) for e in doc['edges']] == "
                   "[(e.get('source'), e.get('target')) for e in edges]\n"
                   "items = sorted({d.text for n in nodes for d in n if d.get('key') == 'n_item'})\n"
                   "print(json.dumps({'nodes': len(nodes), 'edges': len(edges), 'items': items}))\n");
  const auto result =
      run_shell("python3 " + shell_quoted(script) + " " + shell_quoted(graphml) + " " + shell_quoted(json));
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  return Json::parse(result.out);
}

/// True when the program is there; says so when it is not.
bool has_program(const std::string& name) {
  const bool there = run_shell("command -v " + name).exit_code == 0;
  if (!there) WARN("skipped in part: there is no " << name << " on this machine");
  return there;
}

}  // namespace

TEST_CASE("the lineage of an invented bridge root is as it was written") {
  const TemporaryFolder folder;
  write_bridge_root(folder.path() / "root");
  const std::string database = study_of(folder, folder / "root");

  const Json leap = item(database, "item-leap");
  CHECK(operations(leap) ==
        std::vector<std::string>{"create in meadow__tinycal-7 after 2", "update in meadow__tinycal-7 after 4"});
  REQUIRE(leap["versions"].size() == 2);
  CHECK(leap["versions"][0]["text"] == BridgeMemories().wrong.text);
  CHECK(leap["versions"][0]["replaced_by"] == 1);
  CHECK(leap["versions"][1]["parents"][0]["index"] == 0);
  CHECK(leap["versions"][1]["made_by"]["resolved"] == false);
  CHECK(exposures(leap) ==
        std::vector<std::string>{"S2 in meadow__tinycal-7: version 0, same_episode, gap 0, 2 deliveries",
                                 "S1 in meadow__tinycal-9: version 1, earlier_episode, gap 1, 3 deliveries",
                                 "S2 in meadow__tinycal-9: version 1, earlier_episode, gap 1, 2 deliveries"});
  CHECK(leap["returned_by"].size() == 3);

  const Json tests = item(database, "item-tests");
  CHECK(operations(tests) ==
        std::vector<std::string>{"create in meadow__tinycal-7 after 2", "noop in meadow__tinycal-7 after 4"});
  CHECK(tests["versions"].size() == 1);
  const Json zone = item(database, "item-zone");
  CHECK(exposures(zone) ==
        std::vector<std::string>{"S2 in meadow__tinycal-9: version 0, same_episode, gap 0, 2 deliveries"});

  const std::string text = memuse_output({"graph", "item", "item-leap", "--db", database});
  CHECK_THAT(text, Catch::Contains("updated from V1") && Catch::Contains("replaced by  V2") &&
                       Catch::Contains("1 task before, failed") && Catch::Contains("after step 4, at its end"));
  CHECK(memuse_output({"show", "item", "item-leap", "--db", database}) == text);
}

TEST_CASE("the worked example of the bridge format has the lineage that its README tells") {
  const auto example = shared_data() / ".." / "formats" / "bridge-v6-example";
  if (!std::filesystem::exists(example)) {
    WARN("skipped: no worked example on this machine");
    return;
  }
  const TemporaryFolder folder;
  const std::string database = study_of(folder, example.string());
  const Json graph = Json::parse(memuse_output({"graph", "export", "--db", database, "--format", "json"}));
  std::map<std::string, Json> nodes;
  for (const Json& node : graph["nodes"]) nodes[node["id"]] = node;
  // A version id begins with the number of the row in the store.
  const auto row = [&](const Json& id) {
    const std::string version = nodes.at(id)["version"];
    return std::stoi(version.substr(0, version.find(':')));
  };
  std::map<std::string, std::string> episode_of;
  for (const Json& edge : graph["edges"]) {
    if (edge["kind"] == "part_of") episode_of[edge["from"]] = edge["to"];
  }
  const auto place = [&](const Json& operation) {
    const Json& node = nodes.at(operation);
    const std::string task = nodes.at(episode_of.at(operation))["task"];
    return task.substr(task.size() - 3) + " after " + std::to_string(node["after_step"].get<int>());
  };
  std::map<int, std::string> created;
  std::vector<std::string> unchanged;
  std::vector<std::pair<int, int>> updated;
  for (const Json& edge : graph["edges"]) {
    if (edge["kind"] == "created_in") created[row(edge["from"])] = place(edge["to"]);
    if (edge["kind"] == "left_unchanged_by")
      unchanged.push_back(place(edge["to"]) + " -> " + std::to_string(row(edge["from"])));
    if (edge["kind"] == "updated_from") updated.emplace_back(row(edge["from"]), row(edge["to"]));
    CHECK(edge["kind"] != "merged_from");
    if (edge.contains("identity")) CHECK(edge["identity"] == "declared");
  }
  CHECK(created == std::map<int, std::string>{{1, "412 after 4"},
                                              {2, "412 after 4"},
                                              {3, "412 after 4"},
                                              {4, "412 after 7"},
                                              {5, "412 after 7"},
                                              {6, "412 after 7"},
                                              {7, "447 after 4"}});
  CHECK(unchanged == std::vector<std::string>{"412 after 7 -> 1", "447 after 8 -> 7"});
  CHECK(updated == std::vector<std::pair<int, int>>{{4, 2}});

  std::map<int, std::string> item_of;
  for (const auto& [id, node] : nodes) {
    if (node["kind"] == "item_version") item_of[row(id)] = node["item"];
  }
  CHECK(item_of.at(2) == item_of.at(4));
  CHECK(item_of.at(5) != item_of.at(6));
  const Json second = item(database, item_of.at(2));
  REQUIRE(second["versions"].size() == 2);
  CHECK(second["versions"][0]["replaced_by"] == 1);
  REQUIRE(second["exposures"].size() == 1);  // row 4 is never delivered
  CHECK(second["exposures"][0]["version_index"] == 0);
  CHECK(second["exposures"][0]["origin"]["kind"] == "same_episode");
  const Json first = item(database, item_of.at(1));
  REQUIRE(first["exposures"].size() == 2);
  const Json& later = first["exposures"][1];
  CHECK(later["task"] == "orbitlab__starframe-447");
  CHECK(later["delivered_at"] == Json::array({1, 2, 3, 4}));
  CHECK(later["origin"]["kind"] == "earlier_episode");
  CHECK(later["origin"]["gap"] == 1);
  CHECK(later["origin"]["made_by"]["resolved"] == false);
  const Json seventh = item(database, item_of.at(7));
  REQUIRE(seventh["exposures"].size() == 1);
  CHECK(seventh["exposures"][0]["origin"]["kind"] == "same_episode");
  CHECK(seventh["exposures"][0]["deliveries"] == 5);
}

TEST_CASE("a canonical trace whose deliveries name no items is joined by text, and says so") {
  const TemporaryFolder folder;
  const std::string trace = folder.write(
      "notes.jsonl",
      R"({"type":"episode","schema":"memuse-trace/1","episode":"e1","task_id":"t1","configuration":"notes","run":"r1","position":1,"task":{"text":"Find the port."},"outcome":{"resolved":true,"source":"check"}}
{"type":"step","step":1,"id":"s1","response":"It is 7719.","actions":[],"results":[]}
{"type":"memory","op":"create","item":"N1","version":"N1.1","text":"The search service  listens on port 7719.","operation":"gen-1","steps":[1]}
{"type":"end","reason":"done"}
{"type":"episode","schema":"memuse-trace/1","episode":"e2","task_id":"t2","configuration":"notes","run":"r1","position":4,"task":{"text":"Set the port."},"probe":{"gold":["7719"]},"outcome":{"resolved":true,"source":"check"}}
{"type":"message","id":"m1","role":"user","origin":"task","text":"Set the port."}
{"type":"message","id":"m2","role":"user","origin":"memory","text":"The search service listens on port 7719."}
{"type":"delivery","id":"d1","route":"host","form":"recall","message":"m2","entries":[{"text":"The search service listens on port 7719."}]}
{"type":"step","step":1,"id":"s1","response":"I set it.","actions":[{"id":"a1","name":"bash","arguments":{"command":"echo port=7719 > search.conf"}}],"results":[{"id":"o1","action":"a1","text":""}]}
{"type":"end","reason":"done"}
)");
  const std::string database = study_of(folder, trace);
  const Json note = item(database, "N1");
  CHECK(exposures(note) == std::vector<std::string>{"S1 in e2: version 0, earlier_episode, gap 3, 1 deliveries"});
  CHECK(note["exposures"][0]["origin"]["identity"] == "text");
  const Json table = Json::parse(memuse_output({"graph", "origins", "--db", database, "--json"}));
  CHECK_THAT(table["caption"].get<std::string>(),
             Catch::Contains("declared for 0 of 1 traced entries, by equal text for 1"));
  const std::string list = memuse_output({"graph", "origins", "--db", database, "--list", "--format", "csv"});
  CHECK_THAT(list, Catch::Contains("earlier episode,1,e1,gen-1,resolved"));
  const Json graph = Json::parse(memuse_output({"graph", "export", "--db", database, "--format", "json"}));
  int by_text = 0;
  for (const Json& edge : graph["edges"]) {
    if (edge["kind"] != "delivered_in") continue;
    CHECK(edge["identity"] == "text");
    ++by_text;
  }
  CHECK(by_text == 1);
}

TEST_CASE("hostile names are harmless in every format of the graph") {
  const TemporaryFolder folder;
  const std::string evil = "\"<>&]]>\n\u0001\u202E\\N'; --";
  const Json name(evil);
  std::string trace;
  const auto line = [&trace](const Json& record) { trace += record.dump() + "\n"; };
  line({{"type", "episode"},
        {"schema", "memuse-trace/1"},
        {"episode", evil},
        {"task_id", evil},
        {"configuration", evil},
        {"run", evil},
        {"store", evil},
        {"repo", evil},
        {"position", 1},
        {"task", {{"text", "t"}}}});
  line({{"type", "message"}, {"id", "m1"}, {"role", "user"}, {"origin", "memory"}, {"text", "port 7719"}});
  line({{"type", "search"},
        {"id", evil},
        {"query", evil},
        {"returned", {{{"item", evil}, {"version", evil}, {"score", 0.5}}}},
        {"status", "completed"}});
  line({{"type", "delivery"},
        {"id", evil},
        {"route", "host"},
        {"form", evil},
        {"message", "m1"},
        {"search", evil},
        {"entries", {{{"item", evil}, {"version", evil}, {"text", "port 7719"}}}}});
  line({{"type", "step"},
        {"step", 1},
        {"id", "s1"},
        {"response", "ok"},
        {"actions", Json::array()},
        {"results", Json::array()}});
  line({{"type", "memory"},
        {"op", "create"},
        {"item", evil},
        {"version", evil + "2"},
        {"from", {evil, "never seen"}},
        {"operation", evil},
        {"text", evil},
        {"steps", {1}}});
  line({{"type", "end"}, {"reason", evil}});
  const std::string database = study_of(folder, folder.write("evil.jsonl", trace));
  for (const char* format : {"graphml", "json", "dot"}) {
    memuse_output(
        {"graph", "export", "--db", database, "--format", format, "-o", folder / (std::string("g.") + format)});
    memuse_output({"graph", "export", "--db", database, "--item", evil, "-o", folder / (std::string("i.") + format)});
  }
  if (has_program("python3")) {
    const Json all = read_by_python(folder, folder / "g.graphml", folder / "g.json");
    CHECK(all["nodes"] == 9);  // episode, search, delivery, span, entry, operation, three versions
    CHECK(all["items"][0] == "\"<>&]]>\n\uFFFD\u202E\\N'; --");
    const Json of_item = read_by_python(folder, folder / "i.graphml", folder / "i.json");
    CHECK(of_item["nodes"] == 9);
  }
  if (has_program("dot")) CHECK(run_shell("dot -Tsvg " + shell_quoted(folder / "g.dot")).exit_code == 0);
  const std::string text = memuse_output({"graph", "item", evil, "--db", database});
  REQUIRE_FALSE(text.empty());
  for (const char c : text) CHECK((static_cast<unsigned char>(c) >= 0x20 || c == '\n'));
}

TEST_CASE("graph export: an item alone, the same bytes twice, and what it refuses") {
  const TemporaryFolder folder;
  const std::string database = study_of(folder, std::string(MEMUSE_SOURCE_DIR) + "/examples/traces");
  const std::string all = memuse_output({"graph", "export", "--db", database});
  CHECK(all == memuse_output({"graph", "export", "--db", database}));
  memuse_output({"graph", "export", "--db", database, "-o", folder / "all.graphml"});
  memuse_output({"graph", "export", "--db", database, "-o", folder / "all.json"});
  memuse_output({"graph", "export", "--db", database, "--item", "CARD-1", "-o", folder / "one.graphml"});
  memuse_output({"graph", "export", "--db", database, "--item", "CARD-1", "-o", folder / "one.json"});
  if (has_program("python3")) {
    const Json whole = read_by_python(folder, folder / "all.graphml", folder / "all.json");
    const Json part = read_by_python(folder, folder / "one.graphml", folder / "one.json");
    CHECK(part["nodes"] < whole["nodes"]);
    CHECK(part["items"] == Json::array({"CARD-1"}));
  }
  CHECK(run_memuse({"graph", "export", "--db", database, "--item", "nothing"}).exit_code == 2);
  CHECK(run_memuse({"graph", "export", "--db", database, "--run", "r1"}).exit_code == 2);
  const auto none = run_memuse({"graph", "item", "CARD-1", "--run", "r9", "--db", database});
  CHECK(none.exit_code == 2);
  CHECK_THAT(none.err, Catch::Contains("there is no item 'CARD-1' in that configuration, run and store"));
}
