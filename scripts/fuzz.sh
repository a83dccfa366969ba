#!/usr/bin/env bash
# Runs one fuzzing target for as long as is said (docs/fuzzing.md): scripts/fuzz.sh TARGET [SECONDS [libFuzzer options…]].
# Without arguments: builds the fuzzers and lists the targets. The corpus grows in build/fuzz/corpus/TARGET, inputs that
# break something are written to build/fuzz/found/TARGET.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

scripts/build.sh fuzz fuzz_memuse fuzz_seeds >&2
if [ $# -eq 0 ]; then
  exec build/fuzz/fuzz_seeds
fi
target=$1
seconds=${2:-60}
shift $(($# < 2 ? $# : 2))

seeds=build/fuzz/seeds/$target
corpus=build/fuzz/corpus/$target
found=build/fuzz/found/$target
build/fuzz/fuzz_seeds "$target" "$seeds"
mkdir -p "$corpus" "$found"
folders=("$corpus" "$seeds")
if [ -d "fuzz/inputs/$target" ]; then folders+=("fuzz/inputs/$target"); fi
dictionary=()
if [ -s "$seeds.dict" ]; then dictionary=("-dict=$seeds.dict"); fi

export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
MEMUSE_FUZZ_TARGET=$target exec build/fuzz/fuzz_memuse "${dictionary[@]}" -max_len=65536 -timeout=10 -rss_limit_mb=2048 \
  -artifact_prefix="$found/" -max_total_time="$seconds" -print_final_stats=1 "$@" "${folders[@]}"
