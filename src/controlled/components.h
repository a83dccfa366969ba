#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace memuse::controlled {

/// The parts of a strategy that can make its accuracy differ from another's. A comparison is controlled when one of
/// them, the declared factor, varies and all others are known and equal.
enum class Component : std::uint8_t {
  memory_method,    ///< what is kept and in which form: verbatim chunks, extracted facts, none
  embedding_model,  ///< of memory and queries
  retrieval,        ///< how entries are found: dense, BM25, random, full context
  chunking,         ///< how history is cut before it is kept
  top_k,            ///< entries that the reader is given
  reader_model,     ///< the model that answers
  prompt,           ///< what the reader is told
  judge,            ///< who decides whether an answer is right: a model, exact match
  judge_prompt      ///< what the judge is told
};

inline constexpr std::size_t kComponentCount = 9;
inline constexpr std::array<Component, kComponentCount> kComponents{
    Component::memory_method, Component::embedding_model, Component::retrieval,
    Component::chunking,      Component::top_k,           Component::reader_model,
    Component::prompt,        Component::judge,           Component::judge_prompt};

/// The value by which a strategy says that it has no such component (no embedding model, say). Not the same as an
/// undeclared one, which could be anything.
inline constexpr std::string_view kAbsent = "none";

/// `memory_method`, `embedding_model`, …: the key in declarations and result rows.
[[nodiscard]] std::string_view name(Component component);
[[nodiscard]] std::optional<Component> parse_component(std::string_view name);

/// True for the parts of the memory, which a strategy may be without; false for the reader model, its prompt, the judge
/// and its prompt, which every strategy has.
[[nodiscard]] constexpr bool is_of_memory(Component component) {
  return component < Component::reader_model;
}

/// One value for each component.
template <typename Value>
class ByComponent {
 public:
  Value& operator[](Component component) { return values_[static_cast<std::size_t>(component)]; }
  const Value& operator[](Component component) const { return values_[static_cast<std::size_t>(component)]; }

 private:
  std::array<Value, kComponentCount> values_{};
};

}  // namespace memuse::controlled
