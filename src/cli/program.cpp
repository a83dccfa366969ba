#include "cli/program.h"

#include <fmt/format.h>
#include <simdjson.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/near_name.h"
#include "cli/terminal.h"
#include "model/error.h"
#include "model/text.h"
#include "model/version.h"

namespace memuse::cli {
namespace {

constexpr const char* kDescription =
    "memuse finds out whether a delivered memory changed what an LLM agent did.\n"
    "It reads recorded runs, groups memory deliveries into spans with credit windows, judges every\n"
    "delivered entry, and prints verdicts and profiles.";

constexpr const char* kFooter =
    "Examples:\n"
    "  memuse run examples/traces -o out          the whole job, offline; prints the profile\n"
    "  memuse check runs/                         what is in these traces, and what could not be read\n"
    "  memuse show span EPISODE/S1 --db out/memuse.db\n"
    "                                             why one span got its verdict\n"
    "  memuse tables profile --db out/memuse.db --format latex\n"
    "  memuse report --db out/memuse.db -o report.html\n"
    "                                             all of it as one page for a browser\n"
    "  memuse merit runs/                         does memory help the task: success, use, harm, cost\n"
    "  memuse delta --declaration study.json      strategies compared one factor at a time\n"
    "\n"
    "Exit codes: 0 all done; 1 done, but some inputs or spans failed (listed); 2 usage;\n"
    "3 environment (disk full, no permission, locked database); 4 stopped at a limit that was set;\n"
    "130 interrupted. After 1, 4 and 130 the same command goes on where it stopped.\n"
    "Long options can also be set by variables: --jobs by MEMUSE_JOBS, --db by MEMUSE_DB and so on (not\n"
    "--json, --format, --output, --emit-trace, --seed, and --judge of `memuse judge`).";

std::string version_text() {
  return fmt::format("memuse {} ({})\ncompiler {} {}, simdjson {}, SQLite {}", kProgramVersion, kRuleSet,
#ifdef __clang__
                     "clang", __clang_version__,
#else
                     "g++", __VERSION__,
#endif
                     SIMDJSON_STRINGIFY(SIMDJSON_VERSION), sqlite3_libversion());
}

/// Every long option mirrors a variable MEMUSE_<NAME>.
void mirror_environment(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    if (option->get_lnames().empty()) continue;
    const std::string& name = option->get_lnames().front();
    if (name == "help" || name == "version" || name == "json") continue;
    // These mean something else from command to command: one variable could not serve them all.
    if (name == "format" || name == "output" || name == "emit-trace" || name == "seed") continue;
    if (name == "judge" && app.get_name() == "judge") continue;
    // MEMUSE_MANIFEST is the list of a study's traces, not the manifest of an output.
    if (name == "manifest" && app.get_option_no_throw("traces") == nullptr) continue;
    std::string variable = "MEMUSE_";
    for (const char c : name)
      variable += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    option->envname(variable);
  }
  for (CLI::App* command : app.get_subcommands({})) mirror_environment(*command);
}

void report(const std::string& message) {
  std::fputs(fmt::format("memuse: {}\n", message).c_str(), stderr);
}

/// The first word that stands where a command is wanted, and is none; with the commands that there are. CLI11 would say
/// only that one is missing, or take a `--help` behind it for one that is about the whole program.
std::optional<std::string> unknown_command(const CLI::App& program, int argc, char** argv) {
  const CLI::App* app = &program;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word(argv[i]);
    std::vector<std::string> names;
    for (const CLI::App* command : app->get_subcommands([](const CLI::App*) { return true; })) {
      names.push_back(command->get_name());
    }
    if (names.empty() || word.empty() || word.front() == '-') return std::nullopt;
    if (std::find(names.begin(), names.end(), word) == names.end()) {
      const std::string path = app == &program ? "memuse" : fmt::format("memuse {}", app->get_name());
      const std::string near = near_name(word, names);
      return fmt::format("unknown command '{}'{}; `{} --help` lists the commands: {}", printable(word),
                         near.empty() ? std::string() : fmt::format(" (did you mean '{}'?)", near), path,
                         fmt::join(names, ", "));
    }
    app = app->get_subcommand(std::string(word));
  }
  return std::nullopt;
}

int run_action(const Invocation& invocation) {
  try {
    return static_cast<int>(invocation.action());
  } catch (const Error& error) {
    report(error.what());
    return static_cast<int>(error.code());
  } catch (const std::bad_alloc&) {
    report("out of memory");
  } catch (const std::exception& error) {
    report(fmt::format("unexpected failure: {}", printable(error.what())));
  }
  return static_cast<int>(ExitCode::environment);
}

}  // namespace

int run_program(int argc, char** argv) {
  CLI::App app(kDescription, "memuse");
  app.footer(kFooter);
  app.set_version_flag("--version", version_text());
  app.require_subcommand(1);
  app.fallthrough(false);
  app.get_formatter()->column_width(34);

  Invocation invocation;
  add_run_command(app, invocation);
  add_ingest_command(app, invocation);
  add_check_command(app, invocation);
  add_judge_command(app, invocation);
  add_show_command(app, invocation);
  add_tables_command(app, invocation);
  add_figures_command(app, invocation);
  add_report_command(app, invocation);
  add_view_command(app, invocation);
  add_graph_command(app, invocation);
  add_export_command(app, invocation);
  add_evidence_command(app, invocation);
  add_label_command(app, invocation);
  add_agree_command(app, invocation);
  add_compare_command(app, invocation);
  add_merit_command(app, invocation);
  add_values_command(app, invocation);
  add_memory_probes_command(app, invocation);
  add_delta_command(app, invocation);
  add_retrieval_command(app, invocation);
  mirror_environment(app);

  if (const std::optional<std::string> unknown = unknown_command(app, argc, argv)) {
    report(*unknown);
    return static_cast<int>(ExitCode::usage);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool asked_for = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success);
    app.exit(error);
    return asked_for ? 0 : static_cast<int>(ExitCode::usage);
  }
  watch_signals();
  return run_action(invocation);
}

}  // namespace memuse::cli
