#include "support/synthetic_plan.h"

#include <fmt/format.h>

#include <utility>

#include "model/text.h"
#include "rules/verdict.h"

namespace memuse::test {
namespace {

constexpr std::uint64_t kInputTokens = 900;
constexpr std::uint64_t kOutputTokens = 60;

/// First consuming step of every span.
std::vector<std::uint32_t> first_steps(const PlannedEpisode& plan) {
  std::vector<std::uint32_t> steps;
  std::uint32_t step = 1;
  for (const PlannedSpan& span : plan.spans) {
    steps.push_back(step);
    step += 1 + span.restatements;
  }
  return steps;
}

Delivery make_delivery(Episode& episode, const PlannedSpan& plan, std::uint32_t step) {
  Delivery delivery;
  delivery.id = episode.arena.keep(fmt::format("d{}", episode.deliveries.size() + 1));
  delivery.route = plan.route;
  delivery.form = episode.arena.keep(plan.form);
  delivery.consuming_step = step;
  if (!plan.entries.empty()) {
    Message message;
    message.id = episode.arena.keep(fmt::format("m{}", episode.messages.size() + 1));
    message.origin = Origin::memory;
    message.order = ++episode.lines;
    message.first_step = step;
    const std::string text = placed_text(plan.entries);
    message.versions.push_back({message.order, step, episode.texts.intern(episode.arena.keep(text))});
    delivery.message = static_cast<std::uint32_t>(episode.messages.size());
    episode.messages.push_back(std::move(message));
  }
  for (const PlannedEntry& planned : plan.entries) {
    Entry entry;
    entry.item = episode.arena.keep(planned.item);
    entry.version = "1";
    entry.text = episode.arena.keep(planned.text);
    delivery.entries.push_back(std::move(entry));
  }
  delivery.order = ++episode.lines;
  return delivery;
}

void add_step(Episode& episode, const PlannedEpisode& plan) {
  Step step;
  step.order = ++episode.lines;
  step.response = "…";
  step.usage = {kInputTokens, std::nullopt, kOutputTokens};
  step.cost_usd = plan.step_usd;
  episode.steps.push_back(std::move(step));
}

void add_created(Episode& episode, const PlannedEntry& created) {
  MemoryOperation operation;
  operation.op = MemoryOp::create;
  operation.item = episode.arena.keep(created.item);
  operation.version = "1";
  operation.text = episode.arena.keep(created.text);
  operation.order = ++episode.lines;
  episode.memory_operations.push_back(std::move(operation));
}

CallTotals totals(std::uint64_t calls, std::optional<double> usd) {
  CallTotals out;
  out.calls = calls;
  out.input_tokens = calls * kInputTokens;
  out.output_tokens = calls * kOutputTokens;
  // Added one by one, as the totals of an episode are.
  for (std::uint64_t i = 0; usd && i < calls; ++i) out.cost_usd += *usd;
  out.calls_without_cost = usd ? 0 : calls;
  return out;
}

EpisodeRecord make_episode_record(const PlannedEpisode& plan) {
  EpisodeRecord record;
  record.uid = fmt::format("{}/{}/{}", plan.configuration, plan.run, plan.id);
  record.configuration = plan.configuration;
  record.run = plan.run;
  record.episode = plan.id;
  record.task_id = plan.task;
  record.store = "default";
  record.repo = plan.repo;
  record.position = plan.position;
  record.visibility = name(VisibilityGrade::exact);
  record.delivery_grade = name(plan.delivery_grade);
  record.resolved = plan.resolved;
  record.outcome_source = plan.resolved ? "plan" : "";
  record.finalised = true;
  record.steps = plan.step_count();
  record.agent = totals(record.steps, plan.step_usd);
  if (plan.side_usd) record.side = totals(1, plan.side_usd);
  return record;
}

SpanRecord make_span_record(const PlannedSpan& plan, const Span& span, std::uint32_t& deliveries) {
  SpanRecord record;
  record.number = span.number;
  record.first_step = span.first_step;
  record.last_step = span.last_step;
  record.routing = span.routing;
  record.status = span.routing == Routing::empty               ? SpanStatus::empty
                  : span.routing == Routing::automatic_neutral ? SpanStatus::automatic
                  : plan.unresolved                            ? SpanStatus::unresolved
                                                               : SpanStatus::judged;
  const std::size_t bytes = placed_text(plan.entries).size();
  for (const SpanDelivery& member : span.deliveries) {
    DeliveryRecord delivery;
    delivery.delivery_index = deliveries++;
    delivery.delivery = fmt::format("d{}", deliveries);
    delivery.step = member.step;
    delivery.span = span.number;
    delivery.restatement = member.restatement;
    delivery.route = name(plan.route);
    delivery.form = plan.form;
    delivery.entries = static_cast<std::uint32_t>(plan.entries.size());
    delivery.placed_bytes = bytes;
    delivery.estimated_tokens = (bytes + 3) / 4;
    record.deliveries.push_back(std::move(delivery));
  }
  Answer answer = make_answer(plan, span);
  if (record.status == SpanStatus::automatic || record.status == SpanStatus::empty) record.verdict = Verdict::neutral;
  if (record.status == SpanStatus::judged) record.verdict = rules::answer_verdict(answer);
  for (std::size_t i = 0; i < plan.entries.size(); ++i) {
    EntryRecord entry;
    entry.entry = static_cast<std::uint32_t>(i);
    entry.item = plan.entries[i].item;
    entry.version = "1";
    entry.text = plan.entries[i].text;
    entry.window = span.entries[i].window;
    // A judged span of a plan has a window for every entry, so answers stand at the entries' own places.
    if (record.status == SpanStatus::judged) entry.answer = std::move(answer.entries[i]);
    record.entries.push_back(std::move(entry));
  }
  return record;
}

}  // namespace

std::uint32_t PlannedEpisode::step_count() const {
  std::uint32_t steps = steps_after;
  for (const PlannedSpan& span : spans) steps += 1 + span.restatements;
  return steps;
}

std::string placed_text(const std::vector<PlannedEntry>& entries) {
  std::string text;
  for (const PlannedEntry& entry : entries) {
    if (!text.empty()) text += '\n';
    text += entry.text;
  }
  return text;
}

Episode make_episode(const PlannedEpisode& plan) {
  Episode episode;
  episode.id = episode.arena.keep(plan.id);
  episode.task_id = episode.arena.keep(plan.task);
  episode.configuration = episode.arena.keep(plan.configuration);
  episode.run = episode.arena.keep(plan.run);
  episode.repo = episode.arena.keep(plan.repo);
  episode.position = plan.position;
  episode.delivery_grade = plan.delivery_grade;
  episode.end_reason = "done";
  if (plan.resolved) episode.outcome = Outcome{plan.resolved, std::nullopt, "plan"};
  for (const PlannedEntry& created : plan.created) add_created(episode, created);
  std::uint32_t step = 1;
  for (const PlannedSpan& span : plan.spans) {
    for (std::uint32_t copy = 0; copy <= span.restatements; ++copy) {
      episode.deliveries.push_back(make_delivery(episode, span, step++));
      add_step(episode, plan);
    }
  }
  for (std::uint32_t i = 0; i < plan.steps_after; ++i) add_step(episode, plan);
  if (plan.side_usd) {
    SideCall call;
    call.purpose = "extract";
    call.usage = {kInputTokens, std::nullopt, kOutputTokens};
    call.cost_usd = plan.side_usd;
    call.order = ++episode.lines;
    episode.side_calls.push_back(std::move(call));
  }
  const std::string name = fmt::format("{}/{}/{}", plan.configuration, plan.run, plan.id);
  episode.source = {"synthetic.jsonl", "memuse-trace", "1", "", 1, 0, 1, sha256_hex(name)};
  return episode;
}

EpisodeSpans make_spans(const PlannedEpisode& plan) {
  EpisodeSpans out;
  const std::vector<std::uint32_t> firsts = first_steps(plan);
  const std::uint32_t last = plan.step_count();
  std::uint32_t delivery = 0;
  for (std::size_t i = 0; i < plan.spans.size(); ++i) {
    const PlannedSpan& planned = plan.spans[i];
    Span span;
    span.number = static_cast<std::uint32_t>(i + 1);
    span.first_step = firsts[i];
    span.last_step = planned.entries.empty() ? span.first_step : last;
    span.routing = planned.routing;
    for (std::uint32_t copy = 0; copy <= planned.restatements; ++copy) {
      span.deliveries.push_back({delivery++, span.first_step + copy, copy > 0});
    }
    for (std::uint32_t entry = 0; entry < planned.entries.size(); ++entry) {
      span.entries.push_back({entry, std::nullopt});
      if (planned.routing == Routing::judged) span.entries.back().window = Window{span.first_step, last};
    }
    out.spans.push_back(std::move(span));
  }
  return out;
}

Answer make_answer(const PlannedSpan& plan, const Span& span) {
  Answer answer;
  for (std::size_t i = 0; i < plan.entries.size(); ++i) {
    if (!span.entries[i].window) continue;
    EntryAnswer entry;
    entry.entry = span.entries[i].entry;
    entry.labels = plan.entries[i].labels;
    if (entry.labels.influence && *entry.labels.influence != Influence::none) {
      entry.anchors.push_back(span.first_step + plan.entries[i].delay);
    }
    answer.entries.push_back(std::move(entry));
  }
  return answer;
}

EpisodeSpansRecord make_record(const PlannedEpisode& plan) {
  EpisodeSpansRecord record;
  record.episode = make_episode_record(plan);
  const EpisodeSpans spans = make_spans(plan);
  std::uint32_t deliveries = 0;
  for (std::size_t i = 0; i < plan.spans.size(); ++i) {
    record.spans.push_back(make_span_record(plan.spans[i], spans.spans[i], deliveries));
  }
  return record;
}

}  // namespace memuse::test
