#include "ingest/merit_python_repr.h"

#include <catch2/catch.hpp>
#include <string>

#include "ingest/line_reader.h"

namespace memuse::ingest {
namespace {

std::string repr(const std::string& json) {
  std::string padded = json;
  padded.append(LineReader::kPadding, '\0');
  JsonParser parser;
  Arena arena;
  JsonFault fault;
  const JsonValue* root =
      parser.parse(std::string_view(padded).substr(0, json.size()), padded.size(), arena, fault, JsonRoot::container);
  REQUIRE(root != nullptr);
  return python_repr(*root);
}

TEST_CASE("containers and constants are printed as Python prints them") {
  CHECK(repr("{}") == "{}");
  CHECK(repr("[]") == "[]");
  CHECK(repr(R"({"a":null,"b":true,"c":false})") == "{'a': None, 'b': True, 'c': False}");
  CHECK(repr(R"({"list":[1,[2,{"k":"v"}],[]],"empty":{}})") == "{'list': [1, [2, {'k': 'v'}], []], 'empty': {}}");
}

TEST_CASE("strings take the quotes and escapes that Python takes") {
  CHECK(repr(R"(["plain"])") == "['plain']");
  CHECK(repr(R"(["it's"])") == R"(["it's"])");
  CHECK(repr(R"(["say \"so\""])") == R"(['say "so"'])");
  CHECK(repr(R"(["it's \"so\""])") == R"(['it\'s "so"'])");
  CHECK(repr(R"(["a\\b"])") == R"(['a\\b'])");
  CHECK(repr(R"(["l\nr\rt\tn"])") == R"(['l\nr\rt\tn'])");
  CHECK(repr(R"({"it's":1})") == R"({"it's": 1})");
}

TEST_CASE("printable letters stay, other characters are escaped by their size") {
  CHECK(repr("[\"\\u00e9 \\u2014 \\u4e2d \\ud83d\\ude00\"]") == "['\u00e9 \u2014 \u4e2d \U0001F600']");
  CHECK(repr(R"(["\u0000\u001b\u007f\u0085\u00a0\u00ad"])") == R"(['\x00\x1b\x7f\x85\xa0\xad'])");
  CHECK(repr(R"(["\u200b\u2028\u3000\ue000\ufeff"])") == R"(['\u200b\u2028\u3000\ue000\ufeff'])");
  CHECK(repr(R"(["\udb40\udc01"])") == R"(['\U000e0001'])");
}

TEST_CASE("numbers: integers of any size as written, floats by their shortest digits") {
  CHECK(repr("[0,-0,-17,123456789012345678901234567890]") == "[0, 0, -17, 123456789012345678901234567890]");
  CHECK(repr("[1.0,-0.0,0.1,2.50,1e3,1E-5,0.0001]") == "[1.0, -0.0, 0.1, 2.5, 1000.0, 1e-05, 0.0001]");
  CHECK(repr("[1e16,1e22,9999999999999998.0,123456789012345678.0,1.5e300]") ==
        "[1e+16, 1e+22, 9999999999999998.0, 1.2345678901234568e+17, 1.5e+300]");
}

}  // namespace
}  // namespace memuse::ingest
