#!/usr/bin/env bash
# All tables of a study as large as a published one (32,000 episodes, over 110,000 deliveries, over 21,000 spans) with
# 10,000 resamples: seconds and peak memory. Needs an optimised build of `memuse` and `make_study` (with tests).
#
#   bench/attribution_tables.sh [BUILD_FOLDER] [more options of `memuse tables`]
set -euo pipefail
build=$(readlink -f "${1:-build/release}")
shift || true
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$build/make_study" large "$folder/study.db"
sqlite3 "$folder/study.db" "SELECT count(*) || ' episodes' FROM episode; SELECT count(*) || ' deliveries' FROM delivery;
                            SELECT count(*) || ' spans' FROM span;"
python3 - "$build/memuse" tables all --db "$folder/study.db" --intervals --resamples 10000 -o "$folder/tables" "$@" <<'PYTHON'
import resource, subprocess, sys, time
begin = time.monotonic()
subprocess.run(sys.argv[1:], check=True)
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"{time.monotonic() - begin:.1f} s, of all cores {usage.ru_utime + usage.ru_stime:.1f} s, "
      f"peak memory {usage.ru_maxrss / 1024:.0f} MB")
PYTHON
