#include "controlled/components.h"

namespace memuse::controlled {
namespace {

constexpr std::array<std::string_view, kComponentCount> kNames{"memory_method", "embedding_model", "retrieval",
                                                               "chunking",      "top_k",           "reader_model",
                                                               "prompt",        "judge",           "judge_prompt"};

}  // namespace

std::string_view name(Component component) {
  return kNames[static_cast<std::size_t>(component)];
}

std::optional<Component> parse_component(std::string_view name) {
  for (const Component component : kComponents) {
    if (kNames[static_cast<std::size_t>(component)] == name) return component;
  }
  return std::nullopt;
}

}  // namespace memuse::controlled
