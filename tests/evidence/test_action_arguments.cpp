#include "evidence/action_arguments.h"

#include <catch2/catch.hpp>
#include <string>

using namespace memuse::evidence;

namespace {

std::string listed(std::string_view json) {
  const auto arguments = action_arguments(json);
  if (!arguments) return "none";
  std::string list;
  for (const Argument& argument : *arguments) {
    list += argument.path + (argument.is_text ? "=" : ":") + argument.value + ";";
  }
  return list;
}

}  // namespace

TEST_CASE("arguments are listed value by value, strings decoded") {
  CHECK(listed(R"({"command":"ls \"a\"\nb","timeout":30,"deep":{"x":[1.50,null,"é"],"y":{}},"list":[],"on":true})") ==
        "command=ls \"a\"\nb;timeout:30;deep/x/0:1.50;deep/x/1:null;deep/x/2=é;deep/y:{};list:[];on:true;");
  CHECK(listed(R"(["a",["b","c"],"d"])") == "0=a;1/0=b;1/1=c;2=d;");
  CHECK(listed(R"([[],[],"d"])") == "0:[];1:[];2=d;");
  CHECK(listed(R"({"a/b~c":1})") == "a~1b~0c:1;");
  CHECK(listed("{}") == ":{};");
  CHECK(listed("-7") == ":-7;");
  CHECK(listed("12345678901234567890") == ":12345678901234567890;");
}

TEST_CASE("JSON inside a JSON string is unwrapped once") {
  CHECK(listed(R"("{\"command\":\"ls\"}")") == "command=ls;");
  CHECK(listed(R"("plain words")") == "=plain words;");
  CHECK(listed(R"("{not json")") == "={not json;");
  CHECK(listed(R"({"a":"{\"b\":1}"})") == "a={\"b\":1};");
}

TEST_CASE("what cannot be listed stays as recorded") {
  CHECK(listed("ls -l") == "none");
  CHECK(listed(R"({"a":"\xff"})") == "none");
  CHECK(listed("{\"a\":\"\xFF\"}") == "none");
  CHECK(listed(std::string(100'000, '[')) == "none");
  CHECK(listed(std::string(40, '[') + std::string(40, ']')) == "none");
  // A long key above many values would make a list that is far longer than the JSON.
  std::string wide = "{\"" + std::string(10'000, 'k') + "\":[";
  for (int i = 0; i < 1000; ++i) wide += "1,";
  CHECK(listed(wide + "1]}") == "none");
}
