#!/usr/bin/env bash
# From a bare Debian 12 to the first profile table: installs the packages, builds memuse, runs it on the example traces.
# Safe to start again at any time; what is done already is skipped.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")"

if [ $# -ne 0 ]; then
  echo "usage: ./setup.sh (it takes no arguments)" >&2
  exit 2
fi

echo "== 1/3 packages"
scripts/install_packages.sh

echo "== 2/3 build (build/release)"
scripts/build.sh release memuse

echo "== 3/3 example"
mkdir -p build
build/release/memuse run examples/traces -o build/example
echo
echo "memuse is built: build/release/memuse --help"
echo "The example's results are in build/example; examples/README.md says what to expect. Tests: ./test.sh"
