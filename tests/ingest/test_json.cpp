#include "ingest/json.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

namespace memuse::ingest {
namespace {

/// A parsed record with all that its views need.
struct Parsed {
  explicit Parsed(const std::string& text, JsonRoot wanted = JsonRoot::object)
      : size(text.size()), bytes(text + std::string(64, '#')) {
    root = parser.parse(std::string_view(bytes).substr(0, size), bytes.size(), arena, fault, wanted);
  }
  Parsed(const Parsed&) = delete;
  Parsed& operator=(const Parsed&) = delete;

  std::size_t size;
  std::string bytes;
  Arena arena;
  JsonParser parser;
  JsonFault fault;
  const JsonValue* root = nullptr;
};

/// The fault of a text that must not parse.
std::pair<Fault, std::size_t> json_fault_of(const std::string& text) {
  const Parsed parsed(text);
  INFO(text.substr(0, 100));
  REQUIRE(parsed.root == nullptr);
  return {parsed.fault.fault, parsed.fault.byte};
}

bool accepted(const std::string& text) {
  return Parsed(text).root != nullptr;
}

std::string string_field(const std::string& text) {
  const Parsed parsed(text);
  REQUIRE(parsed.root != nullptr);
  REQUIRE(parsed.root->first_child != nullptr);
  return std::string(parsed.root->first_child->as_string().value());
}

std::string nested(std::size_t levels) {
  std::string text = "{\"a\":";
  for (std::size_t i = 1; i < levels; ++i) text += '[';
  for (std::size_t i = 1; i < levels; ++i) text += ']';
  return levels == 1 ? "{}" : text + "}";
}

/// The tree as nlohmann has it; number texts are parsed by nlohmann.
nlohmann::json to_nlohmann(const JsonValue& value) {
  switch (value.kind) {
    case JsonKind::null:
      return nullptr;
    case JsonKind::boolean:
      return value.boolean;
    case JsonKind::number:
      return nlohmann::json::parse(value.text);
    case JsonKind::string:
      return std::string(value.text);
    case JsonKind::array: {
      auto array = nlohmann::json::array();
      for (const JsonValue& child : JsonChildren(value)) array.push_back(to_nlohmann(child));
      return array;
    }
    case JsonKind::object: {
      auto object = nlohmann::json::object();
      for (const JsonValue& child : JsonChildren(value)) object[std::string(child.key)] = to_nlohmann(child);
      return object;
    }
  }
  return {};
}

class RandomJson {
 public:
  explicit RandomJson(std::uint32_t seed) : random_(seed) {}

  nlohmann::json object(int depth) {
    auto all = nlohmann::json::object();
    for (std::size_t i = random_() % 5; i > 0; --i) all[text()] = value(depth - 1);
    return all;
  }

  std::mt19937& random() { return random_; }

 private:
  nlohmann::json value(int depth) {
    switch (random_() % (depth > 0 ? 8 : 6)) {
      case 0:
        return nullptr;
      case 1:
        return random_() % 2 == 0;
      case 2:
        return static_cast<std::int64_t>(random_()) - 2'000'000'000;
      case 3:
        return std::uint64_t{18'446'744'073'709'551'615ULL} - random_() % 3;
      case 4:
        return std::ldexp(static_cast<double>(random_()), static_cast<int>(random_() % 600) - 300);
      case 5:
        return text();
      case 6:
        return object(depth);
      default: {
        auto all = nlohmann::json::array();
        for (std::size_t i = random_() % 5; i > 0; --i) all.push_back(value(depth - 1));
        return all;
      }
    }
  }

  std::string text() {
    static const std::vector<std::string> pieces{"a",
                                                 "\"",
                                                 "\\",
                                                 "/",
                                                 "\n",
                                                 "\t",
                                                 "\x01",
                                                 std::string(1, '\0'),
                                                 "é",
                                                 "𝒜",
                                                 "\xE2\x80\xA8",
                                                 "u00e9",
                                                 "longer piece of text with many letters in it"};
    std::string all;
    for (std::size_t i = random_() % 6; i > 0; --i) all += pieces[random_() % pieces.size()];
    return all;
  }

