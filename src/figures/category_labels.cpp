#include "figures/category_labels.h"

#include <algorithm>
#include <cmath>

#include "figures/text_metrics.h"

namespace memuse::figures {
namespace {

constexpr double kLabelToAxis = 5.0;
constexpr double kSlant = 40.0;
constexpr double kMaxLength = 95.0;  // of a slanted or upright name
constexpr std::size_t kMaxLines = 3;

}  // namespace

CategoryLabels::CategoryLabels(const std::vector<std::string>& names, double left_margin, double right_edge)
    : left_margin_(left_margin), count_(std::max<std::size_t>(names.size(), 1)) {
  std::vector<std::string> safe;
  for (const std::string& name : names) safe.push_back(drawable(name));
  if (!wrap_all(safe, (right_edge - left_margin_) / static_cast<double>(count_))) slant(safe, right_edge);
}

bool CategoryLabels::wrap_all(const std::vector<std::string>& names, double slot) {
  std::size_t most = 1;
  for (const std::string& name : names) {
    if (!words_fit(name, kFontSize, slot - 4.0)) return false;
    // One line more than may be: what needs it does not fit.
    lines_.push_back(wrap_text(name, kFontSize, slot - 4.0, kMaxLines + 1));
    most = std::max(most, lines_.back().size());
  }
  height_ = kLabelToAxis + static_cast<double>(most) * line_height(kFontSize);
  return most <= kMaxLines;
}

void CategoryLabels::slant(const std::vector<std::string>& names, double right_edge) {
  lines_.clear();
  const double slot = (right_edge - left_margin_) / static_cast<double>(count_);
  const double radians = kSlant * std::acos(-1.0) / 180.0;
  angle_ = slot * std::sin(radians) >= line_height(kFontSize) ? kSlant : 90.0;
  every_ = angle_ == kSlant ? 1 : static_cast<std::size_t>(std::max(1.0, std::ceil(line_height(kFontSize) / slot)));
  const double across = angle_ == kSlant ? std::cos(radians) : 0.0;
  double longest = 0.0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double room_left = left_margin_ + slot * (static_cast<double>(i) + 0.5) + 0.12 * right_edge;
    const double room = across > 0.0 ? std::min(kMaxLength, room_left / across) : kMaxLength;
    lines_.push_back({fit_text(names[i], kFontSize, room)});
    longest = std::max(longest, text_width(lines_.back().front(), kFontSize));
  }
  double margin = left_margin_;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const double reach = text_width(lines_[i].front(), kFontSize) * across - slot * (static_cast<double>(i) + 0.5);
    margin = std::max(margin, reach + 7.0);
  }
  left_margin_ = margin;
  height_ = kLabelToAxis + longest * std::sin(angle_ * std::acos(-1.0) / 180.0) + line_height(kFontSize) / 2;
}

void CategoryLabels::write(Script& script, const Box& box) const {
  const double slot = box.width() / static_cast<double>(count_);
  for (std::size_t i = 0; i < lines_.size(); i += every_) {
    const double x = box.left + slot * (static_cast<double>(i) + 0.5);
    if (angle_ == 0.0) {
      const double height = static_cast<double>(lines_[i].size()) * line_height(kFontSize);
      script.text(lines_[i], x, box.bottom - kLabelToAxis - height / 2, {Anchor::center});
    } else {
      script.text(lines_[i], x, box.bottom - kLabelToAxis, {Anchor::right, angle_});
    }
  }
}

}  // namespace memuse::figures
