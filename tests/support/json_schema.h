#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace memuse::test {

/// A JSON Schema. In a library of its own, because the validator's templates take longer to compile than most tests.
class JsonSchema {
 public:
  explicit JsonSchema(nlohmann::json schema);
  /// `schemas/<name>.schema.json` of the project.
  static JsonSchema of_project(const std::string& name);
  ~JsonSchema();
  JsonSchema(JsonSchema&&) noexcept;
  JsonSchema& operator=(JsonSchema&&) = delete;
  JsonSchema(const JsonSchema&) = delete;
  JsonSchema& operator=(const JsonSchema&) = delete;

  [[nodiscard]] bool accepts(const nlohmann::json& value) const;
  /// Empty when the value is valid, else what is wrong, a line each.
  [[nodiscard]] std::string faults(const nlohmann::json& value) const;
  [[nodiscard]] const nlohmann::json& document() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace memuse::test
