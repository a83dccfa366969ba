#include "ingest/otel_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <limits>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "ingest/json_fields.h"
#include "ingest/otel_messages.h"

namespace memuse::ingest {
namespace {

constexpr std::size_t kNoSpan = std::numeric_limits<std::size_t>::max();

/// A name within a trace.
std::string in_trace(std::string_view trace, std::string_view name) {
  std::string key(trace);
  (key += '\0') += name;
  return key;
}

/// True when a word of an agent's name says that it judges others.
bool names_a_scorer(std::string_view name) {
  constexpr std::array<std::string_view, 6> kWords{"evaluator", "judge", "scorer", "grader", "guardrail", "verifier"};
  std::string word;
  for (std::size_t at = 0; at <= name.size(); ++at) {
    const auto letter = at < name.size() ? static_cast<unsigned char>(name[at]) : 0U;
    if (std::isalpha(static_cast<int>(letter)) != 0) {
      word += static_cast<char>(std::tolower(static_cast<int>(letter)));
      continue;
    }
    if (is_one_of(word, kWords)) return true;
    word.clear();
  }
  return false;
}

/// The spans of a file as trees.
class SpanForest {
 public:
  SpanForest(const std::vector<OtelSpan>& spans, DiagnosticLog& log) : spans_(spans), parents_(spans.size(), kNoSpan) {
    std::unordered_map<std::string, std::size_t> by_id;
    for (std::size_t at = 0; at < spans.size(); ++at) {
      if (!spans[at].id.empty()) by_id.emplace(in_trace(spans[at].trace, spans[at].id), at);
    }
    for (std::size_t at = 0; at < spans.size(); ++at) {
      if (spans[at].parent.empty()) continue;
      const auto found = by_id.find(in_trace(spans[at].trace, spans[at].parent));
      if (found != by_id.end()) parents_[at] = found->second;
    }
    order_parents_first(log);
    inherit();
    mark_outer_calls();
  }

  /// The agent at work in a span; empty when none is named.
  [[nodiscard]] std::string_view agent(std::size_t span) const { return agents_[span]; }
  [[nodiscard]] bool of_scorer(std::size_t span) const { return scorers_[span]; }
  /// A model call without another in it.
  [[nodiscard]] bool is_call(std::size_t span) const {
    return spans_[span].kind == OtelSpanKind::model && !outer_[span];
  }

 private:
  /// Fills `order_`, and cuts what would lead from a span to itself.
  void order_parents_first(DiagnosticLog& log) {
    enum class Seen : std::uint8_t { no, on_path, done };
    std::vector<Seen> seen(spans_.size(), Seen::no);
    std::vector<std::size_t> path;
    for (std::size_t start = 0; start < spans_.size(); ++start) {
      for (std::size_t at = start; at != kNoSpan && seen[at] == Seen::no; at = parents_[at]) {
        seen[at] = Seen::on_path;
        path.push_back(at);
        const std::size_t parent = parents_[at];
        if (parent == kNoSpan || seen[parent] != Seen::on_path) continue;
        parents_[at] = kNoSpan;
        log.add(Severity::warning, Fault::inconsistent_record, spans_[at].place.line, spans_[at].place.byte,
                "parents of spans go round in a circle; it was cut");
        break;
      }
      for (; !path.empty(); path.pop_back()) {
        seen[path.back()] = Seen::done;
        order_.push_back(path.back());
      }
    }
  }

  [[nodiscard]] std::string_view own_agent(const OtelSpan& span) const {
    const std::string_view name = span.attributes.text({"gen_ai.agent.name", "agent.name", "agent_name"});
    return name.empty() && span.kind == OtelSpanKind::agent ? span.name : name;
  }

  void inherit() {
    agents_.resize(spans_.size());
    scorers_.resize(spans_.size());
    for (const std::size_t at : order_) {
      const std::size_t parent = parents_[at];
      const std::string_view own = own_agent(spans_[at]);
      agents_[at] = own.empty() && parent != kNoSpan ? agents_[parent] : own;
      scorers_[at] =
          (parent != kNoSpan && scorers_[parent]) || spans_[at].kind == OtelSpanKind::scorer || names_a_scorer(own);
    }
  }

  /// What a tool calls while it runs is not the call that asked for the tool, even where its span lies in that one's.
  void mark_outer_calls() {
    outer_.resize(spans_.size());
    for (std::size_t at = 0; at < spans_.size(); ++at) {
      if (spans_[at].kind != OtelSpanKind::model) continue;
      for (std::size_t up = parents_[at]; up != kNoSpan && !outer_[up]; up = parents_[up]) {
        if (spans_[up].kind == OtelSpanKind::tool) break;
        outer_[up] = true;
      }
    }
  }

