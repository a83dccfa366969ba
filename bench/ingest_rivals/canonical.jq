# Rows of a canonical trace, without hashes: jq has none.
if .type == "episode" then ["episode", .episode, .task_id, .configuration, .outcome.resolved]
elif .type == "message" then ["message", .id, .role, (.text | length)]
elif .type == "step" then
  ["call", .step, .usage.input, .usage.output, .time, (.actions | tojson)],
  ["message", .id, "assistant", (.response // "" | length)],
  (.results[]? | ["message", .id, "tool", (.text | length)])
elif .type == "delivery" then (.id as $delivery | .entries[]? | ["entry", $delivery, .item, .text])
else empty end | @tsv
