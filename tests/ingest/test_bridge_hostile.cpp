#include <catch2/catch.hpp>

#include <chrono>

#include "support/bridge_reading.h"
#include "support/bridge_variants.h"

using namespace memuse;
using namespace memuse::test;

namespace {

const char* const kInstance = "runs/mini-swe-agent/meadow__tinycal-9";

}  // namespace

TEST_CASE("a folder in place of a log is reported and the rest is read", "[bridge]") {
  const TemporaryFolder folder;
  write_bridge_root(folder.path());
  const auto files = log_files(folder.path());
  std::filesystem::remove(files[1]);
  std::filesystem::create_directory(files[1]);
  const Reading reading = read_path(folder.path().string());
  CHECK(reading.episodes.size() == 2);
  CHECK(reading.count(Fault::unreadable_file) == 1);
  CHECK(tag_of(reading.at("meadow__tinycal-9"), "bridge_trace") == "untraced");
}

TEST_CASE("links that lead out of the root are not followed", "[bridge]") {
  const TemporaryFolder outside;
  const std::string secret = outside.write("secret.jsonl", "{\"seq\":1,\"type\":\"agent_start\",\"x\":\"secret\"}\n");
  outside.write("memory.json", R"({"available": false, "user": "secret"})");
  const TemporaryFolder folder;
  write_bridge_root(folder.path());
  const auto files = log_files(folder.path());
  std::filesystem::remove(files[1]);
  std::filesystem::create_symlink(secret, files[1]);
  std::filesystem::remove(folder.path() / kInstance / "memory.json");
  std::filesystem::create_symlink(outside.path() / "memory.json", folder.path() / kInstance / "memory.json");
  const Reading reading = read_path(folder.path().string());
  CHECK(reading.count(Fault::unreadable_file) == 2);
  CHECK(tag_of(reading.at("meadow__tinycal-9"), "bridge_memory").empty());
  CHECK(reading.at("meadow__tinycal-9").source.path.find("secret") == std::string::npos);
}

TEST_CASE("ids in the order file lead nowhere", "[bridge]") {
  const TemporaryFolder folder;
  write_bridge_root(folder.path() / "root");
  folder.write("root/instance-ids.txt", "../../..\n..\n/etc\nmeadow__tinycal-7\nmeadow__tinycal-9\n");
  const Reading reading = read_path(folder / "root");
  CHECK(reading.episodes.size() == 2);
  CHECK(reading.count(Fault::under_recorded) == 3);
}

TEST_CASE("a log cut at any place is read as far as it goes", "[bridge]") {
  const TemporaryFolder folder;
  write_bridge_root(folder.path());
  const auto file = log_files(folder.path())[1];
  const std::string whole = read_file(file);
  std::uint32_t before = 0;
  for (std::size_t size = 0; size <= whole.size(); size += whole.size() / 40) {
    BridgeInstance::write(file, whole.substr(0, size));
    const Reading reading = read_path(folder.path().string());
    REQUIRE(reading.episodes.size() == 2);
    if (size == 0) continue;
    const Episode& episode = reading.at("meadow__tinycal-9");
    CHECK(episode.step_count() >= before);
    before = episode.step_count();
    check_read_again(reading);
  }
}

TEST_CASE("huge numbers and deep nesting cost neither memory nor the episode", "[bridge]") {
  const TemporaryFolder folder;
  write_bridge_root(folder.path());
  const auto file = log_files(folder.path())[1];
  Events events = read_events(file);
  events.push_back(
      {{"seq", 1}, {"type", "history_rewritten"}, {"proxy_source", "MAIN"}, {"kept", 18446744073709551615ULL}});
  events.push_back({{"seq", 1},
                    {"type", "message_end"},
                    {"proxy_source", "MAIN"},
                    {"msg", 18446744073709551615ULL},
                    {"message", {{"role", "user"}, {"content", "far"}}}});
  events.push_back({{"seq", 1},
                    {"type", "memory_generate_start"},
                    {"proxy_source", "EXTRACT"},
                    {"payload", {{"operation_id", "o"}, {"inputs", Json::array({{{"source_step", 4294967295U}}})}}}});
  events.push_back({{"seq", 1},
                    {"type", "memory_change"},
                    {"proxy_source", "EXTRACT"},
                    {"payload",
                     {{"operation_id", "o"},
                      {"action", "create"},
                      {"change_count", 18446744073709551615ULL},
                      {"after", Json::array({{{"version_id", "v"}}})}}}});
  write_events(file, events);
  std::ofstream(file, std::ios::app) << std::string(100000, '[')
                                     << "\n{\"type\":\"message_end\",\"a\":" << std::string(5000, '[')
                                     << std::string(5000, ']') << "}\n";
  const Reading reading = read_path(folder.path().string());
  INFO(reading.faults());
  CHECK(reading.at("meadow__tinycal-9").step_count() == 5);
  CHECK(tag_of(reading.at("meadow__tinycal-9"), "bridge_trace") == "partly_traced");
}

