#include "model/labels.h"

#include <array>
#include <utility>

namespace memuse {
namespace {

template <typename Enum>
struct Names;

template <>
struct Names<Accuracy> {
  static constexpr std::array<std::string_view, 3> values{"corroborated", "uncontradicted", "contradicted"};
};
template <>
struct Names<Novelty> {
  static constexpr std::array<std::string_view, 3> values{"novel", "confirming", "redundant"};
};
template <>
struct Names<Influence> {
  static constexpr std::array<std::string_view, 4> values{"none", "referenced", "selected", "acted_on"};
};
template <>
struct Names<Effect> {
  static constexpr std::array<std::string_view, 3> values{"improved", "no_effect", "harmed"};
};
template <>
struct Names<Verdict> {
  static constexpr std::array<std::string_view, 5> values{"mixed", "beneficial", "harmful", "undetermined", "neutral"};
};
template <>
struct Names<Routing> {
  static constexpr std::array<std::string_view, 3> values{"judged", "automatic_neutral", "empty"};
};
template <>
struct Names<SpanStatus> {
  static constexpr std::array<std::string_view, 5> values{"judged", "automatic", "empty", "unresolved", "not_judged"};
};

template <typename Enum>
std::string_view name_of(Enum value) {
  const auto index = static_cast<std::size_t>(value);
  return index < Names<Enum>::values.size() ? Names<Enum>::values[index] : std::string_view{};
}

}  // namespace

std::string_view name(Accuracy value) {
  return name_of(value);
}
std::string_view name(Novelty value) {
  return name_of(value);
}
std::string_view name(Influence value) {
  return name_of(value);
}
std::string_view name(Effect value) {
  return name_of(value);
}
std::string_view name(Verdict value) {
  return name_of(value);
}
std::string_view name(Routing value) {
  return name_of(value);
}
std::string_view name(SpanStatus value) {
  return name_of(value);
}

template <typename Enum>
std::optional<Enum> parse_name(std::string_view text) {
  for (std::size_t i = 0; i < Names<Enum>::values.size(); ++i) {
    if (Names<Enum>::values[i] == text) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

template std::optional<Accuracy> parse_name<Accuracy>(std::string_view);
template std::optional<Novelty> parse_name<Novelty>(std::string_view);
template std::optional<Influence> parse_name<Influence>(std::string_view);
template std::optional<Effect> parse_name<Effect>(std::string_view);
template std::optional<Verdict> parse_name<Verdict>(std::string_view);
template std::optional<Routing> parse_name<Routing>(std::string_view);
template std::optional<SpanStatus> parse_name<SpanStatus>(std::string_view);

}  // namespace memuse
