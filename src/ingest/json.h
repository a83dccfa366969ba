#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/arena.h"
#include "model/diagnostic.h"

// The one place that knows simdjson. A record (one line, or one small document) becomes a tree of values in one strict
// pass: every value is looked at, so "valid" means valid, and a record is used whole or not at all.

namespace memuse::ingest {

enum class JsonKind : std::uint8_t { null, boolean, number, string, array, object };

/// Equality of keys, most of which already differ in length or in their last letter.
[[nodiscard]] inline bool same_key(std::string_view a, std::string_view b) {
  return a.size() == b.size() && (a.empty() || (a.back() == b.back() && a == b));
}

/// One value of a parsed record. Text lives in the arena given to `parse`; containers' raw text in the parsed bytes.
struct JsonValue {
  JsonKind kind = JsonKind::null;
  bool boolean = false;
  std::string_view key;   ///< decoded key, for a field of an object
  std::string_view text;  ///< decoded string; digits of a number as written; raw JSON of an array or object
  const JsonValue* first_child = nullptr;
  const JsonValue* next = nullptr;  ///< next element or field
  std::uint32_t children = 0;
  std::size_t byte = 0;  ///< offset of its first byte in the record

  /// The field of that name (the first, if it stands twice), or null.
  [[nodiscard]] const JsonValue* field(std::string_view name) const;
  [[nodiscard]] bool is_null() const { return kind == JsonKind::null; }
  [[nodiscard]] std::optional<std::string_view> as_string() const;
  [[nodiscard]] std::optional<bool> as_bool() const;
  /// A whole number from 0 to 2^64-1 (also written as 3.0 or 3e0).
  [[nodiscard]] std::optional<std::uint64_t> as_unsigned() const;
  /// A finite number.
  [[nodiscard]] std::optional<double> as_double() const;
};

/// Elements of an array or fields of an object, for range-for.
class JsonChildren {
 public:
  class Iterator {
   public:
    explicit Iterator(const JsonValue* at) : at_(at) {}
    const JsonValue& operator*() const { return *at_; }
    Iterator& operator++() {
      at_ = at_->next;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at_ != other.at_; }

   private:
    const JsonValue* at_;
  };
  explicit JsonChildren(const JsonValue& parent) : first_(parent.first_child) {}
  [[nodiscard]] Iterator begin() const { return Iterator(first_); }
  [[nodiscard]] static Iterator end() { return Iterator(nullptr); }

 private:
  const JsonValue* first_;
};

/// Appends `text` as a JSON string; bytes that are no UTF-8 become U+FFFD.
void append_json_string(std::string_view text, std::string& out);

/// Compact JSON of `value`, numbers and order of fields as written. Strings are those of the tree, so that repaired
/// surrogates stay repaired.
std::string to_json(const JsonValue& value);

/// JSON text of `value` in the arena: as it was recorded, or compact where a repair had to be made.
std::string_view recorded_json(const JsonValue& value, Arena& arena);

/// JSON text of an action's arguments as chat interfaces give them: JSON in a string, or JSON itself; `null` for none.
/// A string that holds no object or array is an argument of its own.
std::string_view arguments_json(const JsonValue* value, Arena& arena);

/// True when raw JSON has an escape of a surrogate, be it one of a pair or alone.
bool has_surrogate_escape(std::string_view raw);

/// Why a record could not be used.
struct JsonFault {
  Fault fault = Fault::invalid_json;
  std::size_t byte = 0;  ///< offset inside the record
  std::string detail;
};

/// What the parser repaired or passed over in a record.
struct JsonRepairs {
  std::uint32_t strings = 0;                     ///< in which a lone surrogate was replaced by U+FFFD
  std::vector<std::string_view> duplicate_keys;  ///< that stand twice in their object
};

/// What the root of a record may be.
enum class JsonRoot : std::uint8_t { object, container };  // container: an object or an array

/// Parses one record after another, reusing its buffers. One per thread.
class JsonParser {
 public:
  static constexpr std::uint32_t kMaxDepth = 64;
  static constexpr std::size_t kMaxBytes = 0xFFFFFFFF;  ///< simdjson's limit
  static constexpr std::size_t kPadding = 64;           ///< readable bytes that must follow a text

  explicit JsonParser(std::size_t max_bytes = kMaxBytes);
  ~JsonParser();
  JsonParser(const JsonParser&) = delete;
  JsonParser& operator=(const JsonParser&) = delete;

  /// Parses `text`, behind which `readable - text.size()` (at least 64) more bytes may be read. Strings are decoded
  /// into `arena`. Returns the root, valid until the next call, or null with `fault` set.
  const JsonValue* parse(std::string_view text, std::size_t readable, Arena& arena, JsonFault& fault,
                         JsonRoot wanted = JsonRoot::object);

  /// The same, but what earlier calls returned stays valid until `forget`.
  const JsonValue* parse_next(std::string_view text, std::size_t readable, Arena& arena, JsonFault& fault,
                              JsonRoot wanted = JsonRoot::object);
  /// Takes back all values that were returned.
  void forget();
  /// Values that are kept.
  [[nodiscard]] std::size_t values() const;

  /// Of the last record.
  [[nodiscard]] const JsonRepairs& repairs() const;

 private:
  // simdjson's headers cost seconds in every file that sees them; so they stay in json.cpp.
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace memuse::ingest
