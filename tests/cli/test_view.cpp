// `memuse view`: what it serves, and what it refuses.

#include <httplib.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "support/json_schema.h"
#include "support/program.h"

namespace memuse::test {
namespace {

using Json = nlohmann::json;

/// A running `memuse view`, stopped at the end.
class RunningView {
 public:
  RunningView(const TemporaryFolder& folder, const std::string& database, int port = 0) {
    const std::string out = folder / ("view-" + std::to_string(port));
    process_ = ::fork();
    REQUIRE(process_ >= 0);
    if (process_ == 0) {
      if (std::freopen(out.c_str(), "w", stdout) == nullptr || std::freopen("/dev/null", "w", stderr) == nullptr)
        _exit(99);
      ::execl(MEMUSE_BINARY, "memuse", "view", "--db", database.c_str(), "--port", std::to_string(port).c_str(),
              static_cast<char*>(nullptr));
      _exit(98);
    }
    for (int i = 0; i < 600 && address_.find('\n') == std::string::npos; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      if (std::filesystem::exists(out)) address_ = read_file(out);
    }
    REQUIRE(address_.starts_with("http://127.0.0.1:"));
    address_ = address_.substr(0, address_.find('\n'));
  }
  ~RunningView() {
    if (process_ > 0) interrupt();
  }
  RunningView(const RunningView&) = delete;
  RunningView& operator=(const RunningView&) = delete;

  [[nodiscard]] int port() const { return std::stoi(address_.substr(17)); }
  /// `/TOKEN/`.
  [[nodiscard]] std::string root() const { return address_.substr(address_.find('/', 17)); }

  /// Sends Ctrl-C; its exit code.
  int interrupt() {
    ::kill(process_, SIGINT);
    int status = 0;
    ::waitpid(process_, &status, 0);
    process_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t process_ = -1;
  std::string address_;
};

std::string study(const TemporaryFolder& folder) {
  memuse_output({"run", std::string(MEMUSE_SOURCE_DIR) + "/examples/traces", "-o", folder / "out"});
  return folder / "out" + "/memuse.db";
}

}  // namespace

TEST_CASE("view: serves the page and whole data, and stops with Ctrl-C") {
  const TemporaryFolder folder;
  const std::string database = study(folder);
  RunningView view(folder, database);
  httplib::Client client("127.0.0.1", view.port());
  client.set_read_timeout(60);
  const auto page = client.Get(view.root());
  REQUIRE(page);
  CHECK(page->status == 200);
  CHECK(page->body.find("id=\"memuse-served\"") != std::string::npos);
  const std::string policy = page->get_header_value("Content-Security-Policy");
  CHECK(policy.starts_with("default-src 'none'; script-src 'sha256-"));
  CHECK(policy.find("unsafe") == std::string::npos);
  CHECK(policy.find("frame-ancestors 'none'") != std::string::npos);
  CHECK(page->get_header_value("X-Content-Type-Options") == "nosniff");
  CHECK(page->get_header_value("Cache-Control") == "no-store");

  const JsonSchema schema = JsonSchema::of_project("report-data-1");
  const auto get = [&](const std::string& path) {
    const auto answer = client.Get(view.root() + path);
    REQUIRE(answer);
    INFO(answer->body.substr(0, 200));
    REQUIRE(answer->status == 200);
    return Json::parse(answer->body);
  };
  CHECK(schema.faults({{"study", get("api/study")}}) == "");
  const Json episodes = get("api/episodes");
  CHECK(schema.faults({{"episodes", episodes}}) == "");
  CHECK(episodes["block"].is_null());
  CHECK(schema.faults({{"items", get("api/items")}}) == "");
  for (const Json& uid : episodes["uid"]) {
    CHECK(schema.faults({{"episode", get("api/episode?uid=" + uid.get<std::string>())}}) == "");
  }
  CHECK(get("api/item?configuration=cards&run=r2&store=default&item=CARD-1")["item"] == "CARD-1");
  const auto redirect = client.Get(view.root().substr(0, view.root().size() - 1));
  REQUIRE(redirect);
  CHECK(redirect->status == 301);
  CHECK(view.interrupt() == 0);
}

TEST_CASE("view: refuses strangers, writes and other paths") {
  const TemporaryFolder folder;
  const std::string database = study(folder);
  const std::string before = read_file(database);
  RunningView view(folder, database);
  httplib::Client client("127.0.0.1", view.port());
  const auto status = [&](const std::string& path, const std::string& host = {}) {
    httplib::Headers headers;
    if (!host.empty()) headers.emplace("Host", host);
    const auto answer = client.Get(path, headers);
    REQUIRE(answer);
    CHECK(answer->body.find("memuse-served") == std::string::npos);
    return answer->status;
  };
  CHECK(status("/") == 403);
  CHECK(status("/00000000000000000000000000000000/") == 403);
  CHECK(status("/00000000000000000000000000000000/api/study") == 403);
  CHECK(status(view.root(), "evil.example") == 403);
  CHECK(status(view.root() + "api/study", "evil.example:" + std::to_string(view.port())) == 403);
  CHECK(status(view.root() + "../../etc/passwd") != 200);
  CHECK(status(view.root() + "memuse.db") == 404);
  CHECK(status(view.root() + "api/nothing") == 404);
  CHECK(status(view.root() + "api/episode?uid=none") == 404);
  CHECK(status(view.root() + "api/episode?uid=" + std::string(4000, 'a')) == 404);
  CHECK(status(view.root() + "api/episode") == 404);
  CHECK(status(view.root() + "api/item?item=none") == 404);
  for (const auto& answer :
       {client.Post(view.root(), "x", "text/plain"), client.Put(view.root() + "api/study", "x", "text/plain"),
        client.Delete(view.root() + "api/study"), client.Options(view.root())}) {
    REQUIRE(answer);
    CHECK(answer->status == 405);
  }
  const auto head = client.Head(view.root());
  REQUIRE(head);
  CHECK(head->status == 200);
  CHECK(head->body.empty());
  CHECK(read_file(database) == before);
}

TEST_CASE("view: a port that is taken, and wrong use, are told") {
  const TemporaryFolder folder;
  const std::string database = study(folder);
  RunningView view(folder, database);
  const ProgramResult second = run_memuse({"view", "--db", database, "--port", std::to_string(view.port())});
  CHECK(second.exit_code == 3);
  CHECK(second.err.find("is taken") != std::string::npos);
  CHECK(second.err.find("--port") != std::string::npos);
  CHECK(run_memuse({"view", "--db", folder / "none.db"}).exit_code != 0);
  CHECK(run_memuse({"view", "--db", database, "--port", "70000"}).exit_code == 2);
  CHECK(run_memuse({"view"}).exit_code == 2);
}

}  // namespace memuse::test
