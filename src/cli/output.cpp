#include "cli/output.h"

#include <fmt/format.h>

#include <unistd.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <system_error>

#include "model/error.h"
#include "model/text.h"

namespace memuse::cli {
namespace {

[[noreturn]] void fail_to_write(const std::string& path) {
  const std::string reason = errno != 0 ? std::strerror(errno) : "unknown error";
  throw Error(ExitCode::environment, fmt::format("cannot write {}: {}", printable(path), reason));
}

}  // namespace

void write_output(const std::string& path, const std::function<void(std::ostream&)>& write) {
  errno = 0;
  if (path == "-") {
    write(std::cout);
    if (!std::cout.flush()) fail_to_write("standard output");
    return;
  }
  const std::string unfinished = fmt::format("{}.{}.tmp", path, ::getpid());
  std::ofstream out(unfinished, std::ios::binary | std::ios::trunc);
  if (!out) fail_to_write(path);
  try {
    write(out);
    if (!out.flush()) fail_to_write(path);
    out.close();
    if (!out) fail_to_write(path);
    std::error_code error;
    std::filesystem::rename(unfinished, path, error);
    if (error) throw Error(ExitCode::environment, fmt::format("cannot write {}: {}", printable(path), error.message()));
  } catch (...) {
    std::error_code ignored;  // the first failure is the one to report
    std::filesystem::remove(unfinished, ignored);
    throw;
  }
}

void print(const std::string& text) {
  errno = 0;
  std::cout << text;
  if (!std::cout.flush()) fail_to_write("standard output");
}

void print_json(const nlohmann::ordered_json& document) {
  print(document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

void print_summary(bool as_json, const nlohmann::ordered_json& document, const std::string& words) {
  if (as_json) {
    print_json(document);
  } else {
    std::fputs(words.c_str(), stderr);
  }
}

std::string plural(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

void list_diagnostics(const std::vector<Diagnostic>& diagnostics, bool verbose, std::size_t limit) {
  std::size_t listed = 0;
  std::size_t left_out = 0;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.severity == Severity::note && !verbose) continue;
    if (listed < limit) {
      std::fputs((to_line(diagnostic) + "\n").c_str(), stderr);
      ++listed;
    } else {
      ++left_out;
    }
  }
  if (left_out > 0) {
    std::fputs(fmt::format("… and {} more; --json lists all\n", left_out).c_str(), stderr);
  }
}

}  // namespace memuse::cli
