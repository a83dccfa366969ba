#include "report/graph_writers.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

using namespace memuse;
using report::GraphFormat;

namespace {

std::string written(GraphFormat format, const std::string& text) {
  std::ostringstream out;
  const auto writer = report::graph_writer(format, out);
  writer->node({graph::NodeKind::item_version, "version:1", text, {{"item", text}, {"made", true}}});
  writer->node({graph::NodeKind::episode, "episode:2", "e", {{"position", std::int64_t{7}}}});
  writer->edge({graph::EdgeKind::created_in, "version:1", "episode:2", {{"identity", std::string("declared")}}});
  writer->finish();
  return out.str();
}

/// Everything outside quotes is plain ASCII, quotes are closed, and inside them only `\"`, `\\` and `\n` are escapes.
void require_strict_dot(const std::string& text) {
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const auto byte = static_cast<unsigned char>(c);
    INFO("byte " << i);
    if (!quoted) {
      REQUIRE((c == '"' || c == '\n' || (byte >= 0x20 && byte < 0x7F && c != '\\' && c != '<')));
      quoted = c == '"';
      continue;
    }
    REQUIRE(byte >= 0x20);
    if (c == '\\') {
      ++i;
      REQUIRE(i < text.size());
      REQUIRE((text[i] == '"' || text[i] == '\\' || text[i] == 'n'));
    } else if (c == '"') {
      quoted = false;
    }
  }
  REQUIRE_FALSE(quoted);
}

}  // namespace

TEST_CASE("a graph as GraphML: keys declared, texts escaped, what XML cannot hold replaced") {
  const std::string text = written(GraphFormat::graphml, "a\"<>&]]>\n\t\x01z\xFFy\xEF\xBF\xBF");
  CHECK_THAT(text, Catch::Contains("<data key=\"n_item\">a&quot;&lt;&gt;&amp;]]&gt;&#10;&#9;\xEF\xBF\xBDz\xEF\xBF\xBDy"
                                   "\xEF\xBF\xBD</data>"));
  CHECK_THAT(text,
             Catch::Contains("<key id=\"n_made\" for=\"node\" attr.name=\"made\" attr.type=\"boolean\"/>") &&
                 Catch::Contains("<data key=\"n_made\">true</data>") &&
                 Catch::Contains("<key id=\"n_position\" for=\"node\" attr.name=\"position\" attr.type=\"long\"/>"));
  CHECK_THAT(text, Catch::Contains("<edge source=\"version:1\" target=\"episode:2\"><data key=\"e_kind\">created_in"
                                   "</data><data key=\"e_identity\">declared</data></edge>"));
}

TEST_CASE("a graph as DOT: hostile texts stay inside their quotes and mean nothing to graphviz") {
  const std::string text = written(GraphFormat::dot, "a\"]; b [label=<x>]\\N\\\n\x01");
  require_strict_dot(text);
  CHECK_THAT(text, Catch::Contains(R"(m_item="a\"]; b [label=<x>]\\N\\\n)"
                                   "\xEF\xBF\xBD\""));
  CHECK_THAT(text, Catch::Contains(R"("version:1" -> "episode:2" [kind="created_in")"));
}

TEST_CASE("a graph as JSON is one document, also without edges or nodes") {
  const std::string evil("a\"\\\n\x01\0\xFF", 7);
  const auto json = nlohmann::json::parse(written(GraphFormat::json, evil));
  CHECK(json["nodes"].size() == 2);
  CHECK(json["nodes"][0]["item"] == std::string("a\"\\\n\x01\0\xEF\xBF\xBD", 9));
  CHECK(json["nodes"][0]["made"] == true);
  CHECK(json["edges"][0]["from"] == "version:1");
  std::ostringstream out;
  report::graph_writer(GraphFormat::json, out)->finish();
  const auto empty = nlohmann::json::parse(out.str());
  CHECK(empty["nodes"].empty());
  CHECK(empty["edges"].empty());
}

TEST_CASE("every attribute that the graph uses is declared once") {
  for (const auto* list : {&graph::node_attributes(), &graph::edge_attributes()}) {
    std::set<std::string_view> keys;
    for (const graph::AttributeInfo& info : *list) CHECK(keys.insert(info.key).second);
  }
}
