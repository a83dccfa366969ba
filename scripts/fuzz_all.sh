#!/usr/bin/env bash
# Runs every fuzzing target for so many seconds, one after the other (docs/fuzzing.md): scripts/fuzz_all.sh SECONDS. Goes
# on after a find; exits with 1 when there was one.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

if [ $# -ne 1 ]; then
  echo "usage: $0 SECONDS" >&2
  exit 2
fi
broken=()
mapfile -t targets < <(scripts/fuzz.sh)
if [ ${#targets[@]} -eq 0 ]; then
  echo "No fuzzers were built." >&2
  exit 3
fi
for target in "${targets[@]}"; do
  log=build/fuzz/$target.log
  if scripts/fuzz.sh "$target" "$1" >"$log" 2>&1; then
    printf '%-24s %s\n' "$target" "$(grep -a 'stat::number_of_executed_units' "$log" | grep -o '[0-9]*$') inputs"
  else
    printf '%-24s broken: %s\n' "$target" "$log"
    broken+=("$target")
  fi
done
[ ${#broken[@]} -eq 0 ]
