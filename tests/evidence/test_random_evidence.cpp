// Random episodes: every byte of the visible input stands in the file that it should, and in no other.

#include <map>
#include <random>
#include <set>

#include "evidence/read_requirements.h"
#include "evidence_cases.h"
#include "ingest/canonical_trace.h"
#include "model/entries.h"
#include "model/text.h"
#include "support/random_trace.h"

using namespace memuse;
using namespace memuse::test;
using evidence::EvidenceSet;

namespace {

/// Makes texts of words that occur once in an episode, so that a word tells where it comes from.
class RandomEpisode {
 public:
  explicit RandomEpisode(std::mt19937& random) : random_(random) {}

  Episode make() {
    builder_.episode().task_text = builder_.keep(words(1));
    const std::size_t lines = 5 + below(25);
    for (std::size_t i = 0; i < lines; ++i) any_line();
    builder_.step();
    return builder_.build();
  }

 private:
  std::size_t below(std::size_t bound) { return random_() % bound; }
  std::string words(std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += "w" + std::to_string(++word_) + "é. ";
    return text;
  }
  std::string any_message() { return messages_.at(below(messages_.size())); }

  void any_line() {
    switch (below(8)) {
      case 0:
      case 1:
        return step();
      case 2:
        if (!messages_.empty()) builder_.drop(any_message());
        return;
      case 3:
        return rewrite();
      case 4:
      case 5:
        return delivery();
      default:
        return message();
    }
  }
  void message() {
    static constexpr Origin kOrigins[] = {Origin::system, Origin::task, Origin::user, Origin::memory, Origin::other};
    const std::string id = "m" + std::to_string(messages_.size());
    const std::string text = words(1 + below(4));
    builder_.message(id, text, {below(4) == 0, Role::user, kOrigins[below(5)]});
    messages_.push_back(id);
    texts_[id] = text;
  }
  void rewrite() {
    if (messages_.empty()) return;
    const std::string id = any_message();
    // Now and then the old text survives in the new one, so that deliveries there stay visible.
    texts_[id] = below(2) == 0 ? words(1) + texts_[id] : words(2);
    builder_.rewrite(id, texts_[id]);
  }
  void step() {
    StepLine line{.response = words(1)};
    const std::size_t results = below(3);
    for (std::size_t i = 0; i < results; ++i) {
      const std::string id = "m" + std::to_string(messages_.size());
      const std::string text = words(1 + below(3));
      line.results.emplace_back(id, text);
      messages_.push_back(id);
      texts_[id] = text;
    }
    line.persist = below(4) != 0;
    builder_.step(line);
  }
  void delivery() {
    if (messages_.empty()) return;
    const std::string id = any_message();
    const std::string& text = texts_[id];
    DeliveryLine line{.id = "d", .message = id};
    std::string placed = text;
    if (below(2) == 0) {
      // Words end in ". ", so that ranges fall between words.
      const std::size_t begin = below(2) == 0 ? 0 : std::min(text.size(), text.find(". ") + 2);
      const std::size_t end = below(2) == 0 ? text.size() : std::min(text.size(), text.find(". ", begin) + 2);
      line.range = ByteRange{begin, std::max(begin, end)};
      placed = text.substr(begin, line.range->end - begin);
    }
    if (below(3) != 0) line.entries.push_back({"I" + std::to_string(below(4)), placed, {"I"}});
    builder_.delivery(line);
  }

  std::mt19937& random_;
  EpisodeBuilder builder_;
  std::vector<std::string> messages_;
  std::map<std::string, std::string> texts_;
  int word_ = 0;
};

/// Files in which a word must stand, and those in which it may stand as well.
struct Homes {
  std::set<std::string> must, may;
};

/// The slow way to say where the words of V(first) belong, straight from the rules.
class ExpectedHomes {
 public:
  ExpectedHomes(const Episode& episode, const EpisodeSpans& spans, const Span& span)
      : episode_(episode), span_(span), target_(span.deliveries.front().delivery) {
    for (const Span& each : spans.spans) {
      for (const SpanDelivery& delivery : each.deliveries) consumed_.insert(delivery.delivery);
    }
  }

  std::map<std::string, Homes> by_word() {
    std::map<std::string, Homes> homes;
    for (std::uint32_t m = 0; m < episode_.messages.size(); ++m) {
      const Message& message = episode_.messages[m];
      if (!message.visible_at(span_.first_step)) continue;
      const std::string text(episode_.texts[message.text_at_step(span_.first_step)]);
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find(". ", at) + 2;
        homes[text.substr(at, end - at - 2)] = homes_of(m, at);
        at = end;
      }
    }
    return homes;
  }

 private:
  [[nodiscard]] bool visible(std::uint32_t d) const {
    const Delivery& delivery = episode_.deliveries[d];
    if (!consumed_.contains(d) || delivery.consuming_step > span_.first_step) return false;
    if (!episode_.messages[*delivery.message].visible_at(span_.first_step)) return false;
    if (same_text(d)) return true;
    const Message& message = episode_.messages[*delivery.message];
    const std::string now = normalise_text(episode_.texts[message.text_at_step(span_.first_step)]);
    for (const ExposedEntry& entry : exposed_entries(episode_, delivery)) {
      if (now.find(normalise_text(entry.text)) != std::string::npos) return true;
    }
    return false;
  }
  [[nodiscard]] bool same_text(std::uint32_t d) const {
    const Delivery& delivery = episode_.deliveries[d];
    const Message& message = episode_.messages[*delivery.message];
    return message.text_at_order(delivery.order) == message.text_at_step(span_.first_step);
  }
  [[nodiscard]] bool covers(std::uint32_t d, std::size_t at) const {
    const Delivery& delivery = episode_.deliveries[d];
    return same_text(d) && (!delivery.range || (delivery.range->begin <= at && at < delivery.range->end));
  }