  const std::vector<OtelSpan>& spans_;
  std::vector<std::size_t> parents_;
  std::vector<std::size_t> order_;  // parents before children
  std::vector<std::string_view> agents_;
  std::vector<bool> scorers_;
  std::vector<bool> outer_;
};

/// What tools gave back, by trace and tool call, or by trace and name where calls have no ids.
class ToolSpans {
 public:
  /// The spans must stand in the order in which they began.
  explicit ToolSpans(const std::vector<OtelSpan>& spans) {
    for (const OtelSpan& span : spans) {
      if (span.kind != OtelSpanKind::tool) continue;
      const std::string_view id = span.attributes.text({"gen_ai.tool.call.id", "ai.toolCall.id", "tool_call.id"});
      std::string_view name = span.attributes.text({"gen_ai.tool.name", "tool.name", "ai.toolCall.name"});
      if (name.empty()) name = span.name;
      if (!id.empty()) by_call_.emplace(in_trace(span.trace, id), &span);
      by_name_[in_trace(span.trace, name)].spans.push_back(&span);
    }
  }

  void answer(const OtelSpan& asked, ChatCall& call) {
    if (!call.answer) return;
    for (const Action& action : call.answer->actions) {
      const OtelSpan* span = action.id.empty() ? next_of_name(asked, action.name) : of_call(asked, action.id);
      const auto text = span == nullptr ? std::nullopt : otel_tool_answer(*span);
      if (text) call.tool_answers.push_back({action.id, *text});
    }
  }

 private:
  struct Waiting {
    std::vector<const OtelSpan*> spans;
    std::size_t next = 0;
  };

  const OtelSpan* of_call(const OtelSpan& asked, std::string_view id) const {
    const auto found = by_call_.find(in_trace(asked.trace, id));
    return found == by_call_.end() ? nullptr : found->second;
  }

  const OtelSpan* next_of_name(const OtelSpan& asked, std::string_view name) {
    const auto found = by_name_.find(in_trace(asked.trace, name));
    if (found == by_name_.end()) return nullptr;
    Waiting& waiting = found->second;
    while (waiting.next < waiting.spans.size() && waiting.spans[waiting.next]->start < asked.start) ++waiting.next;
    return waiting.next < waiting.spans.size() ? waiting.spans[waiting.next++] : nullptr;
  }

  std::unordered_map<std::string, const OtelSpan*> by_call_;
  std::unordered_map<std::string, Waiting> by_name_;
};

/// Exporters send again what they believe lost.
void drop_repeated(std::vector<OtelSpan>& spans, DiagnosticLog& log) {
  std::unordered_set<std::string> seen;
  std::erase_if(spans, [&](const OtelSpan& span) {
    if (span.id.empty() || seen.insert(in_trace(span.trace, span.id)).second) return false;
    log.add(Severity::warning, Fault::repeated_record, span.place.line, span.place.byte,
            "a span with the ids of another one; the first is used");
    return true;
  });
}

/// The id of the conversation that a trace belongs to: the first that one of its spans gives, or else its own.
std::unordered_map<std::string_view, std::string_view> conversations_of(const std::vector<OtelSpan>& spans) {
  std::unordered_map<std::string_view, std::string_view> conversations;
  for (const OtelSpan& span : spans) {
    std::string_view id = span.attributes.text(
        {"session.id", "langfuse.session.id", "traceloop.association.properties.session_id", "gen_ai.conversation.id"});
    if (id.empty()) id = span.session;
    if (!id.empty()) conversations.emplace(span.trace, id);
  }
  for (const OtelSpan& span : spans) conversations.emplace(span.trace, span.trace);
  return conversations;
}

}  // namespace

std::vector<ChatCall> otel_calls(std::vector<OtelSpan>& spans, SharedTexts& texts, DiagnosticLog& log) {
  drop_repeated(spans, log);
  std::stable_sort(spans.begin(), spans.end(), [](const OtelSpan& a, const OtelSpan& b) { return a.start < b.start; });
  const SpanForest forest(spans, log);
  const auto conversations = conversations_of(spans);
  ToolSpans tools(spans);
  std::unordered_map<std::string_view, std::string_view> main_agents;
  std::vector<ChatCall> calls;
  for (std::size_t at = 0; at < spans.size(); ++at) {
    if (!forest.is_call(at)) continue;
    ChatCall& call = calls.emplace_back();
    read_otel_call(spans[at], texts, call);
    tools.answer(spans[at], call);
    call.agent = forest.agent(at);
    const std::string_view conversation = conversations.at(spans[at].trace);
    call.conversation = conversation;
    if (forest.of_scorer(at)) {
      call.side_purpose = "scorer";
      continue;
    }
    const std::string_view main = main_agents.emplace(conversation, call.agent).first->second;
    if (call.agent != main && !call.agent.empty()) call.conversation = fmt::format("{}.{}", conversation, call.agent);
  }
  return calls;
}

}  // namespace memuse::ingest
