#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "ingest/bridge_log.h"

namespace memuse::ingest::bridge {

/// Fields of one annotation event: from `payload`, else from the event itself. Fields that nobody asked for are
/// counted.
class PayloadReader {
 public:
  PayloadReader(std::string_view type, const JsonValue& event, RecordPlace place, Arena& arena, DiagnosticLog& log);

  std::string_view text(std::string_view field);
  std::optional<std::uint64_t> whole(std::string_view field);
  const JsonValue* object(std::string_view field);
  const JsonValue* array(std::string_view field);
  ContentRef content(std::string_view field);
  /// A text with its digest and lengths, which are checked.
  ContentRef content_of(const JsonValue& value);
  std::vector<MemoryRef> refs(std::string_view field);
  /// The memories of `returned`, in the order of their ordinals.
  std::vector<MemoryRef> returned();
  /// Different `source_step` values of the inputs, ascending, without those above `largest`.
  std::vector<std::uint32_t> source_steps(std::uint64_t largest);
  /// A field of the adapter's own part of `extensions`.
  std::string_view extension(std::string_view field);
  const JsonValue* extension_value(std::string_view field);
  /// A field of `binding`, else of the event.
  const JsonValue* binding(std::string_view field);

  [[nodiscard]] Arena& arena() { return arena_; }
  void count_unknown();

 private:
  const JsonValue* find(std::string_view field);
  MemoryRef ref(const JsonValue& value);

  std::string_view type_;
  const JsonValue& event_;
  const JsonValue* payload_;
  RecordPlace place_;
  Arena& arena_;
  DiagnosticLog& log_;
  std::vector<std::string_view> known_;
};

ChangeEvent read_change(PayloadReader& payload);
DeliveryEvent read_delivery(PayloadReader& payload);

/// Counts the fields of an event that are neither common to all events nor in `known`.
void count_unknown_fields(const JsonValue& object, std::string_view type, const std::vector<std::string_view>& known,
                          RecordPlace place, DiagnosticLog& log);

}  // namespace memuse::ingest::bridge
