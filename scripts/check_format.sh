#!/usr/bin/env bash
# Fails when a C++ file is not as clang-format 14 writes it. With --fix the files are rewritten.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

mode=(--dry-run -Werror)
case "${1:-}" in
  "") ;;
  --fix) mode=(-i) ;;
  *) echo "usage: $0 [--fix]" >&2; exit 2 ;;
esac

folders=()
for folder in src tests bench fuzz; do
  if [ -d "$folder" ]; then folders+=("$folder"); fi
done
find "${folders[@]}" -type f \( -name '*.cpp' -o -name '*.h' \) -print0 | sort -z |
  xargs -0 clang-format-14 --style=file "${mode[@]}"
echo "Format: in order."
