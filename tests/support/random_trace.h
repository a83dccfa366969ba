#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

namespace memuse::test {

/// Writes random, valid memuse-trace/1 episodes that use every record type and field. Few ids and texts, so that
/// rewrites, drops, restatements and dangling order of lines are frequent.
class RandomTrace {
 public:
  explicit RandomTrace(std::uint32_t seed) : random_(seed) {}

  /// The lines of one episode.
  std::string episode(const std::string& id) {
    lines_.clear();
    message_texts_.clear();
    messages_ = deliveries_ = searches_ = steps_ = 0;
    open(id);
    const std::size_t count = below(40);
    for (std::size_t i = 0; i < count; ++i) any_line();
    if (chance(2))
      line(chance(2) ? nlohmann::json{{"type", "end"}, {"reason", word()}} : nlohmann::json{{"type", "end"}});
    return lines_;
  }

 private:
  using Json = nlohmann::json;

  std::size_t below(std::size_t bound) { return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random_); }
  bool chance(std::size_t one_in) { return below(one_in) == 0; }
  std::string word() {
    static const std::vector<std::string> words{"amber",        "Öl",
                                                "x\ty",         "line\nbreak",
                                                "\"quoted\"",   "back\\slash",
                                                "\xE2\x80\xA8", "𝒜",
                                                "ctrl\x01",     "",
                                                "  ",           std::string("nul\0in", 6)};
    return words[below(words.size())];
  }
  std::string text() {
    std::string all;
    for (std::size_t i = below(5); i > 0; --i) all += word() + (chance(2) ? " " : "");
    return all;
  }
  double real() { return std::uniform_real_distribution<double>(-3, 1e6)(random_); }
  std::string message_id() { return "m" + std::to_string(below(messages_ == 0 ? 1 : messages_)); }
  void line(const Json& record) { lines_ += record.dump() + "\n"; }
  Json words() {
    Json all = Json::array();
    for (std::size_t i = below(3); i > 0; --i) all.push_back(word());
    return all;
  }
  Json usage() {
    Json all = Json::object();
    if (chance(2)) all["input"] = random_();
    if (chance(2)) all["cached_input"] = below(100);
    if (chance(2)) all["output"] = 18446744073709551615ULL;
    return all;
  }

  void open(const std::string& id) {
    Json record{{"type", "episode"},
                {"schema", "memuse-trace/1"},
                {"episode", id},
                {"task_id", "t" + word()},
                {"run", "r1"},
                {"configuration", "c"},
                {"tags", {{"b", word()}, {"a", word()}}}};
    for (const char* field : {"store", "repo", "domain", "group", "tier", "model", "condition"}) {
      if (chance(2)) record[field] = word();
    }
    if (chance(2)) record["seed"] = below(100);
    if (chance(2)) record["position"] = below(1000);
    if (chance(2)) record["visibility"] = chance(2) ? "rebuilt" : "partial";
    if (chance(2)) record["delivery_grade"] = "by_rule";
    if (chance(2)) record["task"] = {{"text", text()}};
    if (chance(2)) record["reference"] = {{"kind", word()}, {"text", text()}};
    if (chance(2))
      record["totals"] = {{"calls", below(100)}, {"usage", usage()}, {"cost_usd", real()}, {"seconds", real()}};
    if (chance(2)) record["outcome"] = {{"resolved", chance(2) ? Json(chance(2)) : Json()}, {"reward", real()}};
    if (chance(2)) {
      record["probe"] = {{"dependent", chance(2)}, {"gold", words()}, {"stale", {1.50, "x"}}, {"pre_satisfied", false}};
      if (chance(2)) record["probe"]["corruption"] = {{"mode", "swap"}, {"rate", real()}};
    }
    line(record);
  }

  void any_line() {
    switch (below(9)) {
      case 0:
      case 1:
        return message();
      case 2:
        return step();
      case 3:
        if (messages_ > 0) line({{"type", "drop"}, {"messages", {message_id(), message_id()}}});
        return;
      case 4:
        return rewrite();
      case 5:
        return delivery();
      case 6:
        return search();
      case 7:
        return memory();
      default:
        line({{"type", "side_call"}, {"purpose", word()}, {"usage", usage()}, {"cost_usd", real()}, {"model", word()}});
    }
  }

