#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "chat/price_files.h"
#include "chat/prices.h"
#include "model/error.h"
#include "support/data.h"
#include "support/json_schema.h"
#include "support/temporary_folder.h"

namespace memuse::chat {
namespace {

using nlohmann::json;
using test::TemporaryFolder;

bool schema_accepts(const json& value) {
  static const test::JsonSchema schema = test::JsonSchema::of_project("prices-1");
  return schema.accepts(value);
}

std::optional<PriceTable> load(const json& value) {
  const TemporaryFolder folder;
  try {
    return PriceTable::load(folder.write("prices.json", value.dump()));
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::usage);
    CHECK(std::string(error.what()).find("prices.json") != std::string::npos);
    return std::nullopt;
  }
}

json example() {
  return {{"date", "2026-01-02"},
          {"currency", "USD"},
          {"per_tokens", 1'000'000},
          {"models",
           {{{"model", "wren"}, {"input", 1.0}, {"output", 4.0}},
            {{"model", "wren-large"}, {"input", 2.0}, {"cached_input", 0.5}, {"cache_write", 2.5}, {"output", 8}},
            {{"model", "wren-large-2026-01-31"}, {"input", 9.0}, {"output", 9.0}},
            {{"model", "aviary/wren"}, {"input", 7.0}, {"output", 7.0}}}}};
}

std::string found(const PriceTable& table, std::string_view model) {
  const auto price = table.find(model);
  return price ? price->model : "-";
}

}  // namespace

TEST_CASE("prices: the shipped table is what its schema says, and dated") {
  for (const EmbeddedFile& file : price_files()) {
    INFO(file.name);
    CHECK(schema_accepts(json::parse(file.text)));
  }
  const PriceTable table = PriceTable::shipped();
  CHECK(table.date() == "2025-06-30");
  CHECK(table.prices().size() >= 8);
  for (const Price& price : table.prices()) {
    INFO(price.model);
    CHECK(price.input > 0.0);
    CHECK(price.output > price.input);
    CHECK(price.cached_input.value_or(0.0) < price.input);
    CHECK(price.cache_write.value_or(price.input) >= price.input);
  }
  REQUIRE(table.find("gpt-4o"));
  CHECK(table.find("gpt-4o")->output == 10.0);
}

TEST_CASE("prices: a model is found by its name, without provider and date, and by nothing else") {
  const PriceTable table = *load(example());
  CHECK(found(table, "wren") == "wren");
  CHECK(found(table, "wren-2025-11-30") == "wren");
  CHECK(found(table, "wren-20251130") == "wren");
  CHECK(found(table, "wren@20251130") == "wren");
  CHECK(found(table, "other/wren") == "wren");
  CHECK(found(table, "router/aviary/wren-20251130") == "aviary/wren");
  CHECK(found(table, "aviary/wren") == "aviary/wren");
  CHECK(found(table, "wren-large-2026-01-31") == "wren-large-2026-01-31");
  CHECK(found(table, "x/wren-large-2026-01-31") == "wren-large-2026-01-31");
  CHECK(found(table, "wren-large-2026-02-01") == "wren-large");
  for (const char* unknown : {"", "wre", "wrens", "wren-small", "wren-1", "wren-2025", "WREN", "wren:free", "wren/",
                              "/", "-2025-11-30", "@", "wren-2025-11-3x", "-20251130"}) {
    INFO(unknown);
    CHECK(found(table, unknown) == "-");
  }
}

TEST_CASE("prices: what a call cost") {
  const PriceTable table = *load(example());
  const auto large = table.find("wren-large");
  // 1000 fresh at 2, 500 cached at 0.5, 200 written at 2.5, 300 out at 8, in millionths.
  CHECK(*call_cost({1'700U, 500U, 200U, 300U, std::nullopt}, large) == Approx((2'000 + 250 + 500 + 2'400) / 1e6));
  // Without prices of their own, cached and written tokens cost what input costs.
  CHECK(*call_cost({1'700U, 500U, 200U, 0U, std::nullopt}, table.find("wren")) == Approx(1'700 / 1e6));
  CHECK(*call_cost({10U, std::nullopt, std::nullopt, 10U, 0.125}, large) == 0.125);
  CHECK(*call_cost({std::nullopt, std::nullopt, std::nullopt, std::nullopt, 0.125}, std::nullopt) == 0.125);
  CHECK_FALSE(call_cost({10U, std::nullopt, std::nullopt, 10U, std::nullopt}, std::nullopt));
  CHECK_FALSE(call_cost({10U, std::nullopt, std::nullopt, std::nullopt, std::nullopt}, large));
  CHECK_FALSE(call_cost({std::nullopt, std::nullopt, std::nullopt, 10U, std::nullopt}, large));
  // An endpoint that counts more cached tokens than tokens does not make the cost negative.
  CHECK(*call_cost({100U, 500U, 500U, 0U, std::nullopt}, large) == Approx(50 / 1e6));
}

TEST_CASE("prices: schema and program refuse the same tables") {
  REQUIRE(load(example()));
  REQUIRE(schema_accepts(example()));
  const std::vector<std::pair<std::string, json>> changes{{"/date", "today"},
                                                          {"/date", 20260102},
                                                          {"/currency", "EUR"},
                                                          {"/per_tokens", 1'000},
                                                          {"/models", "none"},
                                                          {"/models/0", 5},
                                                          {"/models/0/model", ""},
                                                          {"/models/0/input", -1},
                                                          {"/models/0/input", "1.0"},
                                                          {"/models/0/output", nullptr},
                                                          {"/models/0/colour", 1},
                                                          {"/colour", "red"},
                                                          {"/note", 5},
                                                          {"/models/1/cached_input", -0.5}};
  for (const auto& [pointer, value] : changes) {
    INFO(pointer << " = " << value.dump());
    json changed = example();
    changed[json::json_pointer(pointer)] = value;
    CHECK_FALSE(schema_accepts(changed));
    CHECK_FALSE(load(changed));
  }
  for (const char* field : {"/model", "/input", "/output"}) {
    INFO(field);
    json changed = example();
    changed["models"][0].erase(field + 1);
    CHECK_FALSE(schema_accepts(changed));
    CHECK_FALSE(load(changed));
  }
}

TEST_CASE("prices: no table at all is a usage error that names the file") {
  const TemporaryFolder folder;
  for (const std::string& path :
       {folder / "missing.json", folder.path().string(), folder.write("text.json", "prices"),
        folder.write("deep.json", std::string(100'000, '[')), folder.write("empty.json", "")}) {
    INFO(path);
    CHECK_THROWS_AS(PriceTable::load(path), Error);
  }
  json twice = example();
  twice["models"].push_back(twice["models"][0]);
  CHECK_FALSE(load(twice));
}

}  // namespace memuse::chat
