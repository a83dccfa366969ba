#include "store/judged_spans.h"

#include "model/labels.h"
#include "store/episode_reader.h"

namespace memuse::store {

void for_each_judged_span(const Database& database, const std::function<void(const JudgedSpanFacts&)>& callback) {
  const ReadSnapshot snapshot(database);
  Statement episodes(database.connection(),
                     "SELECT id, uid, configuration, run FROM episode WHERE retained ORDER BY id");
  Statement spans(database.connection(),
                  "SELECT d.span, d.form FROM delivery AS d"
                  " JOIN span AS s ON s.episode_id = d.episode_id AND s.span = d.span"
                  " WHERE d.episode_id = ? AND NOT d.restatement AND s.routing = ? ORDER BY d.span");
  JudgedSpanFacts facts;
  while (episodes.step()) {
    facts.uid = episodes.text(1);
    facts.configuration = episodes.text(2);
    facts.run = episodes.text(3);
    spans.bind(episodes.integer(0), name(Routing::judged));
    while (spans.step()) {
      facts.span = spans.number(0);
      facts.form = spans.text(1);
      callback(facts);
    }
  }
}

std::uint64_t judged_span_count(const Database& database) {
  Statement row(database.connection(),
                "SELECT count(*) FROM span AS s JOIN episode AS e ON e.id = s.episode_id"
                " WHERE e.retained AND s.routing = ?");
  row.bind(name(Routing::judged)).step();
  return row.count(0);
}

}  // namespace memuse::store