  std::string new_message(std::string text) {
    message_texts_.push_back(std::move(text));
    return "m" + std::to_string(messages_++);
  }

  void message() {
    const std::string content = text();
    Json record{{"type", "message"}, {"id", new_message(content)}, {"role", "user"}, {"text", content}};
    if (chance(2)) record["origin"] = "memory";
    if (chance(3)) record["transient"] = true;
    line(record);
  }

  void rewrite() {
    if (messages_ == 0) return;
    const std::size_t index = below(messages_);
    message_texts_[index] = text();
    line({{"type", "rewrite"}, {"message", "m" + std::to_string(index)}, {"text", message_texts_[index]}});
  }

  void step() {
    Json record{{"type", "step"}, {"step", ++steps_}};
    if (chance(2)) {
      const std::string response = text();
      record["id"] = new_message(response);
      record["response"] = response;
    } else if (chance(2)) {
      record["response"] = text();
      message_texts_.emplace_back();
      ++messages_;  // a message that no line can name
    }
    if (chance(2)) record["reasoning"] = text();
    for (std::size_t i = below(3); i > 0; --i) {
      Json action{{"id", "a" + std::to_string(i)}, {"name", word()}};
      if (chance(2)) action["arguments"] = {{"n", real()}, {"deep", {1, {{"s", word()}}, nullptr}}};
      if (chance(4)) action["arguments"] = word();
      record["actions"].push_back(action);
    }
    for (std::size_t i = below(3); i > 0; --i) {
      const std::string content = text();
      record["results"].push_back({{"id", new_message(content)}, {"action", "a1"}, {"text", content}});
    }
    if (chance(2)) record["usage"] = usage();
    if (chance(2)) record["cost_usd"] = real();
    if (chance(2)) record["time"] = "2026-01-01T00:00:00Z";
    if (chance(2)) record["model"] = word();
    if (chance(3)) record["persist"] = false;
    line(record);
  }

  void delivery() {
    Json record{{"type", "delivery"},
                {"id", "d" + std::to_string(deliveries_++)},
                {"route", chance(2) ? "host" : "agent"},
                {"form", "recall"}};
    if (messages_ > 0 && chance(2)) {
      record["message"] = message_id();
      if (chance(3)) record["range"] = {0, 0};
    }
    record["entries"] = Json::array();
    for (std::size_t i = below(3); i > 0; --i) {
      Json entry{{"text", text()}, {"identifiers", words()}};
      if (chance(2)) entry["item"] = word();
      if (chance(2)) entry["version"] = chance(2) ? Json(word()) : Json(3);
      record["entries"].push_back(entry);
    }
    if (chance(2)) record["search"] = "s0";
    if (chance(2)) record["tokens"] = below(1000);
    line(record);
  }

  void search() {
    Json record{{"type", "search"}, {"id", "s" + std::to_string(searches_++)}, {"status", "completed"}};
    if (chance(3)) record["status"] = "failed";
    if (chance(2)) record["query"] = text();
    if (chance(2)) record["matched"] = below(10);
    for (std::size_t i = below(3); i > 0; --i) record["returned"].push_back({{"item", word()}, {"score", real()}});
    line(record);
  }

  void memory() {
    Json record{{"type", "memory"}, {"op", chance(2) ? "create" : "delete"}, {"item", word()}};
    if (chance(2)) record["version"] = word();
    if (chance(2)) record["text"] = text();
    if (chance(2)) record["from"] = words();
    if (chance(2)) record["operation"] = 17;
    if (chance(2)) record["steps"] = {1, 4294967299ULL};
    if (chance(2)) record["at"] = "2026-01-01T00:00:00Z";
    line(record);
  }

  std::mt19937 random_;
  std::string lines_;
  std::vector<std::string> message_texts_;
  std::size_t messages_ = 0;
  std::size_t deliveries_ = 0;
  std::size_t searches_ = 0;
  std::size_t steps_ = 0;
};

}  // namespace memuse::test
