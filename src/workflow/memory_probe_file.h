#pragma once

#include <string>
#include <vector>

#include "model/diagnostic.h"
#include "value_tracing/memory_probe.h"

namespace memuse::workflow {

/// Reads a file of memory probes (schemas/memory-probes-1.schema.json): JSON Lines, one probe a line. Lines that cannot
/// be used become diagnostics with their number and never stop the rest: no `task_id`, an unknown kind, neither
/// `expect` nor `forbid`, an empty value, a value that is both expected and forbidden, a field of the wrong type or an
/// unknown one, a probe that stands there twice. Throws Error(usage) when the file cannot be read or no line is usable.
std::vector<value_tracing::MemoryProbe> read_memory_probes(const std::string& path,
                                                           std::vector<Diagnostic>& diagnostics);

}  // namespace memuse::workflow
