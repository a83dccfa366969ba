#!/usr/bin/env bash
# Format, layers and clang-tidy: scripts/lint.sh [FILE.cpp…]. Without files all of src is looked at. Needs the build
# folder of preset release for its compile_commands.json.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

scripts/check_format.sh
scripts/check_layers.sh

if [ ! -f build/release/compile_commands.json ]; then cmake --preset release; fi
files=("$@")
if [ ${#files[@]} -eq 0 ]; then mapfile -t files < <(find src -type f -name '*.cpp' | sort); fi
echo "clang-tidy over ${#files[@]} files"
printf '%s\0' "${files[@]}" |
  xargs -0 -n 1 -P "$(nproc)" clang-tidy-14 -p build/release --quiet --extra-arg=-Wno-unknown-warning-option 2>&1 |
  { grep -vE '^[0-9]+ warnings? (generated|treated)|^$' || true; }
echo "clang-tidy: in order."
