#include "report/graph_writers.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <ostream>
#include <type_traits>

#include "model/text.h"

namespace memuse::report {
namespace {

using graph::Attributes;
using graph::AttributeType;
using graph::AttributeValue;
using graph::Edge;
using graph::Node;

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// Calls `use` with every character of `text` (one code point each), or with U+FFFD for bytes that are not UTF-8.
template <typename Use>
void for_each_character(std::string_view text, const Use& use) {
  while (!text.empty()) {
    const std::size_t valid = valid_utf8_prefix(text);
    for (std::size_t at = 0; at < valid;) {
      std::size_t length = 1;
      while (at + length < valid && (static_cast<unsigned char>(text[at + length]) & 0xC0U) == 0x80U) ++length;
      use(text.substr(at, length));
      at += length;
    }
    text.remove_prefix(valid);
    if (text.empty()) return;
    use(kReplacement);
    text.remove_prefix(1);
  }
}

bool is_control(std::string_view character) {
  return character.size() == 1 && (static_cast<unsigned char>(character[0]) < 0x20U || character[0] == '\x7F');
}

std::string xml_escaped(std::string_view text) {
  std::string out;
  for_each_character(text, [&out](std::string_view character) {
    if (character == "&") {
      out += "&amp;";
    } else if (character == "<") {
      out += "&lt;";
    } else if (character == ">") {
      out += "&gt;";
    } else if (character == "\"") {
      out += "&quot;";
    } else if (character == "\n" || character == "\r" || character == "\t") {
      // As they stand, a parser may change them.
      out += fmt::format("&#{};", static_cast<int>(character[0]));
    } else if (is_control(character) || character == "\xEF\xBF\xBE" || character == "\xEF\xBF\xBF") {
      out += kReplacement;
    } else {
      out += character;
    }
  });
  return out;
}

/// A DOT string in quotes. The backslash is doubled: graphviz gives `\N` and others a meaning in labels.
std::string dot_quoted(std::string_view text) {
  std::string out = "\"";
  for_each_character(text, [&out](std::string_view character) {
    if (character == "\"") {
      out += "\\\"";
    } else if (character == "\\") {
      out += "\\\\";
    } else if (character == "\n") {
      out += "\\n";
    } else if (character == "\t") {
      out += ' ';
    } else if (is_control(character)) {
      out += kReplacement;
    } else {
      out += character;
    }
  });
  return out += '"';
}

std::string value_text(const AttributeValue& value) {
  return std::visit(
      [](const auto& held) -> std::string {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::string>) {
          return held;
        } else {
          return fmt::format("{}", held);
        }
      },
      value);
}

class GraphmlWriter final : public GraphWriter {
 public:
  explicit GraphmlWriter(std::ostream& out) : out_(out) {
    out_ << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\""
            " xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\""
            " xsi:schemaLocation=\"http://graphml.graphdrawing.org/xmlns"
            " http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd\">\n";
    key("n_", "node", {"kind", AttributeType::text});
    key("n_", "node", {"label", AttributeType::text});
    for (const graph::AttributeInfo& info : graph::node_attributes()) key("n_", "node", info);
    key("e_", "edge", {"kind", AttributeType::text});
    for (const graph::AttributeInfo& info : graph::edge_attributes()) key("e_", "edge", info);
    out_ << "  <graph id=\"lineage\" edgedefault=\"directed\">\n";
  }

  void node(const Node& node) override {
    out_ << fmt::format("    <node id=\"{}\">", xml_escaped(node.id)) << data("n_", "kind", name(node.kind))
         << data("n_", "label", node.label);
    attributes("n_", node.attributes);
    out_ << "</node>\n";
  }

  void edge(const Edge& edge) override {
    out_ << fmt::format("    <edge source=\"{}\" target=\"{}\">", xml_escaped(edge.from), xml_escaped(edge.to))
         << data("e_", "kind", name(edge.kind));
    attributes("e_", edge.attributes);
    out_ << "</edge>\n";
  }

  void finish() override { out_ << "  </graph>\n</graphml>\n"; }

 private:
  void key(std::string_view prefix, std::string_view domain, const graph::AttributeInfo& info) {
    static constexpr std::string_view kTypes[] = {"string", "long", "double", "boolean"};
    out_ << fmt::format("  <key id=\"{0}{1}\" for=\"{2}\" attr.name=\"{1}\" attr.type=\"{3}\"/>\n", prefix, info.key,
                        domain, kTypes[static_cast<std::size_t>(info.type)]);
  }

