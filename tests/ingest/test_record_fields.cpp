#include "ingest/record_fields.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "ingest/json.h"

namespace memuse::ingest {
namespace {

/// A record, and what was counted as unknown in it.
struct OneRecord {
  explicit OneRecord(const std::string& text) : size(text.size()), bytes(text + std::string(64, '#')) {
    root = parser.parse(std::string_view(bytes).substr(0, size), bytes.size(), arena, fault);
    REQUIRE(root != nullptr);
    log.begin_record(1, 0, size);
  }

  std::vector<std::string> unknown_after(const std::vector<std::string>& asked) {
    RecordFields fields(*root, "step", {1, 0}, log);
    for (const std::string& name : asked) fields.any(name);
    fields.count_unknown();
    std::vector<std::string> details;
    for (const Diagnostic& diagnostic : log.take()) details.push_back(diagnostic.detail);
    return details;
  }

  std::size_t size;
  std::string bytes;
  Arena arena;
  JsonParser parser;
  JsonFault fault;
  DiagnosticLog log{"file"};
  const JsonValue* root = nullptr;
};

std::string wide_record(int fields) {
  std::string text = "{";
  for (int i = 0; i < fields; ++i) text += (i == 0 ? "\"f" : ",\"f") + std::to_string(i) + "\":" + std::to_string(i);
  return text + "}";
}

TEST_CASE("fields that nobody asked for are counted, wherever they stand in a wide record") {
  OneRecord record(wide_record(200));
  std::vector<std::string> asked;
  for (int i = 0; i < 200; ++i) {
    if (i != 3 && i != 63 && i != 64 && i != 199) asked.push_back("f" + std::to_string(i));
  }
  const std::vector<std::string> unknown = record.unknown_after(asked);
  REQUIRE(unknown.size() == 4);
  // Those of one place are in the order of their texts.
  CHECK(unknown[0].find("f199") != std::string::npos);
  CHECK(unknown[1].find("f3") != std::string::npos);
  CHECK(unknown[2].find("f63") != std::string::npos);
  CHECK(unknown[3].find("f64") != std::string::npos);
}

TEST_CASE("a key that stands twice is known when it was asked for") {
  CHECK(OneRecord(R"({"a":1,"b":2,"a":3})").unknown_after({"a", "b"}).empty());
  CHECK(OneRecord(R"({"a":1,"b":2,"a":3})").unknown_after({"b"}).size() == 1);
  std::string twice = wide_record(100);
  twice.replace(twice.size() - 1, 1, ",\"f2\":0,\"f80\":0}");
  std::vector<std::string> asked;
  for (int i = 0; i < 100; ++i) asked.push_back("f" + std::to_string(i));
  CHECK(OneRecord(twice).unknown_after(asked).empty());
}

TEST_CASE("a field that is null or missing is absent, and known") {
  OneRecord record(R"({"a":null})");
  RecordFields fields(*record.root, "step", {1, 0}, record.log);
  CHECK(fields.any("a") == nullptr);
  CHECK(fields.any("b") == nullptr);
  fields.count_unknown();
  CHECK(record.log.take().empty());
  CHECK(fields.complete());
}

TEST_CASE("the name of a record may be put together") {
  OneRecord record(R"({"a":"x"})");
  RecordFields fields(*record.root, std::string("step.") + "usage", {1, 0}, record.log);
  CHECK(fields.name() == "step.usage");
  CHECK(fields.whole("a") == std::nullopt);
  CHECK(record.log.take().at(0).detail.find("step.usage") != std::string::npos);
}

}  // namespace
}  // namespace memuse::ingest
