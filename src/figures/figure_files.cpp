#include "figures/figure_files.h"

#include <fmt/format.h>

#include "model/error.h"
#include "model/text.h"

namespace memuse::figures {
namespace {

constexpr std::size_t kMaxNameBytes = 100;

bool is_plain_file_name(std::string_view name) {
  static constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  return !name.empty() && name.size() <= kMaxNameBytes && name.front() != '.' && name.front() != '-' &&
         name.find_first_not_of(kPlain) == std::string_view::npos;
}

struct Composer {
  const Figure& figure;

  FigureFiles operator()(const CategoryChart& chart) const {
    return chart.mark == CategoryChart::Mark::dots ? compose_dots(figure, chart) : compose_vertical(figure, chart);
  }
  FigureFiles operator()(const ScatterChart& chart) const { return compose_scatter(figure, chart); }
  FigureFiles operator()(const RadarChart& chart) const { return compose_radar(figure, chart); }
  FigureFiles operator()(const LaneChart& chart) const { return compose_lanes(figure, chart); }
  FigureFiles operator()(const PairedChart& chart) const { return compose_paired(figure, chart); }
  FigureFiles operator()(const SpreadChart& chart) const { return compose_spread(figure, chart); }
  FigureFiles operator()(const StackedChart& chart) const { return compose_stacked(figure, chart); }
};

}  // namespace

FigureFiles compose(const Figure& figure) {
  if (!is_plain_file_name(figure.name)) {
    throw Error(ExitCode::usage,
                fmt::format("'{}' can not name a figure's files: use letters, digits, '-', '_' and '.'",
                            printable(figure.name)));
  }
  return std::visit(Composer{figure}, figure.chart);
}

}  // namespace memuse::figures
