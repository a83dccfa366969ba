#pragma once

#include <string>

#include "model/episode.h"
#include "model/records.h"
#include "model/text.h"

// One invented episode with its spans and answers, for tests of exports and views.

namespace memuse::test {

struct Example {
  Episode episode;
  EpisodeSpansRecord record;
};

inline std::uint32_t add_message(Episode& episode, std::string_view id, Role role, Origin origin, std::string_view text,
                                 std::uint32_t first_step) {
  Message message;
  message.id = episode.arena.keep(id);
  message.role = role;
  message.origin = origin;
  message.first_step = first_step;
  message.versions.push_back({episode.lines, first_step, episode.texts.intern(episode.arena.keep(text))});
  message.order = episode.lines++;
  episode.messages.push_back(message);
  return static_cast<std::uint32_t>(episode.messages.size() - 1);
}

inline void add_step(Episode& episode, std::string_view response, std::string_view tool, std::string_view arguments,
                     std::string_view result) {
  Step step;
  const std::uint32_t number = episode.step_count() + 1;
  step.response = episode.arena.keep(response);
  step.order = episode.lines++;
  const std::string action = "a" + std::to_string(number);
  const std::string output = "o" + std::to_string(number);
  if (!tool.empty()) {
    step.actions.push_back({episode.arena.keep(action), episode.arena.keep(tool), episode.arena.keep(arguments)});
    const std::uint32_t message = add_message(episode, output, Role::tool, Origin::other, result, number + 1);
    step.results.push_back({episode.messages[message].id, step.actions.back().id, message});
  }
  episode.steps.push_back(std::move(step));
}

inline DeliveryRecord delivery_record(std::uint32_t index, std::string id, std::uint32_t step, std::uint32_t span,
                                      bool restatement, std::uint64_t bytes) {
  DeliveryRecord record;
  record.delivery_index = index;
  record.delivery = std::move(id);
  record.step = step;
  record.span = span;
  record.restatement = restatement;
  record.route = "host";
  record.form = "task recall";
  record.entries = 2;
  record.placed_bytes = bytes;
  record.estimated_tokens = (bytes + 3) / 4;
  return record;
}

inline EntryRecord entry_record(std::uint32_t index, std::string item, std::string text, std::optional<Window> window) {
  EntryRecord record;
  record.entry = index;
  record.item = item;
  record.version = item + ".1";
  record.text_sha256 = sha256_hex(text);
  record.text = std::move(text);
  record.identifiers = {item};
  record.window = window;
  return record;
}

inline constexpr const char* kRetryNote =
    "The gateway at billing.internal drops idle sockets after 250 ms: set retry_delay_ms to 275 in\n"
    "conf/gateway.toml, never in code. (ticket BIL-4471)";
inline constexpr const char* kLayoutNote = "Integration tests live in tests/gateway; run them with make it-gateway.";

/// An agent mends a client; memory told it a delay (acted on, improved) and a place (no influence). A later, shorter
/// copy of the first note makes an automatic span.
inline Example example() {
  Example out;
  Episode& e = out.episode;
  e.id = "ep-17";
  e.task_id = "invoice-retry";
  e.configuration = "notebook-v2";
  e.run = "r1";
  e.task_text =
      "The invoice client fails now and then against the billing gateway. Make it retry so that the nightly "
      "export passes.";
  e.outcome = Outcome{true, 1.0, "nightly export"};
  Probe probe;
  probe.gold = {"275"};
  probe.stale = {"250"};
  e.probe = probe;
  add_message(e, "t", Role::user, Origin::task, e.task_text, 1);
  add_step(e, "Let me look at the client first.", "bash", R"({"command":"sed -n 1,80p src/invoice/client.py"})",
           "class InvoiceClient: ...");
  const std::string block = std::string("# Notes from earlier work\n\n1. ") + kRetryNote + "\n2. " + kLayoutNote + "\n";
  const std::uint32_t memory = add_message(e, "m1", Role::user, Origin::memory, block, 2);
  Delivery delivery;
  delivery.id = "d1";
  delivery.form = "task recall";
  delivery.message = memory;
  delivery.consuming_step = 2;
  delivery.order = e.lines++;
  e.deliveries.push_back(delivery);
  add_step(e, "The notes mention the gateway. I check the configuration.", "bash",
           R"({"command":"cat conf/gateway.toml","timeout":30})", "[gateway]\nhost = \"billing.internal\"\n");
  add_step(
      e, "I set the delay.", "edit_file",
      R"({"path":"conf/gateway.toml","old":"[gateway]\nhost = \"billing.internal\"","new":"[gateway]\nhost = \"billing.internal\"\n# sockets are dropped after 250 ms\nretry_delay_ms = 275\nretries = 3\n"})",
      "1 file changed");
  const std::uint32_t shorter = add_message(e, "m2", Role::user, Origin::memory, "set retry_delay_ms to 275", 4);
  Delivery again;
  again.id = "d2";
  again.form = "task recall";
  again.message = shorter;
  again.consuming_step = 4;
  again.order = e.lines++;
  e.deliveries.push_back(again);
  add_step(e, "Now the whole suite.", "bash", R"({"command":"make test"})", "212 passed");
  add_step(e, "Done.", "", "", "");

  EpisodeSpansRecord& r = out.record;
  r.episode.uid = std::string(32, 'a');
  r.episode.configuration = "notebook-v2";
  r.episode.run = "r1";
  r.episode.episode = "ep-17";
  r.episode.task_id = "invoice-retry";
  r.episode.store = "default";
  r.episode.repo = "acme/invoices";
  r.episode.position = 17;
  r.episode.visibility = "exact";
  r.episode.delivery_grade = "annotated";
  r.episode.resolved = true;
  r.episode.reward = 1.0;
  r.episode.outcome_source = "nightly export";
  r.episode.finalised = true;
  r.episode.steps = 5;
  r.episode.agent.calls = 5;
  r.episode.agent.calls_without_cost = 5;
  r.episode.agent.calls_without_tokens = 5;
  r.episode.source_path = "traces/notebook.jsonl";
  r.episode.source_format = "memuse-trace";
  r.episode.source_format_version = "1";
  r.episode.source_line = 1;

  SpanRecord judged;
  judged.number = 1;
  judged.first_step = 2;
  judged.last_step = 5;
  judged.status = SpanStatus::judged;
  judged.verdict = Verdict::beneficial;
  judged.deliveries = {delivery_record(0, "d1", 2, 1, false, block.size())};
  judged.entries = {entry_record(0, "A", kRetryNote, Window{2, 5}), entry_record(1, "B", kLayoutNote, Window{2, 5})};
  EntryAnswer acted;
  acted.entry = 0;
  acted.labels = {true, Accuracy::corroborated, Novelty::novel, Influence::acted_on, Effect::improved};
  acted.anchors = {3};
  acted.evidence = {{3, "", "retry_delay_ms = 275", "influence", "275"},
                    {std::nullopt, "target", "set retry_delay_ms to 275 in", "influence", "275"},
                    {std::nullopt, "target", "set retry_delay_ms to 275 in", "novelty", "275"},
                    {3, "", "retry_delay_ms = 275\nretries = 3", "effect", "retry_delay_ms = 275"},
                    {0, "", "Make it retry so that the nightly export passes.", "relevance", ""}};
  acted.reason = "The value 275 stands nowhere in the input before the delivery, and the edit of step 3 carries it.";
  judged.entries[0].answer = acted;
  EntryAnswer unused;
  unused.entry = 1;
  unused.labels = {true, Accuracy::uncontradicted, Novelty::novel, Influence::none, {}};
  unused.reason = "No step of the window names the folder or the command.";
  judged.entries[1].answer = unused;

  SpanRecord automatic;
  automatic.number = 2;
  automatic.first_step = 4;
  automatic.last_step = 5;
  automatic.routing = Routing::automatic_neutral;
  automatic.status = SpanStatus::automatic;
  automatic.verdict = Verdict::neutral;
  automatic.deliveries = {delivery_record(1, "d2", 4, 2, false, 25)};
  automatic.entries = {entry_record(0, "A", "set retry_delay_ms to 275", {})};
  r.spans = {judged, automatic};
  DeliveryRecord unconsumed = delivery_record(2, "d3", 0, 0, false, 40);
  unconsumed.consumed = false;
  unconsumed.unconsumed_reason = "no step followed";
  r.unconsumed = {unconsumed};
  return out;
}

}  // namespace memuse::test
