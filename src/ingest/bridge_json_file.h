#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/adapter.h"
#include "ingest/bridge_run_root.h"
#include "ingest/document.h"
#include "ingest/json.h"

namespace memuse::ingest::bridge {

/// What all parts of one reading share.
struct ReadContext {
  const RootFiles& files;
  const ReadOptions& options;
  DiagnosticLog& log;  ///< of the whole input; files have logs of their own, which it takes in
};

/// One JSON document of a run root, parsed. The tree lives as long as this object, its strings in the arena.
class JsonFile {
 public:
  /// Null (reported) when the file is there but cannot be used; null without a word when it is missing.
  static std::unique_ptr<JsonFile> read(const ReadContext& context, const std::string& below, Arena& arena);

  [[nodiscard]] const JsonValue& root() const { return *root_; }
  /// Hex digits over the file's bytes.
  [[nodiscard]] std::string sha256() const { return document_.sha256(); }

 private:
  JsonFile(std::unique_ptr<ByteStream> stream, std::size_t max_bytes)
      : document_(std::move(stream), max_bytes), parser_(std::max<std::size_t>(max_bytes, 64)) {}

  Document document_;
  JsonParser parser_;
  const JsonValue* root_ = nullptr;
};

/// The value behind a chain of fields, or null.
const JsonValue* at_path(const JsonValue& value, std::initializer_list<std::string_view> path);
/// A string behind a chain of fields; empty when there is none.
std::string_view text_at(const JsonValue& value, std::initializer_list<std::string_view> path);
/// A whole number, also when it is written as a string.
std::optional<std::uint64_t> whole_of(const JsonValue* value);

/// Token counts under the names that chat APIs use (`prompt_tokens` or `input_tokens`, …); empty when there are none.
Usage usage_of(const JsonValue* value);

}  // namespace memuse::ingest::bridge
