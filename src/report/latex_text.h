#pragma once

#include <string>
#include <string_view>
#include <vector>

// Texts in LaTeX: escaped, measured and broken into lines.

namespace memuse::report {

/// Width of `text` in LaTeX's roman font, in em of its size; rather too much than too little.
[[nodiscard]] double latex_width(std::string_view text);

/// The widest part of `text` that `latex_text` lets stand on a line of its own.
[[nodiscard]] double latex_unbreakable_width(std::string_view text);

/// `text` as LaTeX prints it. Long words may be broken: inside names there is no hyphen to break at.
[[nodiscard]] std::string latex_text(std::string_view text);

/// Lines of at most about `width` em, each as LaTeX prints it; at least one.
[[nodiscard]] std::vector<std::string> latex_lines(std::string_view text, double width);

}  // namespace memuse::report