TEST_CASE("events and fields that nobody knows are counted and change nothing", "[bridge]") {
  const TemporaryFolder folder;
  write_bridge_root(folder.path());
  const std::string spans = all_spans(read_path(folder.path().string()));
  change_logs(folder.path(), [](const Events& events) {
    Events all;
    for (Json event : events) {
      event["colour"] = "blue";
      all.push_back(event);
      all.push_back({{"seq", 0}, {"type", "weather"}, {"proxy_source", "MAIN"}});
    }
    return all;
  });
  const Reading reading = read_path(folder.path().string());
  CHECK(all_spans(reading) == spans);
  CHECK(reading.count(Fault::unknown_type) == 2);
  CHECK(reading.count(Fault::unknown_field) > 0);
}

namespace {

/// A log of `steps` calls as a recorder writes it that rewrites its history before each one.
std::string long_log(int steps) {
  const std::string block = "background\n\n## Recalled Memories\n- always the same";
  std::string log = R"({"seq":1,"type":"memory_session","proxy_source":"MAIN","payload":{"trace_session_id":"t"}})";
  int seq = 1;
  const auto event = [&](Json fields) {
    fields["seq"] = ++seq;
    fields["proxy_source"] = "MAIN";
    log += "\n" + fields.dump();
  };
  const auto message = [&](int number, const Json& chat) {
    event({{"type", "message_end"}, {"msg", number}, {"message", chat}});
  };
  Json reply;
  int history = 1;
  message(0, {{"role", "user"}, {"content", "task"}});
  for (int i = 0; i < steps; ++i) {
    if (i > 0) {
      event({{"type", "history_rewritten"}, {"kept", history}});
      message(history++, reply);
      message(history++, {{"role", "tool"}, {"tool_call_id", fmt::format("c{}", i - 1)}, {"content", "out"}});
    }
    message(history, {{"role", "user"}, {"content", block}});
    reply = {{"role", "assistant"}, {"content", "on"}};
    reply["tool_calls"] =
        Json::array({{{"id", fmt::format("c{}", i)}, {"function", {{"name", "bash"}, {"arguments", "{}"}}}}});
    message(history + 1, reply);
    event({{"type", "memory_delivery"},
           {"payload",
            {{"delivery_id", fmt::format("d{}", i)},
             {"status", "placed"},
             {"placement", {{"content", {{"text", block}}}}},
             {"memories", Json::array()}}},
           {"binding", {{"after_role_call_index", i}}}});
  }
  return log;
}

}  // namespace

TEST_CASE("the work grows with the log, not with its square", "[bridge]") {
  const auto seconds = [](int steps) {
    const TemporaryFolder folder;
    const std::string path = folder.write("trajectory.jsonl", long_log(steps));
    const auto start = std::chrono::steady_clock::now();
    const Reading reading = read_path(path);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    REQUIRE(reading.episodes.size() == 1);
    const Episode& episode = reading.episodes.begin()->second;
    CHECK(episode.step_count() == static_cast<std::uint32_t>(steps));
    CHECK(episode.deliveries.size() == static_cast<std::size_t>(steps));
    CHECK(spans::compute_spans(episode).spans.size() == 1);
    return taken.count();
  };
  const double small = seconds(1000);
  const double large = seconds(8000);
  // Eight times the steps: a square would be 64 times the work. The addend is for a busy machine.
  CHECK(large < 24 * small + 1.0);
}
