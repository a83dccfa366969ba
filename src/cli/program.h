#pragma once

namespace memuse::cli {

/// The whole program: understands the command line, runs the command, turns errors into messages and exit codes.
int run_program(int argc, char** argv);

}  // namespace memuse::cli
