#include "ingest/chat_parts.h"

#include "ingest/json_fields.h"

namespace memuse::ingest {

Action tool_call_action(const JsonValue& call, Arena& arena) {
  const JsonValue* function = object_in(&call, "function");
  const JsonValue* arguments = function == nullptr ? nullptr : function->field("arguments");
  return {string_in(&call, "id"), string_in(function, "name"), arguments_json(arguments, arena)};
}

}  // namespace memuse::ingest
