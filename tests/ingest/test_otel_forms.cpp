#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ingest/otel.h"
#include "support/adapter_reading.h"

namespace memuse::ingest {
namespace {

using FormJson = nlohmann::json;

/// An OpenInference span whose request and response are those of the model's interface.
FormJson form_span(const std::string& id, int second, const FormJson& request, const FormJson& response) {
  return {{"name", "call"},
          {"context", {{"trace_id", "forms"}, {"span_id", id}}},
          {"start_time", "2026-02-01T10:00:0" + std::to_string(second) + "Z"},
          {"attributes",
           {{"openinference.span.kind", "LLM"},
            {"llm.model_name", "m"},
            {"input.value", request.dump()},
            {"output.value", response.dump()}}}};
}

FormJson google_said(const char* role, const FormJson& part) {
  return {{"role", role}, {"parts", FormJson::array({part})}};
}

test::AdapterReading read_forms(const std::vector<FormJson>& spans) {
  std::string lines;
  for (const FormJson& span : spans) lines += span.dump() + "\n";
  return test::read_bytes(otel_adapter(), lines, "/study/noon/forms.jsonl");
}

}  // namespace

TEST_CASE("requests of Google's interface are read from what a span holds of them", "[otel]") {
  const FormJson config{{"system_instruction", "Rules."},
                        {"tools", FormJson::array({{{"function_declarations", FormJson::array()}}})}};
  const FormJson task = google_said("user", {{"text", "Task."}});
  const FormJson asked = google_said("model", {{"function_call", {{"name", "look"}, {"args", {{"at", 1}}}}}});
  const FormJson seen =
      google_said("user", {{"functionResponse", {{"name", "look"}, {"response", {{"found", "map"}}}}}});
  const FormJson done = google_said("model", {{"text", "Done."}});
  const auto request = [&](const FormJson& contents) { return FormJson{{"contents", contents}, {"config", config}}; };
  const auto reading =
      read_forms({form_span("a", 1, request(FormJson::array({task})), {{"content", asked}}),
                  form_span("b", 2, request(FormJson::array({task, asked, seen})), {{"content", done}})});
  CHECK(reading.diagnostics.empty());
  const Episode& episode = reading.only();
  CHECK(episode.visibility == VisibilityGrade::rebuilt);
  REQUIRE(episode.steps.size() == 2);
  REQUIRE(episode.steps[0].actions.size() == 1);
  CHECK(episode.steps[0].actions[0].name == "look");
  CHECK(episode.steps[0].actions[0].arguments == R"({"at":1})");
  CHECK(episode.steps[0].results.size() == 1);
  CHECK(episode.steps[1].response == "Done.");
  CHECK(test::visible_texts(episode, 2) == std::vector<std::string>{"Rules.", "Task.", "", R"({"found":"map"})"});
}

TEST_CASE("an image in a request of Google's interface makes the input partial", "[otel]") {
  FormJson task = google_said("user", {{"text", "What is this?"}});
  task["parts"].push_back({{"inline_data", {{"mime_type", "image/png"}, {"data", "AAAA"}}}});
  const auto reading = read_forms({form_span("a", 1, {{"contents", FormJson::array({task})}},
                                             {{"content", google_said("model", {{"text", "A map."}})}})});
  CHECK(reading.only().visibility == VisibilityGrade::partial);
  CHECK(reading.only().steps.at(0).response == "A map.");
}

TEST_CASE("typed values of OTLP mean what they say, whatever they hold", "[otel]") {
  const auto text = [](const char* value) { return FormJson{{"stringValue", value}}; };
  const auto pair = [](const char* key, const FormJson& value) { return FormJson{{"key", key}, {"value", value}}; };
  const auto object = [](const std::vector<FormJson>& pairs) { return FormJson{{"kvlistValue", {{"values", pairs}}}}; };
  const auto list = [](const std::vector<FormJson>& values) { return FormJson{{"arrayValue", {{"values", values}}}}; };
  const FormJson arguments = object({pair("far", {{"intValue", "-12"}}), pair("odd", {{"intValue", "1e5x"}}),
                                     pair("near", {{"doubleValue", 0.5}}), pair("none", FormJson::object()),
                                     pair("quote", text("\"\n")), pair("list", {{"arrayValue", FormJson::object()}})});
  const FormJson call = object({pair("type", text("tool_call")), pair("id", text("c1")), pair("name", text("go")),
                                pair("arguments", arguments)});
  const FormJson answer = object({pair("role", text("assistant")), pair("parts", list({call}))});
  const FormJson span{
      {"traceId", "t"},
      {"spanId", "s"},
      {"startTimeUnixNano", "1764580000010000000"},
      {"attributes",
       {pair("gen_ai.operation.name", text("chat")), pair("gen_ai.request.model", text("m")),
        pair("gen_ai.usage.input_tokens", {{"intValue", "-3"}}), pair("gen_ai.usage.output_tokens", {{"intValue", 4}}),
        pair("gen_ai.output.messages", list({answer}))}}};
  const FormJson scope{{"spans", {span, 7}}};
  const FormJson resource{{"scopeSpans", {scope}}};
  const auto reading =
      test::read_bytes(otel_adapter(), FormJson{{"resourceSpans", {resource}}}.dump(), "/study/noon/otlp.json");
  CHECK(reading.faults() == std::vector<Fault>{Fault::wrong_type});  // the 7
  const Episode& episode = reading.only();
  REQUIRE(episode.steps.at(0).actions.size() == 1);
  CHECK(FormJson::parse(episode.steps[0].actions[0].arguments) ==
        FormJson::parse(R"({"far":-12,"odd":"1e5x","near":0.5,"none":null,"quote":"\"\n","list":[]})"));
  CHECK_FALSE(episode.steps[0].usage.input);  // no count is negative
  CHECK(episode.steps[0].usage.output == 4U);
}

}  // namespace memuse::ingest
