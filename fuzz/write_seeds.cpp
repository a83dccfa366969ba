// Writes what a target starts from: fuzz_seeds TARGET FOLDER. A file for each seed, and `TARGET.dict` beside the folder
// with the field names and short texts of the seeds. Without arguments: prints the names of all targets.

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "fuzz/targets.h"
#include "support/json_mutation.h"

namespace {

using memuse::fuzz::Target;

void collect_words(const nlohmann::json& value, std::set<std::string>& words) {
  constexpr std::size_t kMaxWord = 40;
  if (value.is_string() && value.get_ref<const std::string&>().size() <= kMaxWord) words.insert(value);
  if (!value.is_structured()) return;
  for (const auto& [key, inner] : value.items()) {
    if (value.is_object() && key.size() <= kMaxWord) words.insert(key);
    collect_words(inner, words);
  }
}

std::set<std::string> words_of(const std::vector<std::string>& seeds) {
  std::set<std::string> words;
  const auto add = [&](std::string_view text) {
    const nlohmann::json value = nlohmann::json::parse(text, nullptr, false);
    if (!value.is_discarded()) collect_words(value, words);
    return !value.is_discarded();
  };
  for (const std::string& seed : seeds) {
    if (add(seed)) continue;
    for (const std::string_view line : memuse::test::lines_of(seed)) add(line);
  }
  return words;
}

/// A word as libFuzzer's dictionaries write it.
std::string dictionary_line(const std::string& word) {
  std::string line = "\"";
  for (const char byte : word) {
    char code[8];
    std::snprintf(code, sizeof code, "\\x%02X", static_cast<unsigned>(static_cast<unsigned char>(byte)));
    const bool plain = byte >= ' ' && byte < 0x7F && byte != '"' && byte != '\\';
    line += plain ? std::string(1, byte) : std::string(code);
  }
  return line + "\"\n";
}

void write_target(const Target& target, const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  const std::vector<std::string> seeds = target.seeds();
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    std::ofstream(folder / ("seed-" + std::to_string(i)), std::ios::binary) << seeds[i];
  }
  std::filesystem::path dictionary = folder;
  dictionary += ".dict";
  std::ofstream out(dictionary, std::ios::binary);
  for (const std::string& word : words_of(seeds)) {
    if (!word.empty()) out << dictionary_line(word);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    for (const Target& target : memuse::fuzz::targets()) std::printf("%s\n", target.name.c_str());
    return argc == 1 ? 0 : 2;
  }
  for (const Target& target : memuse::fuzz::targets()) {
    if (target.name == argv[1]) {
      write_target(target, argv[2]);
      return 0;
    }
  }
  std::fprintf(stderr, "no target '%s'\n", argv[1]);
  return 2;
}