  std::mt19937 random_;
};

TEST_CASE("what is no JSON is refused, with its place") {
  using Found = std::pair<Fault, std::size_t>;
  for (const char* text : {R"({"t":NaN})",
                           R"({"t":1,,})",
                           R"({"t":1,})",
                           R"({"t":[1,]})",
                           R"({"t":[1 2]})",
                           R"({"t" 1})",
                           R"({"t":})",
                           R"({t:1})",
                           R"({'t':1})",
                           R"({"t":01})",
                           R"({"t":-01})",
                           R"({"t":1.})",
                           R"({"t":.5})",
                           R"({"t":+1})",
                           R"({"t":1e})",
                           R"({"t":1e+})",
                           R"({"t":-})",
                           R"({"t":0x10})",
                           R"({"t":Infinity})",
                           R"({"t":1e400})",
                           R"({"t":-1e999})",
                           R"({"t":nul})",
                           R"({"t":nullx})",
                           R"({"t":truex})",
                           R"({"t":fals})",
                           R"({"t":tru})",
                           R"({"t":"\q"})",
                           R"({"t":"\u12"})",
                           R"({"t":"\u12g4"})",
                           R"({"t":"a)",
                           R"({"t":1)",
                           R"({"t":[1})",
                           R"({"t":{]})",
                           R"({"\q":1})",
                           R"({"t":"a"b})",
                           R"({"t":1}})",
                           "{",
                           "{\"t\":\"a\tb\"}",
                           "{\"t\":\"a\nb\"}",
                           "{\"t\":1 /* c */}",
                           "{\"t\":\"\x01\"}",
                           "{\"t\":12a}",
                           "{\"t\":1\x01}"}) {
    INFO(text);
    CHECK_FALSE(accepted(text));
  }
  CHECK(accepted(std::string("{\"t\":1") + std::string(1, '\0') + "}") == false);
  CHECK(json_fault_of(R"({"a":1,"t":01})") == Found{Fault::invalid_json, 11});
  CHECK(json_fault_of(R"({"a":1,"t":"x\q"})") == Found{Fault::invalid_json, 12});
  CHECK(json_fault_of(R"({"a":1} {"b":2})") == Found{Fault::trailing_content, 8});
  CHECK_FALSE(accepted(R"({"a":1} x)"));
  CHECK(json_fault_of("{\"a\":\"\xFF\"}") == Found{Fault::invalid_utf8, 6});
  CHECK(json_fault_of("{\"a\":\"caf\xC3\"}").first == Fault::invalid_utf8);
  CHECK(json_fault_of("{\"a\":\"\xED\xA0\x80\"}").first == Fault::invalid_utf8);
  CHECK(json_fault_of("{\"a\":\"\xC0\xAF\"}").first == Fault::invalid_utf8);
  CHECK(json_fault_of("[1]") == Found{Fault::not_an_object, 0});
  CHECK(json_fault_of("7").first == Fault::not_an_object);
  CHECK(json_fault_of("\"a\"").first == Fault::not_an_object);
  CHECK(json_fault_of("null").first == Fault::not_an_object);
}

TEST_CASE("a fault's place does not depend on the record before") {
  const std::string good = R"({"a":[1,2,3,4,5,6,7,8,9,10],"b":"cccccccccccccccccccccccccccc"})" + std::string(64, ' ');
  const std::string bad = R"({"a":"never closed)";
  std::string bytes = good;
  Arena arena;
  JsonParser parser;
  JsonFault fault;
  REQUIRE(parser.parse(std::string_view(bytes).substr(0, good.size() - 64), bytes.size(), arena, fault) != nullptr);
  bytes.replace(0, bad.size(), bad);
  REQUIRE(parser.parse(std::string_view(bytes).substr(0, bad.size()), bytes.size(), arena, fault) == nullptr);
  CHECK(fault.fault == Fault::invalid_json);
  CHECK(fault.byte == 0);
}

