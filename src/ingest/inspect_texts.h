#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ingest/chat_message.h"
#include "ingest/json.h"

namespace memuse::ingest {

/// Texts of a sample of Inspect: long ones stand once among its attachments and are named elsewhere.
class InspectTexts {
 public:
  explicit InspectTexts(SharedTexts& texts) : texts_(texts) {}

  /// Takes in an object of texts by hash, or a list of texts, which are then named by their places.
  void add_attachments(const JsonValue* attachments);

  /// The text itself, or the attachment that it names. What an attachment names is not looked up again.
  std::string_view text(std::string_view text);
  /// JSON of a value, with attachments in the places of their names.
  std::string json(const JsonValue& value);

  /// Adds a message of an input or the answer of a model: content as text or in parts, tool calls, tool results.
  void add_message(const JsonValue& message, ChatMessages& messages);
  /// What a tool gave back, as text: a string, a number, or parts.
  std::string_view result_text(const JsonValue* result, ChatMessages& messages);

  /// Names of attachments that are not there.
  [[nodiscard]] std::size_t missing() const { return missing_; }
  [[nodiscard]] SharedTexts& shared() { return texts_; }

 private:
  const std::string_view* attachment(std::string_view text) const;
  void append_json(const JsonValue& value, std::string& out);
  void take_content(const JsonValue* content, ChatMessage& message, ChatMessages& messages);

  SharedTexts& texts_;
  std::unordered_map<std::string_view, std::string_view> by_name_;
  std::size_t missing_ = 0;
};

}  // namespace memuse::ingest
