// Writes a made-up study to a database, for trying tables and figures out and for measuring them:
//
//   make_study planted study.db
//   make_study large study.db --seed 7 --name 'plain & "simple"'

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "model/error.h"
#include "support/synthetic_study.h"

namespace {

struct MakeStudyArguments {
  std::string kind;
  std::string database;
  std::uint64_t seed = 1;
  std::uint32_t runs = 0;
  std::uint32_t tasks = 0;
  std::vector<std::string> names;
};

memuse::test::SyntheticStudy chosen_study(const MakeStudyArguments& arguments) {
  memuse::test::SyntheticStudy study = arguments.kind == "large" ? memuse::test::large_study(arguments.seed)
                                                                 : memuse::test::planted_study(arguments.seed);
  if (arguments.runs != 0) study.runs = arguments.runs;
  if (arguments.tasks != 0) study.tasks = arguments.tasks;
  for (std::size_t i = 0; i < std::min(arguments.names.size(), study.configurations.size()); ++i) {
    study.configurations[i].name = arguments.names[i];
  }
  return study;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Writes a made-up study with planted effects to a database (docs: tests/support/synthetic_study.h).");
  MakeStudyArguments arguments;
  app.add_option("kind", arguments.kind, "planted (4 configurations, 4 runs, 500 tasks) or large (32,000 episodes)")
      ->required()
      ->check(CLI::IsMember({"planted", "large"}));
  app.add_option("database", arguments.database, "File to write; must not exist")->required();
  app.add_option("--seed", arguments.seed, "Seed of everything drawn")->capture_default_str();
  app.add_option("--runs", arguments.runs, "Runs of each configuration");
  app.add_option("--tasks", arguments.tasks, "Tasks of each run");
  app.add_option("--name", arguments.names, "Name of the first, second, … configuration")->take_all();
  CLI11_PARSE(app, argc, argv);
  try {
    if (std::filesystem::exists(arguments.database)) {
      std::cerr << "make_study: " << arguments.database << " exists already\n";
      return EXIT_FAILURE;
    }
    const memuse::test::SyntheticStudy study = chosen_study(arguments);
    memuse::test::write_study(arguments.database, study.source(), study.configurations.front().name);
  } catch (const std::exception& error) {
    std::cerr << "make_study: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