TEST_CASE("nesting is bounded") {
  CHECK(accepted(nested(1)));
  CHECK(accepted(nested(64)));
  CHECK(json_fault_of(nested(65)).first == Fault::nesting_too_deep);
  CHECK(json_fault_of(nested(65)).second == 5 + 63);
  CHECK(json_fault_of(nested(100)).first == Fault::nesting_too_deep);
  CHECK(json_fault_of(nested(100'000)).first == Fault::nesting_too_deep);
  CHECK_FALSE(accepted("{\"a\":" + std::string(100'000, '[')));
}

TEST_CASE("escapes are decoded") {
  CHECK(string_field(R"({"t":"\"\\\/\b\f\n\r\t"})") == "\"\\/\b\f\n\r\t");
  CHECK(string_field(R"({"t":"\u00e9\u20AC"})") == "é€");
  CHECK(string_field(R"({"t":"\ud835\udc9c"})") == "𝒜");
  CHECK(string_field(R"({"t":"a\u0000b"})") == std::string("a\0b", 3));
  CHECK(string_field(R"({"t":""})").empty());
  const Parsed parsed(R"({"k\u0065\n\"":1,"\ud835\udc9c":2})");
  REQUIRE(parsed.root != nullptr);
  REQUIRE(parsed.root->field("ke\n\"") != nullptr);
  CHECK(parsed.root->field("𝒜")->as_unsigned() == 2U);
}

TEST_CASE("lone surrogates become U+FFFD and are counted") {
  const std::string replaced = "\xEF\xBF\xBD";
  for (const auto& [text, expected] : std::vector<std::pair<std::string, std::string>>{
           {R"({"t":"\ud800"})", replaced},
           {R"({"t":"\udc00"})", replaced},
           {R"({"t":"a\uDBFFb"})", "a" + replaced + "b"},
           {R"({"t":"\ud800\u0041"})", replaced + "A"},
           {R"({"t":"\ud800\ud800\udc00"})", replaced + "\xF0\x90\x80\x80"},
           {R"({"t":"\udc00\ud800"})", replaced + replaced},
           {R"({"t":"\ud800\n"})", replaced + "\n"},
           {R"({"t":"\ud800\\udc00"})", replaced + "\\udc00"},
       }) {
    INFO(text);
    const Parsed parsed(text);
    REQUIRE(parsed.root != nullptr);
    CHECK(parsed.root->first_child->text == expected);
    CHECK(parsed.parser.repairs().strings == 1);
  }
  const Parsed key(R"({"\ud800":1,"b":"\ud835\udc9c","c":"\\ud800"})");
  REQUIRE(key.root != nullptr);
  CHECK(key.root->first_child->key == replaced);
  CHECK(key.parser.repairs().strings == 1);
  CHECK_FALSE(accepted(R"({"t":"\ud800\q"})"));
}

TEST_CASE("numbers keep their digits") {
  const Parsed parsed(
      R"({"a":12345678901234567890123456789,"b":1.50,"c":-0,"d":18446744073709551615,"e":3.0,"f":3e0,"g":-1,"h":1.5,"i":1e-400,"j":0.1 })");
  REQUIRE(parsed.root != nullptr);
  const auto field = [&](const char* name) -> const JsonValue& { return *parsed.root->field(name); };
  CHECK(field("a").text == "12345678901234567890123456789");
  CHECK(field("a").as_unsigned() == std::nullopt);
  CHECK(field("a").as_double() == 12345678901234567890123456789.0);
  CHECK(field("b").text == "1.50");
  CHECK(field("c").as_double() == 0.0);
  CHECK(field("d").as_unsigned() == 18446744073709551615ULL);
  CHECK(field("e").as_unsigned() == 3U);
  CHECK(field("f").as_unsigned() == 3U);
  CHECK(field("g").as_unsigned() == std::nullopt);
  CHECK(field("h").as_unsigned() == std::nullopt);
  CHECK(field("i").text == "1e-400");
  CHECK(field("j").text == "0.1");
  CHECK(field("j").as_double() == 0.1);
}

TEST_CASE("numbers of many digits are read while a double can hold them") {
  const std::string most(308, '9');
  const std::string too_many(400, '9');
  CHECK(accepted(R"({"a":)" + most + "}"));
  CHECK(accepted(R"({"a":0.)" + too_many + "}"));
  CHECK(json_fault_of(R"({"a":)" + too_many + "}") == json_fault_of(R"({"a":1e400})"));
}

TEST_CASE("values of the wrong kind are not converted") {
  const Parsed parsed(R"({"s":"1","n":1,"b":true,"z":null,"a":[1],"o":{"x":1}})");
  REQUIRE(parsed.root != nullptr);
  CHECK(parsed.root->field("s")->as_unsigned() == std::nullopt);
  CHECK(parsed.root->field("s")->as_double() == std::nullopt);
  CHECK(parsed.root->field("n")->as_string() == std::nullopt);
  CHECK(parsed.root->field("n")->as_bool() == std::nullopt);
  CHECK(parsed.root->field("b")->as_bool() == true);
  CHECK(parsed.root->field("z")->is_null());
  CHECK(parsed.root->field("a")->field("x") == nullptr);
  CHECK(parsed.root->field("o")->field("x")->as_unsigned() == 1U);
  CHECK(parsed.root->field("missing") == nullptr);
}

TEST_CASE("duplicate keys are noted, the first value is the field's") {
  const Parsed parsed(R"({"a":1,"b":{"x":1,"x":2},"a":3,"\u0061":4})");
  REQUIRE(parsed.root != nullptr);
  CHECK(parsed.root->field("a")->as_unsigned() == 1U);
  CHECK(parsed.parser.repairs().duplicate_keys == std::vector<std::string_view>{"x", "a", "a"});
  std::string many = "{";
  for (int i = 0; i < 100'000; ++i) many += "\"k" + std::to_string(i) + "\":0,";
  const Parsed wide(many + "\"k77\":1}");
  REQUIRE(wide.root != nullptr);
  CHECK(wide.parser.repairs().duplicate_keys == std::vector<std::string_view>{"k77"});
}

TEST_CASE("keys with escapes and keys that look alike are told apart") {
  const Parsed parsed(R"({"a\"b":1,"\u0061":2,"":3,"a\\":4,"é":5,"aXb":6,"aYb":7})");
  REQUIRE(parsed.root != nullptr);
  CHECK(parsed.parser.repairs().duplicate_keys.empty());
  CHECK(parsed.root->field("a\"b")->as_unsigned() == 1U);
  CHECK(parsed.root->field("a")->as_unsigned() == 2U);
  CHECK(parsed.root->field("")->as_unsigned() == 3U);
  CHECK(parsed.root->field("a\\")->as_unsigned() == 4U);
  CHECK(parsed.root->field("é")->as_unsigned() == 5U);
  CHECK(parsed.root->field("aXb")->as_unsigned() == 6U);
  CHECK(parsed.root->field("aYb")->as_unsigned() == 7U);
  CHECK(Parsed(R"({"":1,"":2})").parser.repairs().duplicate_keys == std::vector<std::string_view>{""});
}

TEST_CASE("containers keep their raw text and every value its place") {
  const Parsed parsed(R"( {"a" : {"x": [1 , "é"] } , "b":[ ] ,"c":[[2],{}], "d": true} )");
  REQUIRE(parsed.root != nullptr);
  CHECK(parsed.root->field("a")->text == R"({"x": [1 , "é"] })");
  CHECK(parsed.root->field("a")->field("x")->text == R"([1 , "é"])");
  CHECK(parsed.root->field("b")->text == "[ ]");
  CHECK(parsed.root->field("c")->text == "[[2],{}]");
  CHECK(parsed.root->field("a")->byte == 8);
  CHECK(parsed.root->field("d")->byte == parsed.bytes.find("true"));
}

TEST_CASE("an array may be a root when it is wanted") {
  const Parsed parsed(R"([1,{"a":[]}])", JsonRoot::container);
  REQUIRE(parsed.root != nullptr);
  CHECK(parsed.root->children == 2);
  CHECK(Parsed("{}", JsonRoot::container).root != nullptr);
  CHECK(Parsed("[1] []", JsonRoot::container).fault.fault == Fault::trailing_content);
  CHECK(Parsed("1", JsonRoot::container).fault.fault == Fault::not_an_object);
  CHECK(Parsed("[1,]", JsonRoot::container).fault.fault == Fault::invalid_json);
}

TEST_CASE("a parser's limit is exact") {
  Arena arena;
  JsonParser parser(100);
  JsonFault fault;
  const auto parse = [&](std::size_t size) {
    std::string text = "{\"a\":\"" + std::string(size - 8, 'x') + "\"}";
    REQUIRE(text.size() == size);
    const std::string bytes = text + std::string(64, ' ');
    return parser.parse(std::string_view(bytes).substr(0, size), bytes.size(), arena, fault) != nullptr;
  };
  CHECK(parse(100));
  CHECK_FALSE(parse(101));
  CHECK(fault.fault == Fault::line_too_long);
  CHECK(parse(20));
}

TEST_CASE("trees of random documents are nlohmann's") {
  RandomJson random(3);
  for (int round = 0; round < 3000; ++round) {
    const nlohmann::json document = random.object(6);
    for (const std::string& text : {document.dump(), document.dump(2), document.dump(-1, ' ', true)}) {
      INFO(text);
      const Parsed parsed(text);
      REQUIRE(parsed.root != nullptr);
      REQUIRE(to_nlohmann(*parsed.root) == document);
      REQUIRE(nlohmann::json::parse(to_json(*parsed.root)) == document);
    }
  }
}

TEST_CASE("damaged documents are accepted exactly when nlohmann accepts them") {
  RandomJson random(5);
  const std::string alphabet = "{}[],:\"\\0123456789eE+-.truefalsn \t/\x01\xC3\xA9u";
  std::size_t refused = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text = random.object(4).dump();
    for (std::size_t i = 1 + random.random()() % 2; i > 0; --i) {
      const std::size_t at = random.random()() % text.size();
      const char letter = alphabet[random.random()() % alphabet.size()];
      switch (random.random()() % 3) {
        case 0:
          text[at] = letter;
          break;
        case 1:
          text.insert(at, 1, letter);
          break;
        default:
          if (text.size() > 1) text.erase(at, 1);
      }
    }
    const bool expected = text.find_first_not_of(" \t") != std::string::npos &&
                          text[text.find_first_not_of(" \t")] == '{' && nlohmann::json::accept(text);
    refused += expected ? 0 : 1;
    INFO(text);
    REQUIRE(accepted(text) == expected);
  }
  CHECK(refused > 5000);
}

}  // namespace
}  // namespace memuse::ingest
