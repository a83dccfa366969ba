#include "workflow/label_form.h"

#include <catch2/catch.hpp>
#include <set>

using namespace memuse;
using namespace memuse::workflow;
using nlohmann::json;

TEST_CASE("folders of hostile names stay inside, differ, and fit a file system") {
  FolderNames names;
  const std::vector<std::string> hostile{"..",
                                         ".",
                                         "",
                                         "a/b",
                                         "a%2Fb",
                                         "A",
                                         "a",
                                         "a~2",
                                         "/etc",
                                         "line\nbreak",
                                         "nul\0byte",
                                         "ünïcode",
                                         "\xff\xfe",
                                         "con:",
                                         "x ",
                                         "x",
                                         ".hidden",
                                         "a\\b",
                                         std::string(5000, 'y'),
                                         std::string(5000, 'y') + "z",
                                         "%",
                                         "%25"};
  std::set<std::string> lower;
  for (const std::string& name : hostile) {
    const std::string folder = names.folder(name, name);
    INFO(folder);
    CHECK(!folder.empty());
    CHECK(folder.size() < 120);
    CHECK(folder != ".");
    CHECK(folder != "..");
    CHECK(folder.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-%~") ==
          std::string::npos);
    std::string folded = folder;
    for (char& c : folded) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    CHECK(lower.insert(folded).second);
    CHECK(names.folder(name, name) == folder);
  }
  CHECK(FolderNames().folder("cards-2.r1", "x") == "cards-2.r1");
}

TEST_CASE("two things of the same name have two folders") {
  FolderNames names;
  CHECK(names.folder("task", "uid 1") == "task");
  CHECK(names.folder("task", "uid 2") == "task~2");
  CHECK(names.folder("Task", "uid 3") == "Task~3");
  CHECK(names.folder("task", "uid 1") == "task");
}

TEST_CASE("an untouched entry is blank, and what is missing from another is named") {
  json entry{{"entry", 0},
             {"item", "N-1"},
             {"window", {2, 5}},
             {"text", "…"},
             {"reason", ""},
             {"evidence", json::array()},
             {"relevance", ""},
             {"accuracy", ""},
             {"novelty", ""},
             {"influence", ""},
             {"anchors", json::array()},
             {"effect", ""}};
  CHECK(is_blank_entry(entry));
  entry["influence"] = nullptr;
  CHECK(!is_blank_entry(entry));
  CHECK(blank_labels(entry) == std::vector<std::string_view>{"relevance", "accuracy", "novelty", "effect"});
  entry["influence"] = "";
  entry["reason"] = "so it is";
  CHECK(!is_blank_entry(entry));
  CHECK(!is_blank_entry(json::array()));
  CHECK(!is_blank_entry(json::object()));
}
