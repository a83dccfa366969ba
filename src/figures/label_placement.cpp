#include "figures/label_placement.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace memuse::figures {
namespace {

// Directions in the order in which they are tried at each distance.
constexpr std::array<double, 16> kDegrees{0, 45, 315, 180, 135, 225, 90, 270, 22, 338, 158, 202, 67, 113, 247, 293};
constexpr std::array<double, 10> kDistances{0, 3, 7, 12, 18, 25, 34, 45, 60, 80};
constexpr double kGap = 1.5;

bool inside(const Box& box, const Box& area) {
  return box.left >= area.left && box.right <= area.right && box.bottom >= area.bottom && box.top <= area.top;
}

/// The box of a label that stands `distance` off its marker in a direction.
Box candidate(const Spot& point, const LabelSize& size, double clear, double degrees) {
  const double radians = degrees * std::acos(-1.0) / 180.0;
  const double dx = std::cos(radians);
  const double dy = std::sin(radians);
  const double center_x = point.x + dx * (clear + size.width / 2);
  const double center_y = point.y + dy * (clear + size.height / 2);
  return {center_x - size.width / 2, center_x + size.width / 2, center_y - size.height / 2, center_y + size.height / 2};
}

}  // namespace

bool overlap(const Box& a, const Box& b) {
  return a.left < b.right && b.left < a.right && a.bottom < b.top && b.bottom < a.top;
}

std::vector<std::optional<Box>> place_labels(const std::vector<Spot>& points, const std::vector<LabelSize>& sizes,
                                             double marker_radius, const Box& area) {
  std::vector<Box> taken;
  for (const Spot& point : points) {
    taken.push_back(
        {point.x - marker_radius, point.x + marker_radius, point.y - marker_radius, point.y + marker_radius});
  }
  std::vector<std::optional<Box>> places(points.size());
  const auto is_free = [&](const Box& box) {
    return inside(box, area) && std::none_of(taken.begin(), taken.end(), [&](const Box& b) { return overlap(box, b); });
  };
  const auto place = [&](std::size_t i) {
    for (const double distance : kDistances) {
      for (const double degrees : kDegrees) {
        const Box box = candidate(points[i], sizes[i], marker_radius + kGap + distance, degrees);
        if (!is_free(box)) continue;
        places[i] = box;
        taken.push_back(box);
        return;
      }
    }
  };
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (sizes[i].width > 0.0) place(i);
  }
  return places;
}

}  // namespace memuse::figures
