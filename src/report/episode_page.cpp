#include "report/episode_page.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "report/action_text.h"
#include "report/exports.h"
#include "report/marked_text.h"
#include "report/show_common.h"
#include "report/span_facts.h"
#include "rules/verdict.h"

namespace memuse::report {
namespace {

/// A text of the episode: one version of a message, an argument of an action, the agent's words or its reasoning of a
/// step, or the task.
struct TextPlace {
  enum class Kind : std::uint8_t { task, message, argument, response, reasoning };
  Kind kind = Kind::task;
  std::size_t owner = 0;   ///< message or step (from 0)
  std::size_t part = 0;    ///< version of a message; action of a step
  std::size_t detail = 0;  ///< argument of an action
  friend auto operator<=>(const TextPlace&, const TextPlace&) = default;
};

using Marks = std::map<TextPlace, std::vector<TextMark>>;

/// Arguments of every action, flattened once.
using Arguments = std::vector<std::vector<std::vector<Argument>>>;

Arguments arguments_by_step(const Episode& episode) {
  Arguments all(episode.steps.size());
  for (std::size_t step = 0; step < episode.steps.size(); ++step) {
    for (const Action& action : episode.steps[step].actions) all[step].push_back(arguments_of(action));
  }
  return all;
}

/// Index of the version that a delivery at `order` was placed in.
std::size_t version_at(const Message& message, std::uint32_t order) {
  std::size_t index = 0;
  for (std::size_t i = 1; i < message.versions.size(); ++i) {
    if (message.versions[i].order <= order) index = i;
  }
  return index;
}

/// Finds the places of deliveries and quotes in the texts.
class MarkFinder {
 public:
  MarkFinder(const Episode& episode, const EpisodeSpansRecord& record, const Arguments& arguments)
      : episode_(episode), record_(record), arguments_(arguments) {}

  void mark_deliveries() {
    for (const SpanRecord& span : record_.spans) {
      for (const DeliveryRecord& delivery : span.deliveries) mark_delivery(delivery, span.number);
    }
    for (const DeliveryRecord& delivery : record_.unconsumed) mark_delivery(delivery, 0);
  }

  /// Marks a quote under its number; false when it stands nowhere in the texts.
  bool mark_quote(const SpanRecord& span, const Evidence& evidence, std::uint32_t number) {
    if (evidence.quote.empty() && evidence.value.empty()) return false;
    const std::vector<TextPlace> places = candidates(span, evidence);
    for (const TextPlace& place : places) {
      if (mark_in(place, evidence, number)) return true;
    }
    // A quote of an action's JSON stands in none of the arguments that it is shown as; its value does.
    Evidence value_alone = evidence;
    value_alone.quote.clear();
    if (value_alone.value.empty()) return false;
    return std::any_of(places.begin(), places.end(), [&](const TextPlace& place) {
      return place.kind == TextPlace::Kind::argument && mark_in(place, value_alone, number);
    });
  }

  [[nodiscard]] Marks take() { return std::move(marks_); }

 private:
  void mark_delivery(const DeliveryRecord& record, std::uint32_t span) {
    if (record.delivery_index >= episode_.deliveries.size()) return;  // a search that counts as a delivery
    const Delivery& delivery = episode_.deliveries[record.delivery_index];
    if (!delivery.message) return;
    const Message& message = episode_.messages[*delivery.message];
    const std::size_t version = version_at(message, delivery.order);
    const std::uint64_t size = episode_.texts[message.versions[version].text].size();
    const ByteRange range = delivery.range.value_or(ByteRange{0, size});
    marks_[{TextPlace::Kind::message, *delivery.message, version, 0}].push_back({MarkKind::memory, range, span});
  }

