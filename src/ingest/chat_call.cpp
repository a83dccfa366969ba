#include "ingest/chat_call.h"

#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <unordered_map>
#include <utility>

#include "ingest/inner_json.h"
#include "ingest/json_fields.h"
#include "ingest/utc_time.h"
#include "model/text.h"

namespace memuse::ingest {
namespace {

/// Digits from `at` on, as many as given; nothing when there are others.
std::optional<int> digits_at(std::string_view text, std::size_t at, std::size_t count) {
  if (at + count > text.size()) return std::nullopt;
  int number = 0;
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + at + count, number);
  return error == std::errc() && end == text.data() + at + count ? std::optional(number) : std::nullopt;
}

}  // namespace

std::optional<double> seconds_of_time(std::string_view text) {
  const auto year = digits_at(text, 0, 4);
  const auto month = digits_at(text, 5, 2);
  const auto day = digits_at(text, 8, 2);
  const auto hour = digits_at(text, 11, 2);
  const auto minute = digits_at(text, 14, 2);
  const auto second = digits_at(text, 17, 2);
  if (!year || !month || !day || !hour || !minute || !second) return std::nullopt;
  double fraction = 0;
  double weight = 0.1;
  for (std::size_t at = 20; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at, weight /= 10) {
    fraction += weight * (text[at] - '0');
  }
  const double days = ((*year * 12.0 + *month) * 31.0) + *day;  // in order; not a calendar
  return ((days * 24 + *hour) * 60 + *minute) * 60 + *second + fraction;
}

namespace {

void read_time(ChatCall& call, const JsonValue* value, SharedTexts& texts) {
  if (value == nullptr || value->is_null()) return;
  if (const auto text = value->as_string()) {
    call.time = texts.keep(*text);
    if (const auto seconds = seconds_of_time(*text)) call.order = *seconds;
    return;
  }
  constexpr double kMilliseconds = 1e11;  // more is no count of seconds
  auto seconds = value->as_double();
  if (!seconds) return;
  if (*seconds > kMilliseconds) seconds = *seconds / 1000;
  call.order = *seconds;
  if (const auto text = utc_time(*seconds)) call.time = texts.keep(*text);
}

const JsonValue* first_present(const JsonValue& record, std::initializer_list<std::string_view> names) {
  for (const std::string_view field : names) {
    const JsonValue* value = record.field(field);
    if (value != nullptr && !value->is_null()) return value;
  }
  return nullptr;
}

/// Prompt tokens with the cached ones in them, under the names that interfaces have.
Usage chat_usage_of(const JsonValue* usage) {
  Usage read;
  read.output = whole_in(usage, "completion_tokens");
  if (!read.output) read.output = whole_in(usage, "output_tokens");
  if (const auto prompt = whole_in(usage, "prompt_tokens")) {
    read.input = prompt;
    read.cached_input = whole_in(object_in(usage, "prompt_tokens_details"), "cached_tokens");
    return read;
  }
  read.input = whole_in(usage, "input_tokens");
  for (const std::string_view details : {"input_tokens_details", "input_token_details"}) {
    for (const std::string_view cached : {"cached_tokens", "cache_read"}) {
      if (!read.cached_input) read.cached_input = whole_in(object_in(usage, details), cached);
    }
  }
  const auto cache_read = whole_in(usage, "cache_read_input_tokens");
  const auto cache_written = whole_in(usage, "cache_creation_input_tokens");
  if (read.input && (cache_read || cache_written)) {  // Anthropic counts these apart
    *read.input += cache_read.value_or(0) + cache_written.value_or(0);
    read.cached_input = cache_read;
  }
  return read;
}

std::optional<double> positive_number(const JsonValue* value) {
  const auto number = value == nullptr ? std::nullopt : value->as_double();
  return number && *number > 0 ? number : std::nullopt;
}

}  // namespace

