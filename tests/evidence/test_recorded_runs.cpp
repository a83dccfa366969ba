#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "evidence/answer_checks.h"
#include "evidence_cases.h"
#include "ingest/canonical_trace.h"
#include "support/data.h"

using namespace memuse;
using namespace memuse::test;
using Json = nlohmann::json;

TEST_CASE("the quotes of people who labelled recorded runs stand in the evidence files") {
  MEMUSE_NEEDS_SHARED_DATA();
  const std::filesystem::path folder = shared_data() / "recorded-runs";
  std::map<std::string, std::unique_ptr<EvidenceCase>> cases;
  for (const auto& file : std::filesystem::directory_iterator(folder / "traces")) {
    for (Episode& episode : ingest::read_canonical_trace(read_file(file.path()), {})) {
      const std::string name =
          std::string(episode.configuration) + "/" + std::string(episode.run) + "/" + std::string(episode.id);
      cases.emplace(name, std::make_unique<EvidenceCase>(std::move(episode)));
    }
  }
  for (const std::string annotator : {"annotator-1.jsonl", "annotator-2.jsonl"}) {
    std::size_t quotes = 0;
    std::size_t of_the_outcome = 0;
    std::ifstream labels(folder / "labels" / annotator);
    for (std::string line; std::getline(labels, line);) {
      const Json label = Json::parse(line);
      const std::string name = label["configuration"].get<std::string>() + "/" + label["run"].get<std::string>() + "/" +
                               label["episode"].get<std::string>();
      const evidence::EvidenceSet set = cases.at(name)->of(std::stoul(label["span"].get<std::string>().substr(1)));
      Answer answer{{{label["entry"].get<std::uint32_t>(), {}, {}, {}, ""}}};
      for (const Json& cited : label["evidence"]) {
        Evidence evidence;
        evidence.step = cited["step"].get<std::uint32_t>();
        evidence.quote = cited["quote"].get<std::string>();
        answer.entries.front().evidence.push_back(evidence);
      }
      evidence::locate_quotes(set, answer);
      for (const Evidence& evidence : answer.entries.front().evidence) {
        ++quotes;
        if (evidence.place) continue;
        // The annotators were told the result in words of their own form, which no trace has.
        ++of_the_outcome;
        INFO(annotator << ": " << name << " " << label["span"] << " step " << *evidence.step << ": " << evidence.quote);
        CHECK(*evidence.step == 0);
        CHECK(evidence.quote.find("resolved=") != std::string::npos);
      }
    }
    CHECK(quotes > 100);
    CHECK(of_the_outcome < 10);
  }
}
