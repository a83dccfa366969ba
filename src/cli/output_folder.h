#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "workflow/output_manifest.h"

// Manifests beside what a command writes (docs/output-manifest.md).

namespace memuse::cli {

/// The words of a command line that decide what is written: the command, its positional arguments and the options that
/// were given, in the order of their declaration. Left out are places (database, output, inputs: the manifest has their
/// hashes), threads, and what only changes messages.
[[nodiscard]] std::vector<std::string> command_words(const CLI::App& command);

/// A folder that a command fills, with a manifest over what it wrote.
class OutputFolder {
 public:
  /// Makes the folder if need be. Throws Error(environment) when that fails, and Error(usage) when there is a
  /// file of the manifest's name that no memuse wrote.
  explicit OutputFolder(std::filesystem::path folder, std::string manifest_name = "manifest.json");

  /// Where a file of that name goes.
  [[nodiscard]] std::string path_of(const std::string& name) const { return (folder_ / name).string(); }
  /// Writes a file (`write_output`) and notes it.
  void write(const std::string& name, const std::function<void(std::ostream&)>& write);
  /// Notes a file that was written there by other means; `name` is relative to the folder.
  void note(const std::string& name) { names_.push_back(name); }
  /// Writes the manifest over all files noted. Call it last.
  void write_manifest(const workflow::StudyContents& contents, const workflow::OutputSettings& settings) const;

 private:
  std::filesystem::path folder_;
  std::string manifest_name_;
  std::vector<std::string> names_;
};

/// `--manifest FILE` of a command that writes one file.
void add_output_manifest_option(CLI::App& command, std::string& manifest);

/// Writes the manifest of one file that was just written to `output`; does nothing when `manifest` is empty. The file
/// stands in it with its name alone.
void write_manifest_of(const std::string& output, const std::string& manifest, const workflow::StudyContents& contents,
                       const workflow::OutputSettings& settings);

/// Throws Error(usage) when a manifest is asked for and the output is standard output. Call it before the work.
void check_output_manifest(const std::string& output, const std::string& manifest);

}  // namespace memuse::cli
