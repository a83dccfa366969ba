#include "agreement/signals.h"

#include <optional>

namespace memuse::agreement {
namespace {

const std::array<SignalScale, kSignals.size()>& scales() {
  static const std::array<SignalScale, kSignals.size()> all{
      SignalScale{"relevance", {"false", "true", "null"}, false},
      SignalScale{"accuracy", {"corroborated", "uncontradicted", "contradicted", "null"}, false},
      SignalScale{"novelty", {"novel", "confirming", "redundant", "null"}, false},
      SignalScale{"influence", {"none", "referenced", "selected", "acted_on", "null"}, true},
      SignalScale{"effect", {"harmed", "no_effect", "improved", "null"}, true}};
  return all;
}

template <typename Enum>
std::size_t category_of(const SignalScale& scale, const std::optional<Enum>& value) {
  const std::string_view wanted = value ? name(*value) : std::string_view("null");
  std::size_t index = 0;
  while (scale.categories[index] != wanted) ++index;
  return index;
}

}  // namespace

const SignalScale& scale(Signal signal) {
  return scales()[static_cast<std::size_t>(signal)];
}

std::size_t category(Signal signal, const Labels& labels) {
  const SignalScale& values = scale(signal);
  switch (signal) {
    case Signal::relevance:
      return labels.relevance ? (*labels.relevance ? 1 : 0) : 2;
    case Signal::accuracy:
      return category_of(values, labels.accuracy);
    case Signal::novelty:
      return category_of(values, labels.novelty);
    case Signal::influence:
      return category_of(values, labels.influence);
    case Signal::effect:
      break;
  }
  return category_of(values, labels.effect);
}

}  // namespace memuse::agreement