std::optional<ChatMessage> chat_answer(const JsonValue* response, SharedTexts& texts) {
  if (response == nullptr || response->is_null()) return std::nullopt;
  ChatMessages said;
  const auto take = [&](const JsonValue* value) {
    if (value != nullptr) read_chat_messages(*value, texts, said);
  };
  const JsonValue* choices = array_in(response, "choices");
  const JsonValue* generations = array_in(response, "generations");
  if (const auto text = response->as_string()) {
    if (is_blank(*text)) return std::nullopt;
    ChatMessage message;
    message.text = texts.keep(*text);
    return joined_answer({message}, texts);
  }
  if (choices != nullptr) {
    if (choices->first_child != nullptr) take(object_in(choices->first_child, "message"));
  } else if (generations != nullptr) {
    const JsonValue* first = generations->first_child;
    while (first != nullptr && first->kind == JsonKind::array) first = first->first_child;
    const JsonValue* message = object_in(first, "message");
    const JsonValue* kwargs = object_in(message, "kwargs");
    take(kwargs != nullptr ? kwargs : message);
  } else if (const JsonValue* output = array_in(response, "output")) {
    take(output);
  } else if (const JsonValue* messages = array_in(response, "messages")) {
    take(messages);
  } else if (response->kind == JsonKind::object && response->field("role") == nullptr) {
    ChatMessages parts;  // a message without its role
    std::string bytes =
        fmt::format(R"({{"role":"assistant","content":{}}})",
                    response->field("content") == nullptr ? "null" : to_json(*response->field("content")));
    const std::size_t size = bytes.size();
    bytes.resize(size + JsonParser::kPadding);
    JsonParser parser(size);
    JsonFault fault;
    take(parser.parse(std::string_view(bytes).substr(0, size), bytes.size(), texts.arena(), fault));
  } else {
    take(response);
  }
  std::erase_if(said.list, [](const ChatMessage& message) { return message.role != Role::assistant; });
  if (said.list.empty()) return std::nullopt;
  if (response->kind == JsonKind::array || array_in(response, "messages") != nullptr) {
    return joined_answer({said.list.back()}, texts);  // some exports give the whole conversation again
  }
  const ChatMessage answer = joined_answer(said.list, texts);
  if (answer.text.empty() && answer.actions.empty()) return std::nullopt;
  return answer;
}

void read_chat_request(ChatCall& call, const JsonValue& request, SharedTexts& texts) {
  if (const JsonValue* messages = first_present(request, {"messages", "input", "prompt"})) {
    read_chat_messages(*messages, texts, call.input);
  }
  add_system_prompt(first_present(request, {"system", "instructions"}), texts, call.input);
  const JsonValue* tools = array_in(&request, "tools");
  call.has_tools = tools != nullptr && tools->children > 0;
  call.model = texts.keep(string_in(&request, "model"));
}

