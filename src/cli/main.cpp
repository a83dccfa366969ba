#include "cli/program.h"

int main(int argc, char** argv) {
  return memuse::cli::run_program(argc, argv);
}
