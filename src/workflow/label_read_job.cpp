#include "workflow/label_read_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <utility>

#include "evidence/answer_checks.h"
#include "evidence/evidence_set.h"
#include "model/entries.h"
#include "model/error.h"
#include "model/text.h"
#include "model/version.h"
#include "rules/verdict.h"
#include "spans/spans.h"
#include "store/database.h"
#include "store/judged_spans.h"
#include "store/judgements.h"
#include "store/reader.h"
#include "workflow/judgement_sets.h"
#include "workflow/label_form.h"
#include "workflow/sources.h"

namespace memuse::workflow {
namespace {

/// What the judgement set of a labeller says of how its answers were made.
constexpr const char* kLabelSettings = R"({"labels": true, "reads": "not recorded"})";

/// The entry that a fault begins with: "entry 3: …".
std::optional<std::uint32_t> entry_in(std::string_view fault) {
  constexpr std::string_view kStart = "entry ";
  if (!fault.starts_with(kStart)) return std::nullopt;
  std::uint32_t entry = 0;
  const auto [stop, error] = std::from_chars(fault.data() + kStart.size(), fault.data() + fault.size(), entry);
  return error == std::errc{} ? std::optional(entry) : std::nullopt;
}

/// Labels by other hands cite the task and the memory texts alike as step 0. A located quote that stands in a file of
/// memory text is cited from there; returns how many. Before the checks, since only text that was there before the
/// delivery can show that an entry is redundant.
std::uint64_t cite_memory_texts(Answer& answer) {
  std::uint64_t moved = 0;
  for (EntryAnswer& entry : answer.entries) {
    for (Evidence& piece : entry.evidence) {
      if (piece.step != 0U || !piece.place || piece.place->file == "task") continue;
      piece.step.reset();
      piece.file = piece.place->file;
      ++moved;
    }
  }
  return moved;
}

/// True when the evidence has the step or file that is cited.
bool is_place(const evidence::EvidenceSet& evidence, const Evidence& piece) {
  if (piece.step) return *piece.step <= evidence.episode().step_count();
  return evidence.text(piece.file).has_value();
}

/// Takes the quotes that do not stand where they are cited from out of an answer whose quotes were located; returns
/// them with their entries.
std::vector<std::pair<std::uint32_t, Evidence>> take_unfound_quotes(const evidence::EvidenceSet& evidence,
                                                                    Answer& answer) {
  std::vector<std::pair<std::uint32_t, Evidence>> unfound;
  for (EntryAnswer& entry : answer.entries) {
    std::vector<Evidence> found;
    for (Evidence& piece : entry.evidence) {
      if (piece.place || is_blank(piece.quote) || !is_place(evidence, piece)) {
        found.push_back(std::move(piece));
      } else {
        unfound.emplace_back(entry.entry, std::move(piece));
      }
    }
    entry.evidence = std::move(found);
  }
  return unfound;
}

/// The labels name an item for an entry that holds another one: they are for something else.
std::vector<std::string> item_faults(const Episode& episode, const Span& span, const SpanLabels& labels) {
  std::vector<std::string> faults;
  const std::uint32_t target = span.deliveries.front().delivery;
  if (target >= episode.deliveries.size()) return faults;
  for (const ExposedEntry& entry : exposed_entries(episode, episode.deliveries[target])) {
    const auto named = labels.items.find(entry.index);
    if (named == labels.items.end() || entry.recorded == nullptr || !entry.recorded->item) continue;
    if (*entry.recorded->item != named->second) {
      faults.push_back(fmt::format("entry {}: it is item {} here, and the labels are for item {}", entry.index,
                                   printable(*entry.recorded->item), printable(named->second)));
    }
  }
  return faults;
}

/// Checks and stores labels, episode by episode.
class LabelReader {
 public:
  LabelReader(const LabelReadOptions& options, const store::Database& database, store::JudgementWriter& writer,
              std::int64_t set, LabelSource& source, LabelReadSummary& summary)
      : options_(options),
        database_(database),
        writer_(writer),
        set_(set),
        source_(source),
        summary_(summary),
        sources_(database) {}

  void take(EpisodeLabels labels) {
    summary_.spans += labels.spans.size();
    const std::optional<EpisodeRecord> record = find(labels);
    std::vector<SpanLabels*> filled;
    for (SpanLabels& span : labels.spans) {
      if (record && span.draw) drawn_.push_back({record->uid, span.span, span.draw->first, span.draw->second});
      if (span.is_blank) {
        ++summary_.blank;
      } else if (!span.faults.empty()) {
        refuse(span, span.faults);
      } else {
        filled.push_back(&span);
      }
    }
    if (!filled.empty()) check(record, filled, labels);
  }

