#pragma once

#include <cstdint>
#include <fstream>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "model/diagnostic.h"

namespace memuse::cli {

/// Lets `write` fill a file, or standard output for `-`. A file appears whole or not at all: it is written beside its
/// place and moved there at the end. Throws Error(environment) when it cannot be written (no permission, full disk).
void write_output(const std::string& path, const std::function<void(std::ostream&)>& write);

/// Prints to standard output and makes sure that it arrived; throws Error(environment) when it did not.
void print(const std::string& text);

/// Prints JSON with indents. Bytes that are not UTF-8 (names of files may hold any) become U+FFFD.
void print_json(const nlohmann::ordered_json& document);

/// What a command came to: as JSON on standard output, or in words on standard error.
void print_summary(bool as_json, const nlohmann::ordered_json& document, const std::string& words);

/// `1 file`, `2 files`.
std::string plural(std::uint64_t count, std::string_view noun);

/// Lists diagnostics on standard error, errors first in number but all in the order of their places; notes only when
/// `verbose`. Long lists are cut after `limit`, saying so and where the rest is.
void list_diagnostics(const std::vector<Diagnostic>& diagnostics, bool verbose, std::size_t limit = 50);

}  // namespace memuse::cli
