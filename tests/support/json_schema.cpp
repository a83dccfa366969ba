#include "support/json_schema.h"

#include <fstream>
#include <iterator>
#include <utility>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

namespace memuse::test {

using valijson::adapters::NlohmannJsonAdapter;

struct JsonSchema::Parts {
  nlohmann::json document;
  valijson::Schema schema;
};

JsonSchema::JsonSchema(nlohmann::json schema) : parts_(std::make_unique<Parts>()) {
  parts_->document = std::move(schema);
  valijson::SchemaParser(valijson::SchemaParser::kDraft7)
      .populateSchema(NlohmannJsonAdapter(parts_->document), parts_->schema);
}

JsonSchema JsonSchema::of_project(const std::string& name) {
  std::ifstream in(std::string(MEMUSE_SOURCE_DIR) + "/schemas/" + name + ".schema.json", std::ios::binary);
  return JsonSchema(nlohmann::json::parse(std::string(std::istreambuf_iterator<char>(in), {})));
}

JsonSchema::~JsonSchema() = default;
JsonSchema::JsonSchema(JsonSchema&&) noexcept = default;

bool JsonSchema::accepts(const nlohmann::json& value) const {
  return valijson::Validator().validate(parts_->schema, NlohmannJsonAdapter(value), nullptr);
}

std::string JsonSchema::faults(const nlohmann::json& value) const {
  valijson::ValidationResults results;
  if (valijson::Validator().validate(parts_->schema, NlohmannJsonAdapter(value), &results)) return {};
  std::string out = value.dump();
  valijson::ValidationResults::Error error;
  while (results.popError(error)) out += "\n" + error.description;
  return out;
}

const nlohmann::json& JsonSchema::document() const {
  return parts_->document;
}

}  // namespace memuse::test
