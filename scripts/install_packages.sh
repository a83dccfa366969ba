#!/usr/bin/env bash
# Installs the Debian 12 packages that memuse needs; does nothing when they are all there.
#
#   scripts/install_packages.sh          what it takes to build, test and run
#   scripts/install_packages.sh --dev    the tools of a contributor on top: formatter, linter, second compiler, TeX
#                                        (some 80 MB to load), through which tests put the LaTeX tables, and Chromium,
#                                        in which they open reports; Node and npm where they are missing
set -euo pipefail

packages=(
  g++ cmake ninja-build pkg-config
  libsimdjson-dev libtbb-dev libfmt-dev nlohmann-json3-dev libsqlite3-dev libssl-dev libcli11-dev
  gnuplot-nox fonts-liberation fonts-droid-fallback fonts-unifont
  libre2-dev libutf8proc-dev libxxhash-dev libcsv-dev libboost-dev libcurl4-openssl-dev zlib1g-dev libarchive-dev libjemalloc-dev
  catch2 libvalijson-dev libcpp-httplib-dev sqlite3 openssl
)
case "${1:-}" in
  "") ;;
  --dev) packages+=(clang-14 libclang-rt-14-dev clang-format-14 clang-tidy-14
                    texlive-latex-base texlive-latex-recommended texlive-luatex lmodern fonts-lmodern
                    chromium)
         # A Node from elsewhere stays as it is: Debian's would not go beside it.
         command -v npm >/dev/null || packages+=(nodejs npm) ;;
  *) echo "usage: $0 [--dev]" >&2; exit 2 ;;
esac

if ! command -v dpkg-query >/dev/null; then
  echo "This is not a Debian system. Install the equivalents of these packages by hand: ${packages[*]}" >&2
  exit 3
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "All ${#packages[@]} packages are installed."
  exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "These packages are missing; install them as root and start again: ${missing[*]}" >&2
    exit 3
  fi
  as_root=(sudo)
fi
echo "Installing ${#missing[@]} packages: ${missing[*]}"
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