  /// Texts in which a quote may stand, likeliest first.
  [[nodiscard]] std::vector<TextPlace> candidates(const SpanRecord& span, const Evidence& evidence) const {
    std::vector<TextPlace> places;
    if (const auto step = cited_step(evidence)) {
      if (*step == 0) {
        add_task_messages(places);
        places.push_back({});
        add_messages_before(1, places);
      } else if (*step <= episode_.step_count()) {
        add_step(*step, places);
      }
      return places;
    }
    if (const Delivery* target = target_delivery(episode_, span); target != nullptr && target->message) {
      places.push_back({TextPlace::Kind::message, *target->message,
                        version_at(episode_.messages[*target->message], target->order), 0});
    }
    places.push_back({});
    add_messages_before(span.first_step, places);
    return places;
  }

  [[nodiscard]] static std::optional<std::uint32_t> cited_step(const Evidence& evidence) {
    if (evidence.step) return evidence.step;
    if (evidence.file == "task") return 0;
    // `steps/0003`: evidence files of steps (docs/evidence.md).
    constexpr std::string_view kSteps = "steps/";
    if (!evidence.file.starts_with(kSteps) || evidence.file.size() > kSteps.size() + 9) return std::nullopt;
    std::uint32_t step = 0;
    for (const char c : evidence.file.substr(kSteps.size())) {
      if (c < '0' || c > '9') return std::nullopt;
      step = step * 10 + static_cast<std::uint32_t>(c - '0');
    }
    return step;
  }

  void add_task_messages(std::vector<TextPlace>& places) const {
    for (std::size_t i = 0; i < episode_.messages.size(); ++i) {
      if (episode_.messages[i].origin == Origin::task) add_versions(i, places);
    }
  }

  void add_step(std::uint32_t number, std::vector<TextPlace>& places) const {
    const std::size_t index = number - 1;
    const Step& step = episode_.steps[index];
    for (std::size_t action = 0; action < arguments_[index].size(); ++action) {
      for (std::size_t argument = 0; argument < arguments_[index][action].size(); ++argument) {
        places.push_back({TextPlace::Kind::argument, index, action, argument});
      }
    }
    places.push_back({TextPlace::Kind::response, index, 0, 0});
    places.push_back({TextPlace::Kind::reasoning, index, 0, 0});
    for (const Result& result : step.results) add_versions(result.message, places);
  }

  void add_versions(std::size_t message, std::vector<TextPlace>& places) const {
    for (std::size_t version = 0; version < episode_.messages[message].versions.size(); ++version) {
      places.push_back({TextPlace::Kind::message, message, version, 0});
    }
  }

  /// Messages that step `step` could see, latest first.
  void add_messages_before(std::uint32_t step, std::vector<TextPlace>& places) const {
    for (std::size_t i = episode_.messages.size(); i-- > 0;) {
      const Message& message = episode_.messages[i];
      if (message.first_step <= step) add_versions(i, places);
    }
  }

  [[nodiscard]] std::string_view text_of(const TextPlace& place) const {
    switch (place.kind) {
      case TextPlace::Kind::task:
        return episode_.task_text;
      case TextPlace::Kind::message:
        return episode_.texts[episode_.messages[place.owner].versions[place.part].text];
      case TextPlace::Kind::argument:
        return arguments_[place.owner][place.part][place.detail].text;
      case TextPlace::Kind::response:
        return episode_.steps[place.owner].response;
      case TextPlace::Kind::reasoning:
        return episode_.steps[place.owner].reasoning;
    }
    return {};
  }

  bool mark_in(const TextPlace& place, const Evidence& evidence, std::uint32_t number) {
    const std::string_view text = text_of(place);
    const auto quote = find_quote(text, evidence.quote.empty() ? evidence.value : evidence.quote);
    if (!quote) return false;
    std::vector<TextMark>& marks = marks_[place];
    marks.push_back({MarkKind::quote, *quote, number});
    const auto value = find_value(text.substr(quote->begin, quote->end - quote->begin), evidence.value);
    if (value) {
      marks.push_back(
          {MarkKind::value, {quote->begin + *value, quote->begin + *value + evidence.value.size()}, number});
    }
    return true;
  }

