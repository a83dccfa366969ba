#pragma once

#include <string>

namespace memuse::agentic_judge {

/// The texts that a model is given, from `prompts/` (part of the program) or from a folder of the user's own.
/// `{{name}}` in a text is filled in; docs/agentic-judge.md lists the names of each.
struct Prompts {
  std::string version;  ///< `prompts/version.md`
  std::string system;  ///< `system.md`: definitions, rule of attribution with its worked example, reasons before labels
  std::string task;    ///< first user message; `{{index}}`, `{{entries}}`, `{{span}}` … are filled in
  std::string repair;  ///< message that lists faults; `{{faults}}`
  std::string last_call;      ///< message that asks for the final answer when the budget ends
  std::string json_protocol;  ///< how to call tools without native tool calls; appended to `system`
  /// SHA-256 over all of them with their names: stored with every judgement set.
  [[nodiscard]] std::string sha256() const;
};

/// The prompts that are part of the program.
const Prompts& shipped_prompts();
/// Prompts of the user's own: a folder with the same files. Throws Error(usage) that names what is missing, too large,
/// no UTF-8, or a placeholder that does not exist there.
Prompts load_prompts(const std::string& folder);

}  // namespace memuse::agentic_judge
