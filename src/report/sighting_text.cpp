#include "report/sighting_text.h"

#include <fmt/format.h>

#include "model/text.h"

namespace memuse::report {
namespace {

using value_tracing::ValueSighting;
using value_tracing::Where;
using Json = nlohmann::ordered_json;

std::string argument_text(const ValueSighting& sighting) {
  return sighting.argument.empty() ? std::string() : fmt::format(", argument {}", printable(sighting.argument));
}

std::string message_text(const ValueSighting& sighting, const char* whose) {
  return fmt::format("{}, visible from step {}", whose, sighting.from);
}

}  // namespace

std::string place_of(const ValueSighting& sighting) {
  switch (sighting.where) {
    case Where::memory:
      return fmt::format("delivery {}, entry E{}{}", sighting.delivery + 1, sighting.entry,
                         sighting.item.empty() ? "" : fmt::format(" (item {})", printable(sighting.item)));
    case Where::action:
      return fmt::format("step {}, {}{}", sighting.step, printable(sighting.action_name), argument_text(sighting));
    case Where::speech:
      return fmt::format("step {}, {}", sighting.step,
                         sighting.argument == "reasoning" ? "the agent's reasoning" : "the agent's words");
    case Where::task:
      return "the task text";
    case Where::user:
      return message_text(sighting, "a turn of the user");
    case Where::system:
      return message_text(sighting, "a system text");
    case Where::tool_result:
      return fmt::format("a result of step {}", sighting.step);
    case Where::other:
      return message_text(sighting, "a message");
  }
  return {};
}

std::string quote_text(const value_tracing::Quote& quote) {
  std::string after = printable(quote.after);
  after.erase(after.find_last_not_of(' ') + 1);
  return fmt::format("{}{}«{}»{}{}", quote.cut_before ? "…" : "", printable(quote.before), printable(quote.marked),
                     after, quote.cut_after ? "…" : "");
}

void put_sighting(Json& row, const std::string& prefix, const std::optional<ValueSighting>& sighting) {
  if (!sighting) {
    for (const char* part : {"_place", "_step", "_quote"}) row[prefix + part] = nullptr;
    return;
  }
  row[prefix + "_place"] = place_of(*sighting);
  row[prefix + "_step"] = sighting->step == 0 ? sighting->from : sighting->step;
  row[prefix + "_quote"] = quote_text(sighting->quote);
}

Json sighting_json(const std::optional<ValueSighting>& sighting) {
  if (!sighting) return nullptr;
  Json json{{"where", value_tracing::name(sighting->where)}, {"visible_from", sighting->from}};
  if (sighting->step != 0) json["step"] = sighting->step;
  if (sighting->where == Where::memory) {
    json["delivery"] = sighting->delivery;
    json["entry"] = sighting->entry;
    json["item"] = sighting->item.empty() ? Json(nullptr) : Json(sighting->item);
  } else if (sighting->where == Where::action) {
    json["action"] = sighting->action;
    json["name"] = sighting->action_name;
    json["argument"] = sighting->argument;
  } else if (sighting->where != Where::speech && sighting->where != Where::task) {
    json["message"] = sighting->message;
  } else if (sighting->where == Where::speech) {
    json["part"] = sighting->argument;
  }
  json["bytes"] = {sighting->begin, sighting->end};
  json["verbatim"] = sighting->verbatim;
  json["telling"] = sighting->telling;
  json["quote"] = sighting->quote.before + sighting->quote.marked + sighting->quote.after;
  return json;
}

}  // namespace memuse::report