  [[nodiscard]] const std::vector<SampledSpan>& drawn() const { return drawn_; }

 private:
  [[nodiscard]] std::optional<EpisodeRecord> find(const EpisodeLabels& labels) const {
    for (EpisodeRecord& record : store::find_episodes(database_, labels.episode)) {
      if (labels.any_attempt || record.retained) return std::move(record);
    }
    return std::nullopt;
  }

  void check(const std::optional<EpisodeRecord>& record, const std::vector<SpanLabels*>& filled,
             const EpisodeLabels& labels) {
    const auto refuse_all = [&](const std::string& why) {
      for (SpanLabels* span : filled) refuse(*span, {why});
    };
    if (!record) {
      return refuse_all(labels.any_attempt
                            ? "its episode is not in this database any more; write the folder anew and copy the labels"
                            : "its episode is not in this database; ingest its trace first");
    }
    SourceRead read = sources_.read(*record, store::episode_probe(database_, record->uid), options_.source_roots);
    if (!read.episode) return refuse_all("the quotes cannot be checked: " + to_line(*read.fault));
    const EpisodeSpans spans = spans::compute_spans(*read.episode);
    const auto shared =
        std::make_shared<const evidence::EpisodeEvidence>(*read.episode, spans, source_.evidence_options());
    for (SpanLabels* span : filled) check_span(*record, *read.episode, spans, shared, *span);
  }

  void check_span(const EpisodeRecord& record, const Episode& episode, const EpisodeSpans& spans,
                  const std::shared_ptr<const evidence::EpisodeEvidence>& shared, SpanLabels& labels) {
    if (labels.span == 0 || labels.span > spans.spans.size()) {
      return refuse(labels, {fmt::format("the episode has no span S{}; it has {}", labels.span, spans.spans.size())});
    }
    const Span& span = spans.spans[labels.span - 1];
    if (span.routing != Routing::judged) {
      return refuse(labels, {"no entry of this span has a window, so there is nothing to label; leave it out"});
    }
    if (!labels.content.empty() && labels.content != span_content(episode, span)) {
      return refuse(labels, {"its entries or windows have changed since the form was written; write the folder anew"});
    }
    if (const auto faults = item_faults(episode, span, labels); !faults.empty()) return refuse(labels, faults);
    const evidence::EvidenceSet evidence(shared, span);
    Answer answer = std::move(labels.answer);
    std::sort(answer.entries.begin(), answer.entries.end(),
              [](const EntryAnswer& a, const EntryAnswer& b) { return a.entry < b.entry; });
    evidence::locate_quotes(evidence, answer);
    const std::uint64_t moved = cite_memory_texts(answer);
    const auto faults = evidence::answer_faults(evidence, answer, evidence::Answerer::person);
    if (!faults.empty() && !is_right_without_unfound_quotes(evidence, answer, labels)) return refuse(labels, faults);
    store(record, labels.span, answer);
    summary_.moved_quotes += moved;
  }

  /// Whether quotes that stand nowhere are all that is wrong, and that is allowed. Notes them.
  bool is_right_without_unfound_quotes(const evidence::EvidenceSet& evidence, const Answer& answer,
                                       const SpanLabels& labels) {
    if (!options_.accept_unfound_quotes) return false;
    Answer rest = answer;
    const auto unfound = take_unfound_quotes(evidence, rest);
    if (!evidence::answer_faults(evidence, rest, evidence::Answerer::person).empty()) return false;
    constexpr std::size_t kQuoteShown = 80;
    for (const auto& [entry, piece] : unfound) {
      summary_.unfound.push_back(fault(labels, fmt::format("entry {}: kept a quote that stands nowhere: \"{}\"", entry,
                                                           printable(shortened(piece.quote, kQuoteShown)))));
    }
    return true;
  }

  void store(const EpisodeRecord& record, std::uint32_t span, const Answer& answer) {
    if (writer_.has_answer(set_, record.uid, span)) ++summary_.replaced;
    writer_.put_answer(set_, record.uid, span, answer, rules::answer_verdict(answer));
    ++summary_.stored;
    summary_.entries += answer.entries.size();
  }

  void refuse(const SpanLabels& labels, const std::vector<std::string>& faults) {
    ++summary_.refused;
    for (const std::string& message : faults) summary_.faults.push_back(fault(labels, message));
  }

