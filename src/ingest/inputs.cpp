#include "ingest/inputs.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include "ingest/adapter.h"
#include "ingest/archive_unpacker.h"
#include "ingest/container_kind.h"
#include "ingest/unpacked_archive.h"
#include "model/text.h"

namespace memuse::ingest {
namespace {

namespace fs = std::filesystem;

class InputFinder {
 public:
  /// `claims`: a format may claim a folder whole; `archives`: an archive is not a file of its own.
  InputFinder(bool claims, bool archives) : claims_(claims), archives_(archives) {}

  /// Of files that are found again, those of the lower `rank` stay.
  void add(const std::string& path, std::size_t rank, std::shared_ptr<const RunNaming> naming) {
    rank_ = rank;
    naming_ = std::move(naming);
    add_path(path);
  }

  InputList take() {
    // A file that is met under several names is read once, preferably under one that the user gave.
    std::sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) {
      return std::tuple(a.rank, !a.input.named, std::string_view(a.input.path)) <
             std::tuple(b.rank, !b.input.named, std::string_view(b.input.path));
    });
    std::set<std::pair<std::string, std::string>> seen;  // the file, and for an archive the path below it
    std::map<std::string, std::size_t> archives;         // place in `unique`
    std::map<fs::path, const RunNaming*> claimed;
    std::vector<std::pair<fs::path, Input>> unique;
    for (Found& found : found_) {
      std::error_code error;
      fs::path real = fs::canonical(found.input.path, error);
      if (error) real = found.input.path;
      const std::string below = found.input.is_archive() ? found.input.parts.front().path : std::string();
      if (!seen.emplace(real.string(), below).second) continue;
      if (found.input.is_archive()) {
        const auto [archive, is_new] = archives.emplace(real.string(), unique.size());
        if (!is_new) {
          unique[archive->second].second.parts.push_back(std::move(found.input.parts.front()));
          continue;
        }
      }
      if (found.input.folder) claimed.emplace(real, found.input.naming.get());
      unique.emplace_back(std::move(real), std::move(found.input));
    }
    InputList list;
    for (auto& [real, input] : unique) {
      if (!lies_in_claimed(real, input, claimed)) list.files.push_back(std::move(input));
    }
    std::sort(list.files.begin(), list.files.end(), [](const Input& a, const Input& b) { return a.path < b.path; });
    list.diagnostics = std::move(diagnostics_);
    std::sort(list.diagnostics.begin(), list.diagnostics.end());
    return list;
  }

 private:
  struct Found {
    std::size_t rank = 0;
    Input input;
  };

  /// A folder that is read as one has everything in it: a path below it must not be read a second time.
  bool lies_in_claimed(const fs::path& real, const Input& input, const std::map<fs::path, const RunNaming*>& claimed) {
    for (fs::path folder = real.parent_path(); folder != folder.parent_path(); folder = folder.parent_path()) {
      const auto outer = claimed.find(folder);
      if (outer == claimed.end()) continue;
      const bool other_names = outer->second != input.naming.get();
      report(input.path, other_names ? Severity::error : Severity::note, Fault::input_loop,
             "it lies in " + folder.string() + ", which is read as one" +
                 (other_names ? "; name one of the two in the manifest" : ""));
      return true;
    }
    return false;
  }

  void add_path(const std::string& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (error || status.type() == fs::file_type::not_found) {
      if (const auto member = archives_ ? member_path(path) : std::nullopt) {
        push_archive(member->archive, true, member->below);
        return;
      }
      report(path, Severity::error, Fault::unreadable_file, error ? error.message() : "no such file or folder");
    } else if (fs::is_directory(status)) {
      const std::size_t files = found_.size();
      const std::size_t reports = diagnostics_.size();
      add_folder(path);
      // Something unreadable, or read already as part of another folder, has its own diagnostic.
      const bool silent = found_.size() == files && diagnostics_.size() == reports;
      if (silent) report(path, Severity::error, Fault::no_traces_found, "");
    } else {
      push(path, true, false);
    }
  }

  void push(std::string path, bool named, bool folder) {
    if (archives_ && !folder && is_archive(path)) {
      push_archive(std::move(path), named, "");
      return;
    }
    found_.push_back({rank_, {std::move(path), named, folder, naming_}});
  }

  void push_archive(std::string path, bool named, const std::string& below) {
    found_.push_back({rank_, {std::move(path), named, false, nullptr, {{below, naming_}}}});
  }

  void report(const std::string& path, Severity severity, Fault fault, const std::string& detail) {
    diagnostics_.push_back({path, 0, 0, severity, fault, printable(detail), 1});
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
      if (claims_ && detect_folder(folder)) {
        push(folder.string(), false, true);
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
        push(path.string(), false, false);
      }
    }
  }

  bool claims_;
  bool archives_;
  std::size_t rank_ = 0;
  std::shared_ptr<const RunNaming> naming_;
  std::vector<Found> found_;
  std::vector<Diagnostic> diagnostics_;
  std::set<std::string> seen_folders_;
};

/// Adds the longest first: a folder that lies in another one is then met under its own name.
void add_named_paths(const std::vector<NamedPath>& paths, InputFinder& finder) {
  std::vector<NamedPath> ordered = paths;
  const auto length = [](const NamedPath& named) { return fs::path(named.path).lexically_normal().string().size(); };
  std::stable_sort(ordered.begin(), ordered.end(), [&](const NamedPath& a, const NamedPath& b) {
    return std::pair(a.naming == nullptr, length(b)) < std::pair(b.naming == nullptr, length(a));
  });
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    const bool plain = ordered[i].naming == nullptr;
    finder.add(ordered[i].path, plain ? ordered.size() : i, ordered[i].naming);
  }
}

}  // namespace

InputList find_inputs(const std::vector<std::string>& paths) {
  InputFinder finder(true, true);
  for (const std::string& path : paths) finder.add(path, 0, nullptr);
  return finder.take();
}

InputList find_inputs(const std::vector<NamedPath>& paths) {
  InputFinder finder(true, true);
  add_named_paths(paths, finder);
  return finder.take();
}

InputList find_members(const Input& archive, const std::string& root) {
  std::vector<NamedPath> paths;
  for (const NamedPath& part : archive.parts) {
    paths.push_back({part.path.empty() ? root : (fs::path(root) / safe_member_path(part.path)).string(), part.naming});
  }
  InputFinder finder(true, false);
  add_named_paths(paths, finder);
  InputList list = finder.take();
  const std::string name = archive.shown ? archive.shown->show(archive.path) : archive.path;
  const auto shown = std::make_shared<const ShownPaths>(ShownPaths{root, name + "!"});
  for (Input& input : list.files) {
    input.shown = shown;
    input.named = input.named && archive.named;
  }
  for (Diagnostic& diagnostic : list.diagnostics) {
    diagnostic.file = shown->show(diagnostic.file);
    diagnostic.detail = shown->show(diagnostic.detail);
  }
  return list;
}

InputList find_plain_files(const std::string& folder) {
  InputFinder finder(false, false);
  finder.add(folder, 0, nullptr);
  return finder.take();
}

}  // namespace memuse::ingest