  const Episode& episode_;
  const EpisodeSpansRecord& record_;
  const Arguments& arguments_;
  Marks marks_;
};

Json place_json(const EntryPlace& place) {
  return {{"span", place.span}, {"entry", place.entry}, {"step", place.step}, {"visible", place.still_visible}};
}

Json judging_json(const JudgementDetails& details) {
  const JudgingFacts facts = judging_facts(details);
  Json json;
  json["model"] = or_null(details.returned_model);
  json["refused_answers"] = details.refused_answers;
  json["calls"] = facts.calls;
  json["input_tokens"] = facts.input_tokens;
  json["cached_input_tokens"] = facts.cached_input_tokens;
  json["output_tokens"] = facts.output_tokens;
  json["calls_without_tokens"] = facts.calls_without_tokens;
  json["shown"] = Json::parse(details.ledger);
  return json;
}

/// Writes the page of one episode.
class EpisodePage {
 public:
  EpisodePage(const Episode* episode, const EpisodeSpansRecord& record, const EpisodePageOptions& options)
      : episode_(episode), record_(record), options_(options) {}

  Json write() {
    if (episode_ != nullptr) arguments_ = arguments_by_step(*episode_);
    // Quotes get their numbers while spans are written, and are marked in the transcript.
    Json spans = write_spans();
    Json json;
    json["episode"] = export_rows(ExportKind::episodes, record_, options_.judge).front();
    json["source_missing"] = episode_ == nullptr ? Json(options_.source_missing) : Json(nullptr);
    json["task"] = episode_ == nullptr ? Json(nullptr) : text({}, episode_->task_text);
    json["spans"] = std::move(spans);
    json["quotes"] = std::move(quotes_);
    json["unconsumed"] = Json::array();
    for (const DeliveryRecord& delivery : record_.unconsumed) json["unconsumed"].push_back(delivery_json(delivery));
    json["searches"] = episode_ == nullptr ? Json(nullptr) : searches();
    json["operations"] = episode_ == nullptr ? Json(nullptr) : operations();
    json["probe"] = episode_ == nullptr ? Json(nullptr) : probe();
    json["transcript"] = episode_ == nullptr ? Json(nullptr) : transcript();
    return json;
  }

 private:
  Json text(const TextPlace& place, std::string_view content) const {
    const auto found = marks_.find(place);
    return parts_json(content, found == marks_.end() ? std::vector<TextMark>{} : found->second, options_.text_limit);
  }

  Json unmarked(std::string_view content) const { return parts_json(content, {}, options_.text_limit); }

  static Json delivery_json(const DeliveryRecord& delivery) {
    Json json;
    json["delivery"] = delivery.delivery;
    json["step"] = delivery.step == 0 ? Json(nullptr) : Json(delivery.step);
    json["restatement"] = delivery.restatement;
    json["reason"] = or_null(delivery.unconsumed_reason);
    json["route"] = delivery.route;
    json["form"] = delivery.form;
    json["entries"] = delivery.entries;
    json["tokens"] = delivery.recorded_tokens ? Json(*delivery.recorded_tokens) : Json(delivery.estimated_tokens);
    json["tokens_estimated"] = !delivery.recorded_tokens;
    return json;
  }

  Json write_spans() {
    std::optional<MarkFinder> finder;
    if (episode_ != nullptr) finder.emplace(*episode_, record_, arguments_);
    if (finder) finder->mark_deliveries();
    Json spans = Json::array();
    for (const SpanRecord& span : record_.spans) spans.push_back(span_json(span, finder ? &*finder : nullptr));
    if (finder) marks_ = finder->take();
    return spans;
  }