namespace {

void read_chat_response(ChatCall& call, const JsonValue* response, SharedTexts& texts) {
  call.answer = chat_answer(response, texts);
  if (const JsonValue* usage = object_in(response, "usage")) call.usage = chat_usage_of(usage);
  if (const JsonValue* usage = object_in(response, "usage_metadata")) call.usage = chat_usage_of(usage);
  if (call.model.empty()) call.model = texts.keep(string_in(response, "model"));
}

/// The Responses interface gives the instructions back with the answer.
void add_instructions(ChatCall& call, const JsonValue* response, SharedTexts& texts) {
  const bool has_system = !call.input.list.empty() && call.input.list.front().role == Role::system;
  if (has_system || array_in(response, "output") == nullptr) return;
  add_system_prompt(response->field("instructions"), texts, call.input);
}

/// A request with its response: side by side, or the request's fields at the top.
ChatCall read_pair(const JsonValue& record, SharedTexts& texts) {
  ChatCall call;
  const JsonValue* request = object_in(&record, "request");
  if (request == nullptr) request = object_in(&record, "body");
  const JsonValue* response = record.field("response");
  if (const JsonValue* body = object_in(response, "body")) response = body;
  read_chat_request(call, request == nullptr ? record : *request, texts);
  if (const JsonValue* tools = array_in(object_in(&record, "kwargs"), "tools")) call.has_tools = tools->children > 0;
  if (const JsonValue* tools = array_in(object_in(&record, "model_parameters"), "tools")) {
    call.has_tools = tools->children > 0;
  }
  read_chat_response(call, response, texts);
  if (!call.usage.input) {  // LiteLLM has its counts at the top
    call.usage.input = whole_in(&record, "prompt_tokens");
    call.usage.output = whole_in(&record, "completion_tokens");
  }
  call.cost_usd = positive_number(first_present(record, {"response_cost", "cost"}));
  read_time(call, first_present(record, {"startTime", "start_time", "timestamp", "created"}), texts);
  for (const std::string_view id : {"conversation_id", "session_id", "thread_id", "trace_id"}) {
    if (call.conversation.empty()) call.conversation = string_in(&record, id);
  }
  if (string_in(&record, "status") == "failure") call.answer.reset();
  return call;
}

/// Runs of LangSmith, as sent in two halves or flat.
std::vector<ChatCall> read_langsmith(const JsonValue& record, SharedTexts& texts) {
  struct Run {
    const JsonValue* begun = nullptr;
    const JsonValue* ended = nullptr;
  };
  std::vector<Run> runs;
  std::unordered_map<std::string_view, std::size_t> by_id;
  const auto key = [](const JsonValue& run) {
    const std::string_view order = string_in(&run, "dotted_order");
    return order.empty() ? string_in(&run, "id") : order;
  };
  const auto take = [&](const JsonValue& run, bool begins) {
    const auto [place, added] = by_id.try_emplace(key(run), runs.size());
    if (added) runs.emplace_back();
    (begins ? runs[place->second].begun : runs[place->second].ended) = &run;
  };
  for (const std::string_view half : {"post", "patch"}) {
    if (const JsonValue* list = array_in(&record, half)) {
      for (const JsonValue& run : JsonChildren(*list)) take(run, half == "post");
    }
  }
  if (record.field("run_type") != nullptr) take(record, true);
  std::vector<ChatCall> calls;
  for (const Run& run : runs) {
    const JsonValue* begun = run.begun == nullptr ? run.ended : run.begun;
    const JsonValue* ended = run.ended == nullptr ? run.begun : run.ended;
    if (run.begun != nullptr && string_in(begun, "run_type") != "llm") continue;
    ChatCall& call = calls.emplace_back();
    const JsonValue* inputs = object_in(begun, "inputs");
    if (inputs == nullptr) inputs = object_in(ended, "inputs");
    if (inputs != nullptr) read_chat_request(call, *inputs, texts);
    read_chat_response(call, object_in(ended, "outputs"), texts);
    if (call.model.empty()) {
      call.model = texts.keep(string_in(object_in(object_in(begun, "extra"), "metadata"), "ls_model_name"));
    }
    call.conversation = string_in(begun, "trace_id");
    read_time(call, begun->field("start_time"), texts);
  }
  return calls;
}

std::vector<ChatCall> read_langfuse(const JsonValue& record, SharedTexts& texts) {
  std::vector<ChatCall> calls;
  const JsonValue* trace = object_in(&record, "trace");
  std::string_view conversation = string_in(trace, "sessionId");
  if (conversation.empty()) conversation = string_in(trace, "id");
  const JsonValue* observations = array_in(&record, "observations");
  if (observations == nullptr) return calls;
  for (const JsonValue& observation : JsonChildren(*observations)) {
    if (string_in(&observation, "type") != "GENERATION") continue;
    ChatCall& call = calls.emplace_back();
    call.conversation = conversation;
    call.told = true;
    Arena inner;  // what is needed of it is kept
    const InnerJson input(observation.field("input"), inner);
    const InnerJson output(observation.field("output"), inner);
    if (const JsonValue* value = input.value()) {
      const bool request = value->kind == JsonKind::object && value->field("role") == nullptr;
      request ? read_chat_request(call, *value, texts) : read_chat_messages(*value, texts, call.input);
    }
    call.answer = chat_answer(output.value(), texts);
    add_instructions(call, output.value(), texts);
    call.model = texts.keep(string_in(&observation, "model"));
    const JsonValue* usage = object_in(&observation, "usageDetails");
    call.usage.input = whole_in(usage, "input");
    call.usage.output = whole_in(usage, "output");
    call.usage.cached_input = whole_in(usage, "input_cache_read");
    const auto total = whole_in(usage, "total");
    const std::uint64_t cached = call.usage.cached_input.value_or(0);
    if (call.usage.input && total && *total == *call.usage.input + cached + call.usage.output.value_or(0)) {
      *call.usage.input += cached;  // counted apart
    }
    call.cost_usd = positive_number(object_in(&observation, "costDetails") == nullptr
                                        ? nullptr
                                        : object_in(&observation, "costDetails")->field("total"));
    read_time(call, observation.field("startTime"), texts);
  }
  return calls;
}

}  // namespace

namespace {

/// Some logs state the sum of a call's tokens beside its parts.
void reconcile_call(const JsonValue& record, const Usage& usage, RecordPlace place, DiagnosticLog& log) {
  auto stated = whole_in(&record, "total_tokens");
  if (!stated) stated = whole_in(object_in(object_in(&record, "response"), "usage"), "total_tokens");
  if (!stated || !usage.input || !usage.output || *stated == *usage.input + *usage.output) return;
  log.add(Severity::note, Fault::stated_count, place.line, place.byte,
          fmt::format("tokens: {} stated for the call, {} in its parts", *stated, *usage.input + *usage.output));
}

}  // namespace

std::vector<ChatCall> read_chat_calls(const JsonValue& record, RecordPlace place, SharedTexts& texts,
                                      DiagnosticLog& log) {
  std::vector<ChatCall> calls;
  if (array_in(&record, "post") != nullptr || array_in(&record, "patch") != nullptr ||
      record.field("run_type") != nullptr) {
    calls = read_langsmith(record, texts);
  } else if (array_in(&record, "observations") != nullptr) {
    calls = read_langfuse(record, texts);
  } else if (record.field("messages") != nullptr || object_in(&record, "request") != nullptr ||
             object_in(&record, "body") != nullptr || record.field("input") != nullptr) {
    calls.push_back(read_pair(record, texts));
  } else {
    log.add(Severity::warning, Fault::unknown_type, place.line, place.byte, "the record holds no request");
  }
  for (ChatCall& call : calls) call.place = place;
  if (calls.size() == 1) reconcile_call(record, calls.front().usage, place, log);
  return calls;
}

}  // namespace memuse::ingest
