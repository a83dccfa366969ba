#include "agentic_judge/prompts.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "model/text.h"

namespace memuse::agentic_judge {

std::string Prompts::sha256() const {
  std::string all;
  for (const auto& [name, text] : {std::pair<std::string_view, const std::string*>{"version", &version},
                                   {"system", &system},
                                   {"task", &task},
                                   {"repair", &repair},
                                   {"last_call", &last_call},
                                   {"json_protocol", &json_protocol}}) {
    // Lengths keep the border between two texts apart from the texts.
    all += fmt::format("{}:{}:", name, text->size());
    all += *text;
  }
  return sha256_hex(all);
}

}  // namespace memuse::agentic_judge
