#pragma once

#include <string>
#include <vector>

#include "figures/figure.h"
#include "workflow/study.h"

namespace memuse::workflow {

/// Configurations that count as one.
struct FigureGroup {
  std::string name;
  std::vector<std::string> configurations;
};

/// What `memuse figures` is asked to draw.
struct FigureOptions {
  std::string database;
  std::string judge;    ///< as for `Study`
  std::string figure;   ///< one of `figure_names`, or `all`
  std::string subject;  ///< of `timeline` an episode as `Study::episode` knows it, of `lineage` an item's id
  bool per_run = false;
  std::vector<FigureGroup> groups;  ///< of `forms` and `effects`; empty for one per configuration
  bool log_shares = false;          ///< `forms` on a logarithmic scale
};

/// Figures, and the names of those that this study has nothing for.
struct StudyFigures {
  std::vector<figures::Figure> figures;
  std::vector<std::string> nothing_to_draw;  ///< whole sentences
};

/// Makes the figures, in one pass over the database. Throws Error(usage) when options do not fit the figure, when the
/// episode or item is not there, when a group names a configuration that is not.
[[nodiscard]] StudyFigures study_figures(const FigureOptions& options);

/// Names of all figures, for help texts and errors.
const std::vector<std::string>& figure_names();

}  // namespace memuse::workflow
