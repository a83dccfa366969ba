#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "attribution/facts.h"

namespace memuse::attribution {

/// Collects the facts of a study in one pass, one episode at a time. Not thread-safe.
///
/// The result does not depend on the order of the episodes, down to the last bit, except for sums of recorded US
/// dollars in `StudyFacts::profile`, which add up in the order given.
class Collector {
 public:
  /// `price_of` puts a price on calls without a recorded cost (`EpisodeFacts::cost`); without it they are unknown.
  explicit Collector(rules::PriceOf price_of = {}) : price_of_(std::move(price_of)) {}

  /// Takes in one episode with its spans; of one that is not retained only `StudyFacts::profile` takes note.
  void add(const EpisodeSpansRecord& record);

  /// The study. `baseline` is the configuration that the others are compared with; empty for none. Call it once.
  [[nodiscard]] StudyFacts finish(rules::AssessedSignals assessed, std::string baseline = {});

 private:
  void add_deliveries(const SpanRecord& span, EpisodeFacts& facts);
  void add_profiled_span(const SpanRecord& span, EpisodeFacts& facts);
  void add_entry(const EntryRecord& entry, const SpanRecord& span, EpisodeFacts& facts, FormFacts& form);
  FormFacts& form_of(const DeliveryRecord& delivery, EpisodeFacts& facts);
  NameId intern(const std::string& name);
  void sort_names();
  void sort_forms();
  void sort_episodes();

  rules::PriceOf price_of_;
  rules::StudyTally tally_;
  StudyFacts study_;
  std::vector<std::string> uids_;  ///< of the episodes that name no task
  std::unordered_map<std::string, NameId> name_ids_;
  std::map<DeliveryForm, std::uint32_t> form_ids_;
};

}  // namespace memuse::attribution
