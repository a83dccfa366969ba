#include "cli/output_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "cli/output.h"
#include "model/error.h"
#include "model/text.h"

namespace memuse::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::string_view kManifestKind = "memuse-output/";

/// Options that name places, threads or messages.
constexpr std::array<std::string_view, 12> kLeftOut{"db",          "output", "jobs",     "manifest",
                                                    "verbose",     "traces", "outcomes", "probes",
                                                    "source-root", "rules",  "prices",   "help"};

std::string option_name(const CLI::Option& option) {
  if (!option.get_lnames().empty()) return option.get_lnames().front();
  return option.get_positional() ? option.get_name(true) : option.get_name();
}

bool is_left_out(const CLI::Option& option) {
  const std::string name = option_name(option);
  return std::find(kLeftOut.begin(), kLeftOut.end(), name) != kLeftOut.end();
}

void add_words(const CLI::Option& option, std::vector<std::string>& words) {
  if (option.count() == 0 || is_left_out(option)) return;
  const bool is_flag = option.get_expected_max() == 0;
  if (!option.get_lnames().empty()) words.push_back("--" + option_name(option));
  if (is_flag) return;
  for (const std::string& value : option.results()) words.push_back(value);
}

void write_json(const std::string& path, const Json& document) {
  write_output(path, [&document](std::ostream& out) {
    out << document.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
  });
}

/// A manifest of this program, of any version of its form.
bool is_output_manifest(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  const Json document = Json::parse(in, nullptr, false);
  if (!document.is_object() || !document.contains("manifest")) return false;
  const Json& kind = document.at("manifest");
  return kind.is_string() && kind.get_ref<const std::string&>().starts_with(kManifestKind);
}

}  // namespace

std::vector<std::string> command_words(const CLI::App& command) {
  std::vector<std::string> words;
  for (const CLI::App* app = &command; app->get_parent() != nullptr; app = app->get_parent()) {
    words.insert(words.begin(), app->get_name());
  }
  for (const CLI::Option* option : command.get_options()) add_words(*option, words);
  return words;
}

OutputFolder::OutputFolder(fs::path folder, std::string manifest_name)
    : folder_(std::move(folder)), manifest_name_(std::move(manifest_name)) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) {
    throw Error(ExitCode::environment,
                fmt::format("cannot create the folder {}: {}", printable(folder_.string()), error.message()));
  }
  const fs::path manifest = folder_ / manifest_name_;
  if (fs::exists(manifest, error) && !is_output_manifest(manifest)) {
    throw Error(ExitCode::usage,
                fmt::format("{} is not memuse's: it would be overwritten; choose another folder with -o",
                            printable(manifest.string())));
  }
}

void OutputFolder::write(const std::string& name, const std::function<void(std::ostream&)>& write) {
  write_output(path_of(name), write);
  note(name);
}

void OutputFolder::write_manifest(const workflow::StudyContents& contents,
                                  const workflow::OutputSettings& settings) const {
  std::vector<workflow::WrittenFile> files;
  for (const std::string& name : names_) files.push_back(workflow::written_file(folder_.string(), name));
  write_json(path_of(manifest_name_), workflow::output_manifest(contents, settings, std::move(files)));
}

void add_output_manifest_option(CLI::App& command, std::string& manifest) {
  command.add_option("--manifest", manifest,
                     "Write a manifest of the output to this file: versions, judge, inputs with hashes, settings");
}

void check_output_manifest(const std::string& output, const std::string& manifest) {
  if (manifest.empty()) return;
  if (output == "-") throw Error(ExitCode::usage, "--manifest describes a file: name the output with -o FILE");
  std::error_code error;
  if (manifest == "-" || fs::weakly_canonical(output, error) == fs::weakly_canonical(manifest, error)) {
    throw Error(ExitCode::usage, "--manifest wants a file of its own, beside the output");
  }
}

void write_manifest_of(const std::string& output, const std::string& manifest, const workflow::StudyContents& contents,
                       const workflow::OutputSettings& settings) {
  if (manifest.empty()) return;
  const fs::path path(output);
  workflow::WrittenFile file = workflow::written_file(path.parent_path().string(), path.filename().string());
  write_json(manifest, workflow::output_manifest(contents, settings, {std::move(file)}));
}

}  // namespace memuse::cli
