#include <fmt/format.h>

#include <algorithm>

#include "model/text.h"
#include "model/version.h"
#include "report/show.h"
#include "report/show_common.h"
#include "report/span_facts.h"
#include "report/text_layout.h"
#include "rules/profile.h"
#include "rules/verdict.h"

// The view of one span: what was placed, where, what the judge says of each entry, and the actions that it rests on.

namespace memuse::report {
namespace {

constexpr std::size_t kTaskBytes = 600;
constexpr std::size_t kOtherArgumentBytes = 160;
constexpr std::size_t kResultBytes = 240;
constexpr std::size_t kEarlierCopiesShown = 8;
constexpr std::size_t kEvidenceShown = 12;
constexpr std::size_t kAnchorsShown = 6;
constexpr std::size_t kQuoteBytes = 1000;
constexpr const char* kIndent = "    ";

std::string plain_status(const SpanRecord& span, const ShowOptions& options) {
  switch (span.status) {
    case SpanStatus::judged:
      return fmt::format("judged by {}, rule set {}", options.judge.empty() ? "an unnamed judge" : safe(options.judge),
                         kRuleSet);
    case SpanStatus::automatic:
      return fmt::format("automatic, without a judge; rule set {}", kRuleSet);
    case SpanStatus::empty:
      return "empty: nothing was delivered; outside triage";
    case SpanStatus::unresolved:
      return fmt::format("unresolved: the judge's answer was refused to the end ({})",
                         span.unresolved_reason.empty() ? "no reason recorded" : safe(span.unresolved_reason));
    case SpanStatus::not_judged:
      return "not judged yet";
  }
  return {};
}

std::string verdict_text(const SpanRecord& span) {
  const auto verdict = rules::verdict_of(span);
  if (!verdict) return "none";
  if (span.status == SpanStatus::automatic) return "neutral: every entry's credit is already open in an earlier window";
  if (span.status == SpanStatus::empty) return "neutral: a delivery without an entry can not help or harm";
  return fmt::format("{}: {}", name(*verdict), rules::verdict_rule(*verdict));
}

/// Text with a gutter that names the entries of each line.
class PlacedText {
 public:
  PlacedText(std::string_view text, std::size_t width) : text_(text), width_(width) {}

  void mark(ByteRange range, std::uint32_t entry) { marks_.push_back({range, entry}); }

  [[nodiscard]] std::string lines() const {
    std::string out;
    std::size_t begin = 0;
    while (begin <= text_.size()) {
      const std::size_t end = std::min(text_.find('\n', begin), text_.size());
      put_line(begin, end, out);
      begin = end + 1;
    }
    return out;
  }

 private:
  struct Mark {
    ByteRange range;
    std::uint32_t entry;
  };

  /// A bracket where an entry starts or ends.
  struct Sign {
    std::size_t place;
    bool opens;
  };

  void put_line(std::size_t begin, std::size_t end, std::string& out) const {
    std::string names;
    std::vector<Sign> signs;
    for (const Mark& one : marks_) {
      if (one.range.begin >= std::max(end, begin + 1) || one.range.end <= begin) continue;
      names += fmt::format("{}E{}", names.empty() ? "" : " ", one.entry);
      if (one.range.begin >= begin) signs.push_back({one.range.begin, true});
      // The line feed may belong to the entry.
      if (one.range.end <= end + 1) signs.push_back({std::min<std::size_t>(one.range.end, end), false});
    }
    std::stable_sort(signs.begin(), signs.end(), [](const Sign& a, const Sign& b) {
      return std::make_pair(a.place, a.opens) < std::make_pair(b.place, b.opens);  // one ends before the next begins
    });
    std::string line;
    std::size_t at = begin;
    for (const auto& [place, opens] : signs) {
      line += printable(text_.substr(at, place - at), true);
      line += opens ? "⟦" : "⟧";
      at = place;
    }
    line += printable(text_.substr(at, end - at), true);
    put_gutter(names, line, out);
  }

