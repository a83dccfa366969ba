#include "ingest/inputs.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "ingest/adapter.h"
#include "model/text.h"

namespace memuse::ingest {
namespace {

namespace fs = std::filesystem;

class InputFinder {
 public:
  void add(const std::string& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (error || status.type() == fs::file_type::not_found) {
      report(path, Severity::error, Fault::unreadable_file, error ? error.message() : "no such file or folder");
    } else if (fs::is_directory(status)) {
      const std::size_t files = list_.files.size();
      const std::size_t reports = list_.diagnostics.size();
      add_folder(path);
      // Something unreadable, or read already as part of another folder, has its own diagnostic.
      const bool silent = list_.files.size() == files && list_.diagnostics.size() == reports;
      if (silent) report(path, Severity::error, Fault::no_traces_found, "");
    } else {
      list_.files.push_back({path, true, false});
    }
  }

  InputList take() {
    // A file that is met under several names is read once, preferably under one that the user gave.
    std::sort(list_.files.begin(), list_.files.end(), [](const Input& a, const Input& b) {
      return std::pair(!a.named, std::string_view(a.path)) < std::pair(!b.named, std::string_view(b.path));
    });
    std::set<std::string> seen;
    std::vector<Input> files;
    for (Input& input : list_.files) {
      std::error_code error;
      const fs::path real = fs::canonical(input.path, error);
      if (seen.insert(error ? input.path : real.string()).second) files.push_back(std::move(input));
    }
    std::sort(files.begin(), files.end(), [](const Input& a, const Input& b) { return a.path < b.path; });
    list_.files = std::move(files);
    std::sort(list_.diagnostics.begin(), list_.diagnostics.end());
    return std::move(list_);
  }

 private:
  void report(const std::string& path, Severity severity, Fault fault, const std::string& detail) {
    list_.diagnostics.push_back({path, 0, 0, severity, fault, printable(detail), 1});
  }

  void add_folder(const fs::path& root) {
    // A stack of our own: the depth of a hostile tree must not be the depth of ours.
    std::vector<fs::path> open{root};
    while (!open.empty()) {
      const fs::path folder = std::move(open.back());
      open.pop_back();
      std::error_code error;
      const fs::path real = fs::canonical(folder, error);
      if (!error && !seen_folders_.insert(real.string()).second) {
        report(folder.string(), Severity::note, Fault::input_loop, "");
        continue;
      }
      if (detect_folder(folder)) {
        list_.files.push_back({folder.string(), false, true});
      } else {
        list_folder(folder, open);
      }
    }
  }

  void list_folder(const fs::path& folder, std::vector<fs::path>& open) {
    std::error_code error;
    std::vector<fs::path> paths;
    fs::directory_iterator entry(folder, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) paths.push_back(entry->path());
    if (error) report(folder.string(), Severity::error, Fault::unreadable_file, error.message());
    // Sorted, so that which of two links to a folder counts does not depend on the file system.
    std::sort(paths.begin(), paths.end(), std::greater<>());
    for (const fs::path& path : paths) {
      if (path.filename().string().starts_with(".")) continue;
      const fs::file_status status = fs::status(path, error);
      if (error) {
        report(path.string(), Severity::error, Fault::unreadable_file, error.message());
      } else if (fs::is_directory(status)) {
        open.push_back(path);
      } else if (fs::is_regular_file(status)) {
        list_.files.push_back({path.string(), false, false});
      }
    }
  }

  InputList list_;
  std::set<std::string> seen_folders_;
};

}  // namespace

InputList find_inputs(const std::vector<std::string>& paths) {
  InputFinder finder;
  for (const std::string& path : paths) finder.add(path);
  return finder.take();
}

}  // namespace memuse::ingest
