#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/data.h"
#include "support/temporary_folder.h"

namespace memuse::test {

inline void write_file(const std::filesystem::path& path, std::string_view bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream out(path, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  REQUIRE(out.flush());
}

inline std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

/// What a run of a program came to.
struct ProgramResult {
  int exit_code = -1;
  std::string out;
  std::string err;
};

/// Runs a shell command line; both outputs are captured.
inline ProgramResult run_shell(const std::string& command) {
  const TemporaryFolder folder;
  const std::string redirected =
      "{ " + command + "\n} > " + shell_quoted(folder / "out") + " 2> " + shell_quoted(folder / "err");
  const int status = std::system(redirected.c_str());
  ProgramResult result;
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.out = read_file(folder.path() / "out");
  result.err = read_file(folder.path() / "err");
  return result;
}

inline std::string memuse_command(const std::vector<std::string>& arguments) {
  std::string command = shell_quoted(MEMUSE_BINARY);
  for (const std::string& argument : arguments) command += " " + shell_quoted(argument);
  return command;
}

/// Runs the real program.
inline ProgramResult run_memuse(const std::vector<std::string>& arguments) {
  return run_shell(memuse_command(arguments));
}

/// Runs it and expects success; returns its standard output.
inline std::string memuse_output(const std::vector<std::string>& arguments) {
  const ProgramResult result = run_memuse(arguments);
  INFO(memuse_command(arguments) << "\n" << result.err);
  REQUIRE(result.exit_code == 0);
  return result.out;
}

}  // namespace memuse::test
