#include "ingest/instance_names.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

namespace memuse::ingest {
namespace {

TEST_CASE("an instance id names its repository", "[names]") {
  CHECK(repository_of_instance("harbor__tide-clock-17") == "harbor/tide-clock");
  CHECK(repository_of_instance("harbor__tide__clock-17") == "harbor/tide__clock");
  CHECK(repository_of_instance("harbor__tide").empty());
  CHECK(repository_of_instance("harbor__tide-x1").empty());
  CHECK(repository_of_instance("harbor__-1").empty());
  CHECK(repository_of_instance("__tide-1").empty());
  CHECK(repository_of_instance("tide-1").empty());
  CHECK(repository_of_instance("").empty());
}

TEST_CASE("a routing prefix is no part of a model's name", "[names]") {
  CHECK(model_without_route("lab/small-1") == "small-1");
  CHECK(model_without_route("@lab/small-1") == "small-1");
  CHECK(model_without_route("small-1") == "small-1");
  CHECK(model_without_route("lab/") == "lab/");
}

TEST_CASE("instance and run are named by file and folder, however the path is given", "[names]") {
  CHECK(instance_of_path("runs/a/x__y-1.traj.json") == "x__y-1");
  CHECK(instance_of_path("last.json") == "last");
  CHECK(run_folder_of_path("/data/first/x__y-1.traj.json", "x__y-1") == "first");
  CHECK(run_folder_of_path("/data/first/x__y-1/x__y-1.traj.json", "x__y-1") == "first");
  CHECK(run_folder_of_path("/data/first/x__y-1/x__y-1.traj.json", "other") == "first");
  CHECK(run_folder_of_path("/data/first/./deep/../x.traj.json", "x") == "first");
  CHECK(run_folder_of_path("/x.traj.json", "x").empty());
  const std::string here = std::filesystem::current_path().filename().string();
  CHECK(run_folder_of_path("x.traj.json", "x") == here);
  CHECK(run_folder_of_path("./x.traj.json", "x") == here);
  CHECK(run_folder_of_path((std::filesystem::current_path() / "x.traj.json").string(), "x") == here);
}

}  // namespace
}  // namespace memuse::ingest
