# Rows of a mini-swe-agent trajectory, without hashes: jq has none.
select(type == "object" and has("messages"))
| .instance_id as $episode
| ["episode", $episode],
  (.messages[]
   | (.content | if type == "string" then . else tojson end) as $text
   | ["message", $episode, .role, ($text | length)],
     (select(.role == "assistant")
      | ["call", $episode, .extra.response.usage.prompt_tokens, .extra.response.usage.completion_tokens,
         .extra.response.created, ([$text | match("```(?:mswea_bash_command|bash)\\s*\n(.*?)\n```"; "gs").captures[0].string] | tojson)]))
| @tsv
