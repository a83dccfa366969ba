#include "model/version.h"
#include "rules/verdict.h"
#include "store/judgements.h"
#include "store/study_facts.h"
#include "store/writer.h"
#include "support/synthetic_plan.h"

namespace memuse::test {
namespace {

void put_answers(store::JudgementWriter& writer, std::int64_t set, const std::string& uid, const PlannedEpisode& plan) {
  const EpisodeSpans spans = make_spans(plan);
  for (std::size_t i = 0; i < plan.spans.size(); ++i) {
    const PlannedSpan& span = plan.spans[i];
    if (span.routing != Routing::judged) continue;
    const std::uint32_t number = spans.spans[i].number;
    if (span.unresolved) {
      writer.put_unresolved(set, uid, number, "refused");
      continue;
    }
    const Answer answer = make_answer(span, spans.spans[i]);
    writer.put_answer(set, uid, number, answer, rules::answer_verdict(answer));
  }
}

}  // namespace

void write_study(const std::string& database, const PlanSource& plans, const std::string& baseline) {
  store::Database file = store::Database::open(database);
  std::vector<std::string> uids;
  {
    store::Writer writer(file);
    plans([&](const PlannedEpisode& plan) {
      const store::PreparedEpisode prepared = store::prepare(make_episode(plan), make_spans(plan));
      uids.push_back(prepared.record.uid);
      writer.add(prepared);
    });
    writer.finish();
  }
  if (!baseline.empty()) store::set_baselines(file, {{baseline, true}});
  {
    store::JudgementWriter writer(file, store::Durability::batched);
    const std::int64_t set = writer.open_judgement_set("synthetic", kRuleSet, "{}", true, true);
    std::size_t episode = 0;
    plans([&](const PlannedEpisode& plan) { put_answers(writer, set, uids[episode++], plan); });
    writer.flush();
  }
  file.close();
}

}  // namespace memuse::test
