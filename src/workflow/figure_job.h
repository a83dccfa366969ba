#pragma once

#include <string>
#include <vector>

#include "figures/figure.h"
#include "report/tables.h"
#include "workflow/output_manifest.h"

namespace memuse::workflow {

/// What `memuse figures` is asked to draw.
struct FigureOptions {
  std::string database;
  std::string judge;    ///< as for `Study`
  std::string figure;   ///< one of `figure_names`, or `all`
  std::string subject;  ///< of `timeline` an episode as `Study::episode` knows it, of `lineage` an item's id
  bool per_run = false;
  /// Of `forms` and `effects`: configurations that count as one; those in no group stand for themselves.
  std::vector<report::ConfigurationGroup> groups;
  bool log_shares = false;  ///< `forms` on a logarithmic scale
};

/// Figures, and the names of those that this study has nothing for.
struct StudyFigures {
  std::vector<figures::Figure> figures;
  std::vector<std::string> nothing_to_draw;  ///< whole sentences
  StudyContents contents;                    ///< what they rest on
  std::string token_estimator;               ///< how delivered tokens were counted; empty where none were
};

/// Makes the figures, in one pass over the database. Throws Error(usage) when options do not fit the figure, when the
/// episode or item is not there, when a group names a configuration that is not.
[[nodiscard]] StudyFigures study_figures(const FigureOptions& options);

/// Names of all figures, for help texts and errors.
const std::vector<std::string>& figure_names();

}  // namespace memuse::workflow