  void put_gutter(const std::string& names, const std::string& line, std::string& out) const {
    const std::string gutter = names.empty() ? "     │ " : fmt::format("{} ┃ ", pad_left(names, 4));
    bool first = true;
    for (const std::string& part : wrap(line, width_ > 30 ? width_ - 8 : 22)) {
      out += first || names.empty() ? gutter : std::string("     ┃ ");
      out += part;
      while (!out.empty() && out.back() == ' ') out.pop_back();
      out += '\n';
      first = false;
    }
  }

  std::string_view text_;
  std::size_t width_;
  std::vector<Mark> marks_;
};

class SpanView {
 public:
  SpanView(const Episode* episode, const EpisodeSpansRecord& record, const SpanRecord& span, const ShowOptions& options)
      : episode_(episode), record_(record), span_(span), options_(options), paint_(options.colour) {}

  std::string text() {
    header();
    placed_text();
    for (const EntryRecord& entry : span_.entries) entry_section(entry);
    if (options_.details) judging_section(*options_.details);
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::size_t width() const { return options_.width; }

  void heading(std::string_view text) { out_ += fmt::format("\n{}\n", paint_.bold(text)); }

  void line_field(std::string_view label, std::string_view text) { out_ += field(label, text, width()); }

  /// A labelled paragraph below an entry.
  void entry_field(std::string_view label, std::string_view text) {
    out_ += paint_.emphasised(hanging(fmt::format("{}{}", kIndent, pad_right(label, 11)), text, width()));
  }

  void header() {
    const auto verdict = rules::verdict_of(span_);
    const std::string word(verdict ? name(*verdict) : std::string_view("no verdict"));
    const std::string title = fmt::format("Span S{} of episode {}", span_.number, safe(record_.episode.episode));
    out_ += fmt::format("{}   {}\n", paint_.bold(title), paint_.judged(word, word));
    out_ += hanging("", place_text(record_.episode), width());
    out_ += rule(width());
    line_field("Verdict", verdict_text(span_));
    line_field("Status", plain_status(span_, options_));
    line_field("Outcome", outcome_text(record_.episode));
    line_field("Delivered", delivered_text());
    line_field("Visible",
               fmt::format("steps {} to {} of {}", span_.first_step, span_.last_step, record_.episode.steps));
    if (episode_ != nullptr && !episode_->task_text.empty()) {
      line_field("Task", printable(shortened(episode_->task_text, kTaskBytes), true));
    }
  }

  [[nodiscard]] std::string delivered_text() const {
    if (span_.deliveries.empty()) return "—";
    const DeliveryRecord& target = span_.deliveries.front();
    std::string out = fmt::format("{} at step {}, {}, form {}", safe(target.delivery), target.step,
                                  target.route == "agent" ? "as the agent asked" : "by the host", safe(target.form));
    out += target.recorded_tokens ? fmt::format(", {} tokens as recorded", *target.recorded_tokens)
                                  : fmt::format(", about {} tokens (utf8-bytes/4)", target.estimated_tokens);
    if (span_.deliveries.size() == 1) return out;
    out += fmt::format("; {}:", plural(span_.deliveries.size() - 1, "restatement"));
    for (std::size_t i = 1; i < span_.deliveries.size(); ++i) {
      if (i > 12) return out + fmt::format(" … and {} more", span_.deliveries.size() - i);
      out += fmt::format(" {} at step {}{}", safe(span_.deliveries[i].delivery), span_.deliveries[i].step,
                         i + 1 < span_.deliveries.size() ? "," : "");
    }
    return out;
  }

  void placed_text() {
    if (episode_ == nullptr) {
      heading("Exposed text, from the record");
      out_ += hanging("",
                      "The source of this episode could not be read: what stood around the entries, the task and the "
                      "agent's actions are not shown.",
                      width());
      for (const EntryRecord& entry : span_.entries) {
        PlacedText text(entry.text, width());
        text.mark({0, entry.text.size()}, entry.entry);
        out_ += text.lines();
      }
      return;
    }
    const Delivery* target = target_delivery(*episode_, span_);
    if (target == nullptr) return empty_search();
    heading("Placed text, whole (┃ entries, each from ⟦ to ⟧)");
    const std::string_view placed = episode_->placed_text(*target);
    if (placed.empty()) {
      out_ += "(none)\n";
      return;
    }
    PlacedText text(placed, width());
    std::vector<const EntryRecord*> elsewhere;
    for (const EntryRecord& entry : span_.entries) {
      if (const auto range = range_in_placed_text(*episode_, *target, entry)) {
        text.mark(*range, entry.entry);
      } else {
        elsewhere.push_back(&entry);
      }
    }
    out_ += text.lines();
    for (const EntryRecord* entry : elsewhere) {
      out_ += fmt::format("E{} is exposed in other words or another layout:\n", entry->entry);
      PlacedText own(entry->text, width());
      own.mark({0, entry->text.size()}, entry->entry);
      out_ += own.lines();
    }
  }

  void empty_search() {
    if (span_.deliveries.empty()) return;
    const std::size_t index = span_.deliveries.front().delivery_index;
    const std::size_t search = index - std::min(index, episode_->deliveries.size());
    heading("A search that returned nothing");
    if (search < episode_->searches.size()) {
      line_field("Query", printable(episode_->searches[search].query, true));
    }
  }

  void entry_section(const EntryRecord& entry) {
    const std::string use = entry.answer   ? use_text(entry.answer->labels)
                            : entry.window ? std::string("not judged")
                                           : std::string("no credit of its own");
    const std::string effect(entry.answer && entry.answer->labels.effect ? name(*entry.answer->labels.effect)
                                                                         : std::string_view());
    out_ += fmt::format("\n{}   {}\n", paint_.bold(fmt::format("E{}  {}", entry.entry, item_text(entry))),
                        paint_.judged(effect, use));
    window_field(entry);
    if (entry.answer) answer_fields(*entry.answer);
    copies_field(entry);
  }

  void window_field(const EntryRecord& entry) {
    if (entry.window) {
      const std::vector<std::uint32_t> none;
      const auto& anchors = entry.answer ? entry.answer->anchors : none;
      entry_field("window", fmt::format("{}{}", step_line(*entry.window, anchors, record_.episode.steps),
                                        anchors.empty() ? "" : "   (* anchor)"));
      return;
    }
    const auto owner = credit_owner(record_, span_, entry);
    entry_field("window", owner ? fmt::format("empty: {} (step {}) holds this text with its identifiers and its window "
                                              "is still open, so credit stays there",
                                              entry_label(owner->span, owner->entry), owner->step)
                                : std::string("empty"));
  }

  void answer_fields(const EntryAnswer& answer) {
    entry_field("labels", labels_text(answer.labels));
    if (!answer.reason.empty()) entry_field("reason", printable(answer.reason, true));
    evidence_fields(answer.evidence);
    for (std::size_t i = 0; i < std::min(answer.anchors.size(), kAnchorsShown); ++i)
      anchor_field(answer, answer.anchors[i]);
    if (answer.anchors.size() > kAnchorsShown) {
      entry_field("", fmt::format("and {} more anchors, up to step {}", answer.anchors.size() - kAnchorsShown,
                                  answer.anchors.back()));
    }
    if (answer.labels.influence == Influence::acted_on) effect_field(answer);
  }

  /// Every cited place once, with all the signals that it supports.
  void evidence_fields(const std::vector<Evidence>& evidence) {
    std::size_t shown_places = 0;
    std::size_t left_out = 0;
    for (std::size_t i = 0; i < evidence.size(); ++i) {
      const auto same_place = [&](const Evidence& other) {
        return other.step == evidence[i].step && other.file == evidence[i].file && other.quote == evidence[i].quote &&
               other.value == evidence[i].value;
      };
      const auto here = evidence.begin() + static_cast<std::ptrdiff_t>(i);
      if (std::any_of(evidence.begin(), here, same_place)) continue;
      if (++shown_places > kEvidenceShown) {
        ++left_out;
        continue;
      }
      std::string supports = safe(evidence[i].supports);
      for (auto other = here + 1; other != evidence.end(); ++other) {
        if (same_place(*other)) supports += fmt::format(", {}", safe(other->supports));
      }
      entry_field("evidence", fmt::format("for {}, {}: “{}”", supports, cited_place(evidence[i]),
                                          marked(shortened(evidence[i].quote, kQuoteBytes), evidence[i].value)));
    }
    if (left_out > 0) entry_field("", fmt::format("and {} more places", left_out));
  }

  static std::string cited_place(const Evidence& evidence) {
    if (evidence.step) return *evidence.step == 0 ? std::string("the task") : fmt::format("step {}", *evidence.step);
    return evidence.file == "target" ? std::string("the placed text") : fmt::format("file {}", safe(evidence.file));
  }

  void anchor_field(const EntryAnswer& answer, std::uint32_t anchor) {
    if (episode_ == nullptr) return;
    if (anchor == 0 || anchor > episode_->step_count()) return;
    std::vector<Sighting> sightings;
    for (const Evidence& evidence : answer.evidence) {
      if (evidence.step != anchor) continue;
      if (auto sighting = find_evidence(*episode_, evidence)) sightings.push_back(std::move(*sighting));
    }
    // Of several marks in one place that contain each other, the shortest says most.
    std::stable_sort(sightings.begin(), sightings.end(), [](const Sighting& a, const Sighting& b) {
      return a.excerpt.marked.size() < b.excerpt.marked.size();
    });
    std::vector<const Sighting*> accepted;
    for (const Sighting& sighting : sightings) {
      const bool told = std::any_of(accepted.begin(), accepted.end(), [&sighting](const Sighting* other) {
        return other->action == sighting.action && other->place == sighting.place &&
               sighting.excerpt.marked.find(other->excerpt.marked) != std::string::npos;
      });
      if (told) continue;
      accepted.push_back(&sighting);
      sighting_lines(sighting);
    }
    if (accepted.empty()) actions_of_step(anchor);
  }

  void actions_of_step(std::uint32_t anchor) {
    const Step& step = episode_->steps[anchor - 1];
    std::string text = fmt::format("step {}", anchor);
    if (step.actions.empty()) text += ", no action: " + printable(shortened(step.response, kResultBytes));
    for (const Action& action : step.actions)
      text += fmt::format("\n{}", safe(shortened(action_summary(action), kOtherArgumentBytes)));
    entry_field("anchor", text);
  }

  void sighting_lines(const Sighting& sighting) {
    const Step& step = episode_->steps[sighting.step - 1];
    if (!sighting.action) {
      entry_field("said", fmt::format("step {}, {}", sighting.step, sighting.place));
      quoted(excerpt_text(sighting.excerpt));
      return;
    }
    const Action& action = step.actions[*sighting.action];
    entry_field("action", fmt::format("step {}, {}{}", sighting.step, safe(action.name),
                                      sighting.place.empty() ? std::string()
                                                             : fmt::format(", argument {}", safe(sighting.place))));
    for (const Argument& argument : arguments_of(action)) {
      if (argument.name == sighting.place || argument.text.size() > kOtherArgumentBytes) continue;
      out_ += hanging(fmt::format("{:15}  ", ""), fmt::format("{} = {}", safe(argument.name), safe(argument.text)),
                      width());
    }
    quoted(excerpt_text(sighting.excerpt));
    for (const Result& result : step.results) {
      if (result.action != action.id || result.message >= episode_->messages.size()) continue;
      const Message& message = episode_->messages[result.message];
      if (message.versions.empty()) continue;
      const std::string_view answer = episode_->texts[message.versions.front().text];
      if (!is_blank(answer)) entry_field("result", printable(shortened(answer, kResultBytes), true));
    }
  }

  void quoted(const std::string& text) {
    const std::string bar = fmt::format("{:15}│ ", "");
    std::string lines;
    for (const std::string& line : wrap(text, width() > 40 ? width() - 17 : 24)) lines += bar + line + "\n";
    out_ += paint_.emphasised(lines);
  }

  void effect_field(const EntryAnswer& answer) {
    std::string text = answer.labels.effect ? std::string(name(*answer.labels.effect)) : std::string("not settled");
    text += fmt::format(". Outcome of the episode: {}", outcome_text(record_.episode));
    if (episode_ != nullptr && episode_->probe) {
      const Probe& probe = *episode_->probe;
      if (!probe.gold.empty()) text += fmt::format(". Gold values of its probe: {}", value_list(probe.gold, answer));
      if (!probe.stale.empty()) text += fmt::format(". Stale values: {}", value_list(probe.stale, answer));
      if (probe.corruption) text += fmt::format(". Memory was corrupted on purpose ({})", safe(probe.corruption->mode));
      if (probe.pre_satisfied == true) text += ". The check was satisfied before the episode began";
    }
    entry_field("effect", text + ".");
  }

  /// Values, those that some evidence carries marked.
  static std::string value_list(const std::vector<std::string_view>& values, const EntryAnswer& answer) {
    std::string out;
    for (const std::string_view value : values) {
      const bool carried =
          std::any_of(answer.evidence.begin(), answer.evidence.end(),
                      [value](const Evidence& evidence) { return !evidence.value.empty() && evidence.value == value; });
      out += fmt::format("{}{}{}{}", out.empty() ? "" : ", ", carried ? "«" : "", safe(value), carried ? "»" : "");
    }
    return out;
  }

  void copies_field(const EntryRecord& entry) {
    const std::vector<EntryPlace> copies = earlier_copies(record_, span_, entry);
    if (copies.empty()) {
      entry_field("earlier", entry.item ? "no delivery of this item before" : "no delivery of this text before");
      return;
    }
    std::string text;
    for (std::size_t i = 0; i < copies.size(); ++i) {
      if (i == kEarlierCopiesShown) {
        text += fmt::format("; and {} more", copies.size() - i);
        break;
      }
      text += fmt::format("{}{} at step {}{}", i == 0 ? "" : "; ", entry_label(copies[i].span, copies[i].entry),
                          copies[i].step, copies[i].still_visible ? " (still visible)" : " (gone by then)");
    }
    entry_field("earlier", text);
  }

  /// What the model was really shown before it answered, and what that took.
  void judging_section(const JudgementDetails& details) {
    heading("How it was judged");
    const JudgingFacts facts = judging_facts(details);
    line_field("Model", details.returned_model.empty() ? "not named by the endpoint" : safe(details.returned_model));
    std::string calls = plural(facts.calls, "call");
    if (facts.calls_without_tokens < facts.calls) {
      calls += fmt::format(", {} input tokens ({} cached), {} output tokens", facts.input_tokens,
                           facts.cached_input_tokens, facts.output_tokens);
    } else {
      calls += ", tokens not counted by the endpoint";
    }
    line_field("Calls", calls);
    if (details.refused_answers > 0) {
      line_field("Refused", fmt::format("{} before the last one", plural(details.refused_answers, "answer")));
    }
    std::string files;
    for (const auto& [file, bytes] : facts.bytes_shown) {
      files += fmt::format("{}{} ({} bytes)", files.empty() ? "" : ", ", safe(file), bytes);
    }
    line_field("Was shown", files.empty() ? "nothing" : files);
  }

  const Episode* episode_;
  const EpisodeSpansRecord& record_;
  const SpanRecord& span_;
  const ShowOptions& options_;
  Paint paint_;
  std::string out_;
};

}  // namespace

std::string show_span(const Episode* episode, const EpisodeSpansRecord& record, std::uint32_t number,
                      const ShowOptions& options) {
  return SpanView(episode, record, span_of(record, number), options).text();
}

}  // namespace memuse::report
