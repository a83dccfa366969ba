#include "cli/merit_explain.h"

#include <nlohmann/json.hpp>

#include "cli/output.h"
#include "report/value_tables.h"

namespace memuse::cli {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

ExitCode print_explained_values(const workflow::ValueTracingOptions& options, const std::string& episode,
                                const TableOutput& output) {
  const report::TableFormat format = output.chosen();
  if (format != report::TableFormat::text && format != report::TableFormat::json) {
    throw Error(ExitCode::usage, "--explain prints text or JSON; --episodes writes CSV");
  }
  const workflow::ExplainedEpisode explained = workflow::explain_values(options, episode);
  list_diagnostics(explained.diagnostics, false);
  write_tables(output, [&](report::TableFormat chosen, const report::TableStyle& style) {
    if (chosen == report::TableFormat::text) {
      return report::explain_values_text(explained.episode, explained.trace, style);
    }
    const Json rows = report::value_rows(report::episode_place(explained.episode), explained.trace);
    return rows.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  });
  return any_error(explained.diagnostics) ? ExitCode::partial : ExitCode::ok;
}

}  // namespace memuse::cli