  Json span_json(const SpanRecord& span, MarkFinder* finder) {
    Json json;
    json["span"] = span.number;
    json["first_step"] = span.first_step;
    json["last_step"] = span.last_step;
    json["routing"] = name(span.routing);
    json["status"] = name(span.status);
    json["verdict"] = span.verdict ? Json(name(*span.verdict)) : Json(nullptr);
    const auto verdict = rules::verdict_of(span);
    json["rule"] = verdict ? Json(rules::verdict_rule(*verdict)) : Json(nullptr);
    json["unresolved_reason"] = or_null(span.unresolved_reason);
    json["deliveries"] = Json::array();
    for (const DeliveryRecord& delivery : span.deliveries) json["deliveries"].push_back(delivery_json(delivery));
    const Delivery* target = episode_ == nullptr ? nullptr : target_delivery(*episode_, span);
    json["placed"] = target == nullptr ? Json(nullptr) : unmarked(episode_->placed_text(*target));
    json["entries"] = Json::array();
    for (const EntryRecord& entry : span.entries) json["entries"].push_back(entry_json(span, entry, finder));
    json["judging"] = nullptr;
    if (options_.details) {
      if (const auto details = options_.details(span.number)) json["judging"] = judging_json(*details);
    }
    return json;
  }

  Json entry_json(const SpanRecord& span, const EntryRecord& entry, MarkFinder* finder) {
    Json json;
    json["entry"] = entry.entry;
    json["item"] = or_null(entry.item);
    json["version"] = or_null(entry.version);
    json["text"] = unmarked(entry.text);
    json["window"] = entry.window ? Json{entry.window->first, entry.window->last} : Json(nullptr);
    const auto owner = entry.window ? std::nullopt : credit_owner(record_, span, entry);
    json["credit_owner"] = owner ? place_json(*owner) : Json(nullptr);
    json["labels"] = entry.answer ? labels_json(*entry.answer, options_.judge) : Json(nullptr);
    json["reason"] = entry.answer ? Json(entry.answer->reason) : Json(nullptr);
    json["quotes"] = Json::array();
    if (entry.answer) {
      for (const Evidence& evidence : entry.answer->evidence) {
        json["quotes"].push_back(quotes_.size());
        quotes_.push_back(quote_json(span, entry, evidence, finder));
      }
    }
    json["earlier_copies"] = Json::array();
    for (const EntryPlace& place : earlier_copies(record_, span, entry)) {
      json["earlier_copies"].push_back(place_json(place));
    }
    return json;
  }

  Json quote_json(const SpanRecord& span, const EntryRecord& entry, const Evidence& evidence, MarkFinder* finder) {
    const auto number = static_cast<std::uint32_t>(quotes_.size());
    Json json;
    json["span"] = span.number;
    json["entry"] = entry.entry;
    json["step"] = or_null(evidence.step);
    json["file"] = or_null(evidence.file);
    json["quote"] = evidence.quote;
    json["value"] = or_null(evidence.value);
    json["supports"] = evidence.supports;
    json["found"] = finder != nullptr && finder->mark_quote(span, evidence, number);
    return json;
  }

  Json probe() const {
    if (!episode_->probe) return nullptr;
    const Probe& probe = *episode_->probe;
    Json json;
    json["gold"] = probe.gold;
    json["stale"] = probe.stale;
    json["dependent"] = or_null(probe.dependent);
    json["pre_satisfied"] = or_null(probe.pre_satisfied);
    json["corruption"] = probe.corruption ? Json(probe.corruption->mode) : Json(nullptr);
    return json;
  }

  Json searches() const {
    Json list = Json::array();
    for (const Search& search : episode_->searches) {
      Json json;
      json["search"] = search.id;
      json["query"] = unmarked(search.query);
      json["step"] = search.step == kNever ? Json(nullptr) : Json(search.step);
      json["completed"] = search.completed;
      json["matched"] = or_null(search.matched);
      json["returned"] = Json::array();
      for (const SearchHit& hit : search.returned)
        json["returned"].push_back({{"item", hit.item}, {"score", or_null(hit.score)}});
      list.push_back(std::move(json));
    }
    return list;
  }

  Json operations() const {
    Json list = Json::array();
    for (const MemoryOperation& operation : episode_->memory_operations) {
      Json json;
      json["op"] = name(operation.op);
      json["item"] = operation.item;
      json["version"] = or_null(operation.version);
      json["text"] = operation.text ? unmarked(*operation.text) : Json(nullptr);
      json["after_step"] = operation.after_step;
      list.push_back(std::move(json));
    }
    return list;
  }