  Homes homes_of(std::uint32_t m, std::size_t at) {
    const Message& message = episode_.messages[m];
    const TextId text = message.text_at_step(span_.first_step);
    const bool in_step_file = message.of_step != 0 && text == message.versions.front().text;
    Homes homes;
    homes.may = {"earlier_copies", "deliveries", "target"};  // entries repeat what their delivery holds
    // What is new in a step's input has its text in the file of that step.
    if (message.of_step == 0) homes.may.insert(evidence::step_file(message.first_step));
    for (const Delivery& delivery : episode_.deliveries) {
      if (delivery.message == m) homes.may.insert(evidence::step_file(delivery.consuming_step));
    }
    if (in_step_file) homes.must.insert(evidence::step_file(message.of_step));
    if (message.of_step != 0) homes.may.insert(evidence::step_file(message.of_step));
    const bool targets = target_ < episode_.deliveries.size() && episode_.deliveries[target_].message == m &&
                         !exposed_entries(episode_, episode_.deliveries[target_]).empty();
    if (targets && (covers(target_, at) || !same_text(target_))) {
      homes.must.insert("target");
      if (message.of_step == 0 && message.origin != Origin::task && message.origin != Origin::user) return homes;
      homes.may.insert("task");  // other texts of a rewritten message may hold the word too
      return homes;
    }
    for (std::uint32_t d = 0; d < episode_.deliveries.size(); ++d) {
      if (d == target_ || episode_.deliveries[d].message != m || !visible(d) || !covers(d, at)) continue;
      if (!in_step_file) homes.must.insert("deliveries");
      homes.may.insert("task");
      return homes;
    }
    if (in_step_file) return homes;
    if (message.of_step != 0) {
      homes.must.insert("prior_context");
    } else if (message.origin == Origin::task || message.origin == Origin::user) {
      homes.must.insert("task");
    } else {
      homes.must.insert("other_messages");
    }
    return homes;
  }

  const Episode& episode_;
  const Span& span_;
  std::uint32_t target_;
  std::set<std::uint32_t> consumed_;
};

/// What holds for every set of evidence files.
void check_files(const EvidenceSet& set, const EvidenceSet& again) {
  REQUIRE(set.files().size() == again.files().size());
  for (std::size_t f = 0; f < set.files().size(); ++f) {
    const evidence::EvidenceFile& file = set.files()[f];
    const std::string text = text_of(set, file.name);
    CHECK(text == text_of(again, file.name));
    CHECK(file.bytes == text.size());
    CHECK(file.bytes > 0);
    CHECK(file.summary == again.files()[f].summary);
    CHECK(valid_utf8_prefix(text) == text.size());
    std::uint64_t at = 0;
    const std::vector<ByteRange> quotable = set.quotable(file.name);
    for (const ByteRange& range : quotable) {
      CHECK(at <= range.begin);
      CHECK(range.begin < range.end);
      at = range.end;
    }
    CHECK(at <= text.size());
    for (const ByteRange& range : set.visible_before(file.name)) {
      CHECK(std::any_of(quotable.begin(), quotable.end(),
                        [&](const ByteRange& whole) { return whole.begin <= range.begin && range.end <= whole.end; }));
    }
  }
}

}  // namespace

TEST_CASE("every visible word of a random episode stands in the files that it should, and in no other") {
  std::mt19937 random(23);
  std::map<std::string, int> seen;
  for (int round = 0; round < 400; ++round) {
    const EvidenceCase scene(RandomEpisode(random).make());
    for (const Span& span : scene.spans().spans) {
      const EvidenceSet set = scene.of(span.number);
      EntryAnswer entry{span.entries.empty() ? 0 : span.entries.front().entry, {}, {}, {}, ""};
      entry.labels.influence = Influence::acted_on;
      std::set<std::string> required;
      for (const auto& requirement : evidence::read_requirements(set, Answer{{entry}}))
        required.insert(requirement.file);
      for (const auto& [word, homes] : ExpectedHomes(scene.episode(), scene.spans(), span).by_word()) {
        INFO("round " << round << " S" << span.number << " " << word);
        for (const evidence::EvidenceFile& file : set.files()) {
          const bool holds = text_of(set, file.name).find(word) != std::string::npos;
          INFO(file.name);
          if (homes.must.contains(file.name)) {
            CHECK(holds);
            // A result that is the target to the last byte is no source; its text stands in `target`.
            CHECK((required.contains(file.name) || homes.must.contains("target")));
            ++seen[file.name.starts_with("steps/") ? "step" : file.name];
          } else if (!homes.may.contains(file.name)) {
            CHECK_FALSE(holds);
          }
        }
      }
    }
  }
  for (const std::string home : {"target", "deliveries", "task", "other_messages", "prior_context", "step"}) {
    INFO(home);
    CHECK(seen[home] > 0);
  }
}

TEST_CASE("evidence of random traces is the same again, valid and in order") {
  std::size_t spans = 0;
  for (std::uint32_t seed = 0; seed < 150; ++seed) {
    RandomTrace trace(seed);
    const std::string lines = trace.episode("e");
    {
      std::vector<Episode> first = ingest::read_canonical_trace(lines, {});
      std::vector<Episode> second = ingest::read_canonical_trace(lines, {});
      REQUIRE(first.size() == second.size());
      for (std::size_t e = 0; e < first.size(); ++e) {
        const EvidenceCase scene(std::move(first[e]), {true, true});
        const EvidenceCase again(std::move(second[e]), {true, true});
        for (const Span& span : scene.spans().spans) {
          check_files(scene.of(span.number), again.of(span.number));
          ++spans;
        }
      }
    }
  }
  CHECK(spans > 50);
}
