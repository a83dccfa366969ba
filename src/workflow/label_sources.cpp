#include "workflow/label_sources.h"

#include <fmt/format.h>

#include <filesystem>

#include "model/error.h"
#include "model/text.h"
#include "workflow/flat_labels.h"
#include "workflow/label_folder.h"
#include "workflow/label_form.h"

namespace memuse::workflow {

std::string to_line(const LabelFault& fault) {
  std::string line = printable(fault.file);
  if (fault.line > 0) line += fmt::format(":{}", fault.line);
  line += ": ";
  if (!fault.span.empty()) line += printable(fault.span) + ": ";
  return line + printable(fault.message);
}

std::unique_ptr<LabelSource> open_labels(const std::string& path) {
  std::error_code error;
  const std::filesystem::path place(path);
  if (!std::filesystem::exists(place, error)) {
    throw Error(ExitCode::usage, fmt::format("there is no {}", printable(path)));
  }
  if (!std::filesystem::is_directory(place, error)) return open_flat_labels(path);
  if (std::filesystem::exists(place / kManifestFile, error)) return open_label_folder(path);
  throw Error(ExitCode::usage,
              fmt::format("{} holds no {}: it was not written by `memuse label --write`, or that was interrupted",
                          printable(path), kManifestFile));
}

}  // namespace memuse::workflow
