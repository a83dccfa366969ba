#!/usr/bin/env bash
# Fails when a module includes one that it may not know. The data flow is the list of memuse_module lines in
# src/CMakeLists.txt: a module may include itself, what its USES names, and what those use. Two libraries belong to one
# module alone: SQLite to store, CLI11 to cli (docs/architecture.md).
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

awk '
  function fail(text) { print FILENAME ":" FNR ": " text; failures++ }

  # The modules in their order, and for each the set of those it may include.
  FILENAME == "src/CMakeLists.txt" {
    if ($0 ~ /^memuse_module\(/) line = $0
    else if (open_call) line = line " " $0
    else next
    open_call = (line !~ /\)/)
    if (open_call) next
    gsub(/[()]/, " ", line)
    count = split(line, words, " ")
    module = words[2]
    known[module] = 1
    may[module, module] = 1
    in_uses = 0
    for (i = 3; i <= count; i++) {
      if (words[i] == "USES") { in_uses = 1; continue }
      if (words[i] == "LIBRARIES") { in_uses = 0; continue }
      if (!in_uses) continue
      if (!(words[i] in known)) fail(module " uses " words[i] ", which stands below it")
      for (other in known) if ((words[i], other) in may) may[module, other] = 1
    }
    next
  }

  /^[ \t]*#[ \t]*include[ \t]/ {
    split(FILENAME, path, "/")
    from = path[2]
    if (!(from in known)) fail("folder " from " is no module of src/CMakeLists.txt")
    if (match($0, /"[a-z_]+\//)) {
      to = substr($0, RSTART + 1, RLENGTH - 2)
      if (!(to in known)) fail("includes " to ", which is no module")
      else if (!((from, to) in may)) fail(from " may not include " to)
    }
    if ($0 ~ /[<"]CLI\// && from != "cli") fail("only cli reads options")
    includes++
  }

  # Any module may print the version of SQLite; nothing but store may use it.
  /sqlite3_[a-z]/ && !/sqlite3_libversion/ && FILENAME !~ /^src\/store\// { fail("only store speaks SQL") }

  END {
    if (failures) { print "Layers: " failures " includes against the data flow."; exit 1 }
    if (!includes) { print "Layers: no include was found; the check is broken."; exit 1 }
    print "Layers: " includes " includes, all along the data flow."
  }
' src/CMakeLists.txt $(find src -type f \( -name '*.cpp' -o -name '*.h' -o -name '*.h.in' \) | sort)
