#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "ingest/json.h"
#include "model/arena.h"

namespace memuse::ingest {

/// JSON in a string, parsed; or the value itself. Valid as long as this and the arena are.
class InnerJson {
 public:
  InnerJson(const JsonValue* value, Arena& arena) : value_(value) {
    for (int level = 0; level < 2 && value_ != nullptr; ++level) {  // some exports wrap twice
      const auto text = value_->as_string();
      const std::size_t first = text ? text->find_first_not_of(" \t\r\n") : std::string_view::npos;
      if (first == std::string_view::npos || ((*text)[first] != '{' && (*text)[first] != '[')) return;
      Level& inner = levels_[level];
      inner.bytes = *text;
      inner.bytes.resize(text->size() + JsonParser::kPadding);
      inner.parser = std::make_unique<JsonParser>(text->size());
      JsonFault fault;
      const JsonValue* parsed = inner.parser->parse(std::string_view(inner.bytes).substr(0, text->size()),
                                                    inner.bytes.size(), arena, fault, JsonRoot::container);
      if (parsed == nullptr) return;
      value_ = parsed;
    }
  }
  [[nodiscard]] const JsonValue* value() const { return value_; }

 private:
  struct Level {
    std::string bytes;
    std::unique_ptr<JsonParser> parser;
  };
  Level levels_[2];
  const JsonValue* value_;
};

}  // namespace memuse::ingest
