#!/usr/bin/env bash
# Configures (when needed) and builds a preset: scripts/build.sh PRESET [TARGET…]. Without targets everything is built.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

if [ $# -lt 1 ]; then
  echo "usage: $0 PRESET [TARGET…]" >&2
  exit 2
fi
preset=$1
shift

if [ ! -f "build/$preset/build.ninja" ]; then
  options=()
  if command -v ccache >/dev/null; then options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
  cmake --preset "$preset" "${options[@]}"
fi
targets=()
if [ $# -gt 0 ]; then targets=(--target "$@"); fi
cmake --build --preset "$preset" "${targets[@]}"
