#include "ingest/instance_names.h"

#include <fmt/format.h>

#include <filesystem>

#include "ingest/paths.h"
#include "model/text.h"

namespace memuse::ingest {
std::string name_of_folder(const std::string& folder) {
  if (!folder.ends_with('!')) return folder;
  std::filesystem::path name = folder.substr(0, folder.size() - 1);
  for (const char* packed : {".gz", ".zst", ".xz", ".bz2"}) {
    if (name.extension() == packed) name.replace_extension();
  }
  for (const char* suffix : {".tar", ".tgz", ".tzst", ".txz", ".tbz2", ".zip"}) {
    if (name.extension() == suffix && name.has_stem()) return name.stem().string();
  }
  return name.string();
}

std::string repository_of_instance(std::string_view instance_id) {
  const std::size_t owner_end = instance_id.find("__");
  const std::size_t dash = instance_id.rfind('-');
  if (owner_end == std::string_view::npos || owner_end == 0 || dash == std::string_view::npos) return {};
  const std::size_t name_begin = owner_end + 2;
  const std::string_view number = instance_id.substr(dash + 1);
  const bool numbered = !number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos;
  if (dash <= name_begin || !numbered) return {};
  return fmt::format("{}/{}", instance_id.substr(0, owner_end), instance_id.substr(name_begin, dash - name_begin));
}

std::string_view model_without_route(std::string_view model_name) {
  const std::size_t slash = model_name.rfind('/');
  if (slash == std::string_view::npos || slash + 1 == model_name.size()) return model_name;
  return model_name.substr(slash + 1);
}

std::string instance_of_path(const std::string& path) {
  constexpr std::string_view kSuffix = ".traj.json";
  const std::filesystem::path file = std::filesystem::path(path).filename();
  const std::string name = file.string();
  if (name.size() > kSuffix.size() && name.ends_with(kSuffix)) {
    return printable(name.substr(0, name.size() - kSuffix.size()));
  }
  return printable(file.stem().string());
}

std::string run_folder_of_path(const std::string& path, std::string_view instance_id) {
  std::filesystem::path folder = full_path(path).parent_path();
  const std::string own = folder.filename().string();
  if (own == instance_id || own == instance_of_path(path)) folder = folder.parent_path();
  return printable(name_of_folder(folder.filename().string()));
}

}  // namespace memuse::ingest