  static std::string data(std::string_view prefix, std::string_view key, std::string_view value) {
    return fmt::format("<data key=\"{}{}\">{}</data>", prefix, key, xml_escaped(value));
  }

  void attributes(std::string_view prefix, const Attributes& attributes) {
    for (const auto& [key, value] : attributes) out_ << data(prefix, key, value_text(value));
  }

  std::ostream& out_;
};

class DotWriter final : public GraphWriter {
 public:
  explicit DotWriter(std::ostream& out) : out_(out) {
    out_ << "digraph lineage {\n  rankdir=LR;\n  node [shape=box];\n";
  }

  void node(const Node& node) override {
    out_ << "  " << dot_quoted(node.id) << " [kind=" << dot_quoted(name(node.kind))
         << ", label=" << dot_quoted(fmt::format("{}\n{}", name(node.kind), node.label))
         << ", shape=" << shape(node.kind);
    attributes(node.attributes);
    out_ << "];\n";
  }

  void edge(const Edge& edge) override {
    out_ << "  " << dot_quoted(edge.from) << " -> " << dot_quoted(edge.to) << " [kind=" << dot_quoted(name(edge.kind))
         << ", label=" << dot_quoted(name(edge.kind));
    attributes(edge.attributes);
    out_ << "];\n";
  }

  void finish() override { out_ << "}\n"; }

 private:
  static std::string_view shape(graph::NodeKind kind) {
    switch (kind) {
      case graph::NodeKind::episode:
        return "folder";
      case graph::NodeKind::item_version:
        return "note";
      case graph::NodeKind::operation:
      case graph::NodeKind::search:
        return "ellipse";
      default:
        return "box";
    }
  }

  /// With a prefix: graphviz gives a meaning of its own to names such as `style`.
  void attributes(const Attributes& attributes) {
    for (const auto& [key, value] : attributes) out_ << ", m_" << key << '=' << dot_quoted(value_text(value));
  }

  std::ostream& out_;
};

class JsonGraphWriter final : public GraphWriter {
 public:
  using Json = nlohmann::ordered_json;
  explicit JsonGraphWriter(std::ostream& out) : out_(out) {
    out_ << "{\n\"schema\": \"memuse-graph/1\",\n\"nodes\": [";
  }

  void node(const Node& node) override {
    Json json;
    json["id"] = node.id;
    json["kind"] = name(node.kind);
    json["label"] = node.label;
    write(std::move(json), node.attributes);
  }

  void edge(const Edge& edge) override {
    begin_edges();
    Json json;
    json["kind"] = name(edge.kind);
    json["from"] = edge.from;
    json["to"] = edge.to;
    write(std::move(json), edge.attributes);
  }

  void finish() override {
    begin_edges();
    out_ << "\n]\n}\n";
  }

 private:
  void begin_edges() {
    if (in_edges_) return;
    in_edges_ = true;
    first_ = true;
    out_ << "\n],\n\"edges\": [";
  }

  void write(Json json, const Attributes& attributes) {
    for (const auto& [key, value] : attributes) {
      std::visit([&json, &key = key](const auto& held) { json[std::string(key)] = held; }, value);
    }
    out_ << (first_ ? "\n" : ",\n") << json.dump(-1, ' ', false, Json::error_handler_t::replace);
    first_ = false;
  }

  std::ostream& out_;
  bool first_ = true;
  bool in_edges_ = false;
};

}  // namespace

std::optional<GraphFormat> parse_graph_format(std::string_view name) {
  if (name == "graphml") return GraphFormat::graphml;
  if (name == "dot") return GraphFormat::dot;
  if (name == "json") return GraphFormat::json;
  return std::nullopt;
}

std::unique_ptr<GraphWriter> graph_writer(GraphFormat format, std::ostream& out) {
  switch (format) {
    case GraphFormat::graphml:
      return std::make_unique<GraphmlWriter>(out);
    case GraphFormat::dot:
      return std::make_unique<DotWriter>(out);
    case GraphFormat::json:
      break;
  }
  return std::make_unique<JsonGraphWriter>(out);
}

}  // namespace memuse::report
