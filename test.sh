#!/usr/bin/env bash
# Builds the tests and runs them all: ./test.sh [PRESET] (release, debug, asan, tsan, clang; release when not given).
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")"

if [ $# -gt 1 ]; then
  echo "usage: ./test.sh [PRESET]" >&2
  exit 2
fi
preset=${1:-release}

scripts/build.sh "$preset"
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
ctest --test-dir "build/$preset" --output-on-failure --no-tests=error --parallel "$(nproc)"
