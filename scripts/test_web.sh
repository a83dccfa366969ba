#!/usr/bin/env bash
# Tests of the page of `memuse report` and `memuse view`: types, that web/dist is what web/src builds, the parts, and the
# page itself in headless Chromium.
#
#   scripts/test_web.sh [MEMUSE]    the program whose reports are opened; build/release/memuse when not given
#
# Exit code 3: Node or the packages cannot be had here; nothing was tested.
# MEMUSE_SHOTS=DIR keeps screenshots of all views; MEMUSE_TIMES=1 holds times against their limits (quiet machines only).
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/..
export MEMUSE=${1:-$here/build/release/memuse}
MEMUSE=$(readlink -f "$MEMUSE")
for program in node npm; do
  command -v "$program" >/dev/null || { echo "$program is missing: scripts/install_packages.sh --dev installs it" >&2; exit 3; }
done
cd "$here/web"
[ -d node_modules ] && [ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --no-fund --no-audit --ignore-scripts || {
  echo "the packages of web/package-lock.json cannot be had (is there a way to the npm registry?)" >&2
  exit 3
}
npx tsc --noEmit -p .
node build.mjs --check
# A key press can be lost while a browser is starved on a busy machine; what fails twice is a fault.
node --test --test-reporter=spec test/*.test.mjs || {
  echo "== a test failed; all of them once more" >&2
  node --test --test-reporter=spec test/*.test.mjs
}
