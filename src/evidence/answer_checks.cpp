#include "evidence/answer_checks.h"

#include "evidence/shown_places.h"
#include "judge/checks.h"

namespace memuse::evidence {

std::vector<std::string> answer_faults(const EvidenceSet& evidence, const Answer& answer, Answerer answerer) {
  ShownPlaces places(evidence, answerer == Answerer::person);
  return judge::answer_faults(evidence.span(), answer, judge::CheckOptions{}, places);
}

void locate_quotes(const EvidenceSet& evidence, Answer& answer) {
  ShownPlaces places(evidence, true);
  for (EntryAnswer& entry : answer.entries) {
    for (Evidence& piece : entry.evidence) {
      const judge::CitedPlace cited = judge::cited_place(piece);
      if (auto place = places.locate(cited, piece.quote)) piece.place = std::move(place);
    }
  }
}

}  // namespace memuse::evidence
