#include "graph/facts.h"

namespace memuse::graph {

std::string_view name(Identity identity) {
  return identity == Identity::declared ? "declared" : "text";
}

Order order_of(const EpisodeNode& left, const EpisodeNode& right) {
  const auto order = [](auto a, auto b) { return a < b ? Order::before : Order::after; };
  if (left.uid == right.uid) return Order::same;
  if (left.position && right.position && *left.position != *right.position) {
    return order(*left.position, *right.position);
  }
  const bool timed = left.first_time_us && right.first_time_us && *left.first_time_us != *right.first_time_us;
  return timed ? order(*left.first_time_us, *right.first_time_us) : Order::unknown;
}

}  // namespace memuse::graph