  /// A message with the line of the entry that it begins with.
  static LabelFault fault(const SpanLabels& labels, const std::string& message) {
    const std::optional<std::uint32_t> entry = entry_in(message);
    const auto line = entry ? labels.lines.find(*entry) : labels.lines.end();
    return {labels.file, line == labels.lines.end() ? labels.line : line->second, labels.name, message};
  }

  const LabelReadOptions& options_;
  const store::Database& database_;
  store::JudgementWriter& writer_;
  std::int64_t set_;
  LabelSource& source_;
  LabelReadSummary& summary_;
  SourceReader sources_;
  std::vector<SampledSpan> drawn_;
};

void check_name(const std::string& labeller) {
  constexpr std::size_t kLongestLabeller = 100;
  const bool is_plain = std::none_of(labeller.begin(), labeller.end(),
                                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  if (is_blank(labeller) || labeller.size() > kLongestLabeller || !is_plain) {
    throw Error(ExitCode::usage, "say whose labels these are: --labeller NAME (a short name on one line)");
  }
}

JudgementSetRecord record_of(const store::Database& database, std::int64_t set) {
  const std::vector<JudgementSetRecord> sets = store::judgement_sets(database);
  return *std::find_if(sets.begin(), sets.end(), [&](const JudgementSetRecord& known) { return known.id == set; });
}

/// Throws Error(usage) when the labeller's set is about another sample than this file.
void check_sample(const JudgementSetRecord& record, const LabelSource& source, const LabelReadOptions& options) {
  if (!record.sample || !source.sample() || record.sample == source.sample()) return;
  throw Error(ExitCode::usage,
              fmt::format("the labels of {} are a sample of size {} (seed {}); read another sample under another name",
                          printable(options.labeller), record.sample->size, record.sample->seed));
}

/// Labels of spans that no sample drew make it a set about all spans, of which some are labelled.
void end_sample_with_others(const store::Database& database, store::JudgementWriter& writer, std::int64_t set) {
  const JudgementSetRecord record = record_of(database, set);
  if (record.sample && record.accepted + record.unresolved > record.sample_answered) writer.remove_sample(set);
}

/// The drawn spans that the database has, each once; the others are faults.
std::vector<SampledSpan> drawn_spans(const store::Database& database, const std::vector<SampledSpan>& drawn,
                                     LabelReadSummary& summary) {
  std::map<std::pair<std::string, std::uint32_t>, const SampledSpan*> wanted;
  for (const SampledSpan& span : drawn) wanted.emplace(std::pair(span.uid, span.span), &span);
  std::vector<SampledSpan> found;
  store::for_each_judged_span(database, [&](const store::JudgedSpanFacts& facts) {
    const auto span = wanted.find({facts.uid, facts.span});
    if (span == wanted.end()) return;
    found.push_back(*span->second);
    wanted.erase(span);
  });
  for (const auto& [key, span] : wanted) {
    summary.faults.push_back({kSpansFile, 0, fmt::format("{}/S{}", key.first, key.second),
                              "it was drawn, but the database has no such span to judge"});
  }
  return found;
}

}  // namespace

LabelReadSummary read_labels(const LabelReadOptions& options, Progress& progress) {
  check_name(options.labeller);
  const std::unique_ptr<LabelSource> source = open_labels(options.path);
  // Refuses a missing file, which `open` would create.
  store::Database::open_existing(options.database).close();
  store::Database database = store::Database::open(options.database);
  LabelReadSummary summary;
  summary.judge = kLabelPrefix + options.labeller;
  {
    store::JudgementWriter writer(database, store::Durability::batched);
    const std::int64_t set = writer.open_judgement_set(summary.judge, kRuleSet, kLabelSettings, true, true);
    check_sample(record_of(database, set), *source, options);
    LabelReader reader(options, database, writer, set, *source, summary);
    progress.begin("reading labels", "episodes", 0);
    while (std::optional<EpisodeLabels> labels = source->next()) {
      reader.take(std::move(*labels));
      progress.advance(1);
      summary.interrupted = options.stop != nullptr && options.stop->load();
      if (summary.interrupted) break;
    }
    progress.end();
    writer.flush();
    if (source->sample() && !summary.interrupted) {
      writer.put_sample(set, *source->sample(), drawn_spans(database, reader.drawn(), summary));
    }
    if (!summary.interrupted) end_sample_with_others(database, writer, set);
  }
  database.close();
  summary.faults.insert(summary.faults.end(), source->faults().begin(), source->faults().end());
  return summary;
}

}  // namespace memuse::workflow
