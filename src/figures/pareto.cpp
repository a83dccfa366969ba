#include "figures/pareto.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace memuse::figures {

std::vector<std::size_t> pareto_front(const std::vector<std::pair<double, double>>& points) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (std::isfinite(points[i].first) && std::isfinite(points[i].second)) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&points](std::size_t a, std::size_t b) {
    if (points[a].first != points[b].first) return points[a].first < points[b].first;
    return points[a].second > points[b].second;
  });
  std::vector<std::size_t> front;
  for (const std::size_t i : order) {
    const bool equal = !front.empty() && points[front.back()] == points[i];
    if (front.empty() || equal || points[i].second > points[front.back()].second) front.push_back(i);
  }
  return front;
}

}  // namespace memuse::figures
