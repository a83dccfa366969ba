#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "figures/figure.h"

namespace memuse::figures {

struct DrawOptions {
  std::string gnuplot = "gnuplot";  ///< found in PATH when it has no slash
  std::chrono::milliseconds time_limit{60'000};
};

/// What became of a figure.
struct DrawnFigure {
  std::string name;
  bool drawn = false;                ///< false: data and script are there, the pictures are not
  std::string reason;                ///< why it was not drawn, and what to do; a sentence
  std::vector<std::string> remarks;  ///< what the picture leaves out of the data
};

/// Writes NAME.csv and NAME.gp into `folder` (made if needed) and lets gnuplot draw NAME.pdf, NAME.svg and NAME.png
/// beside them; the same figure gives the same bytes. gnuplot runs without a shell, without start-up files, and for no
/// longer than the limit. When it is missing or fails, pictures of an earlier run are removed: they would not fit the
/// data. Throws Error(environment) when the folder or a file can not be written, Error(usage) for a name that is no
/// file name.
DrawnFigure write_figure(const std::filesystem::path& folder, const Figure& figure, const DrawOptions& options = {});

}  // namespace memuse::figures