  /// Messages of their own and steps, in the order of the trace.
  Json transcript() const {
    std::vector<char> of_step(episode_->messages.size(), 0);
    for (const Step& step : episode_->steps) {
      if (step.response_message) of_step[*step.response_message] = 1;
      for (const Result& result : step.results) of_step[result.message] = 1;
    }
    std::vector<std::tuple<std::uint32_t, bool, std::size_t>> order;
    for (std::size_t i = 0; i < episode_->messages.size(); ++i) {
      if (of_step[i] == 0) order.emplace_back(episode_->messages[i].order, false, i);
    }
    for (std::size_t i = 0; i < episode_->steps.size(); ++i) order.emplace_back(episode_->steps[i].order, true, i);
    std::sort(order.begin(), order.end());
    Json list = Json::array();
    for (const auto& [moment, is_step, index] : order) {
      list.push_back(is_step ? step_json(index) : message_json(index));
    }
    return list;
  }

  Json message_json(std::size_t index) const {
    const Message& message = episode_->messages[index];
    Json json;
    json["message"] = message.id;
    json["role"] = name(message.role);
    json["origin"] = name(message.origin);
    json["first"] = message.first_step;
    json["end"] = message.end_step == kNever ? Json(nullptr) : Json(message.end_step);
    if (message.transient) json["transient"] = true;
    put_versions(index, json);
    return json;
  }

  /// The text that came first under `text`; later ones under `rewritten`, each with the step from which it shows.
  void put_versions(std::size_t index, Json& json) const {
    const Message& message = episode_->messages[index];
    for (std::size_t i = 0; i < message.versions.size(); ++i) {
      const TextVersion& version = message.versions[i];
      Json content = text({TextPlace::Kind::message, index, i, 0}, episode_->texts[version.text]);
      if (i == 0) {
        json["text"] = std::move(content);
      } else {
        json["rewritten"].push_back({{"from", version.from_step}, {"text", std::move(content)}});
      }
    }
  }

  Json step_json(std::size_t index) const {
    const Step& step = episode_->steps[index];
    Json json;
    json["step"] = index + 1;
    if (!step.response.empty()) json["response"] = text({TextPlace::Kind::response, index, 0, 0}, step.response);
    if (!step.reasoning.empty()) json["reasoning"] = text({TextPlace::Kind::reasoning, index, 0, 0}, step.reasoning);
    json["actions"] = Json::array();
    for (std::size_t action = 0; action < step.actions.size(); ++action) {
      Json one{{"name", step.actions[action].name}, {"arguments", Json::array()}};
      for (std::size_t argument = 0; argument < arguments_[index][action].size(); ++argument) {
        const Argument& given = arguments_[index][action][argument];
        one["arguments"].push_back(
            {{"name", given.name}, {"text", text({TextPlace::Kind::argument, index, action, argument}, given.text)}});
      }
      json["actions"].push_back(std::move(one));
    }
    json["results"] = Json::array();
    for (const Result& result : step.results) {
      Json one{{"message", result.id}};
      put_versions(result.message, one);
      json["results"].push_back(std::move(one));
    }
    if (step.usage.input) json["input_tokens"] = *step.usage.input;
    if (step.usage.output) json["output_tokens"] = *step.usage.output;
    if (step.cost_usd) json["cost_usd"] = *step.cost_usd;
    if (!step.time.empty()) json["time"] = step.time;
    if (!step.model.empty() && step.model != episode_->model) json["model"] = step.model;
    return json;
  }

  const Episode* episode_;
  const EpisodeSpansRecord& record_;
  const EpisodePageOptions& options_;
  Arguments arguments_;
  Marks marks_;
  Json quotes_ = Json::array();
};

}  // namespace

nlohmann::ordered_json episode_page_json(const Episode* episode, const EpisodeSpansRecord& record,
                                         const EpisodePageOptions& options) {
  return EpisodePage(episode, record, options).write();
}

}  // namespace memuse::report
