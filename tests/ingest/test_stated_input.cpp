#include "ingest/stated_input.h"

#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "support/adapter_reading.h"

namespace memuse::ingest {
namespace {

using Texts = std::vector<std::string>;

/// Records inputs of user messages, an answer `a<step>` behind each.
class Inputs {
 public:
  void call(const Texts& texts, bool answered = true) {
    std::vector<StatedMessage> wanted;
    for (const std::string& text : texts) {
      const bool answer = text.starts_with("a");
      wanted.push_back({{}, answer ? Role::assistant : Role::user, Origin::other, recorder_.keep(text)});
    }
    input_.follow(wanted);
    StepRecord step;
    if (answered) step.response = recorder_.keep("a" + std::to_string(recorder_.next_step()));
    recorder_.tick();
    recorder_.add_step(std::move(step));
    input_.take_step();
  }
  Episode take() { return recorder_.take(); }

 private:
  EpisodeRecorder recorder_;
  StatedInput input_{recorder_};
};

TEST_CASE("an input that only grows adds what is new", "[stated-input]") {
  Inputs inputs;
  inputs.call({"s", "u"});
  inputs.call({"s", "u", "a1", "o1"});
  inputs.call({"s", "u", "a1", "o1", "a2", "o2"});
  const Episode episode = inputs.take();
  CHECK(episode.messages.size() == 7);
  CHECK(test::visible_texts(episode, 3) == Texts{"s", "u", "a1", "o1", "a2", "o2"});
}

TEST_CASE("an elided message is rewritten in its place, and the answers stay the steps' own", "[stated-input]") {
  Inputs inputs;
  inputs.call({"s", "u"});
  inputs.call({"s", "u", "a1", "o1"});
  inputs.call({"s", "u", "a1", "gone", "a2", "o2"});
  const Episode episode = inputs.take();
  CHECK(test::visible_texts(episode, 2) == Texts{"s", "u", "a1", "o1"});
  CHECK(test::visible_texts(episode, 3) == Texts{"s", "u", "a1", "gone", "a2", "o2"});
  CHECK(episode.messages.size() == 7);
}

TEST_CASE("messages for one call only go away, also while an older one is elided", "[stated-input]") {
  Inputs inputs;
  inputs.call({"s", "u"});
  inputs.call({"s", "u", "a1", "o1", "ax", "complaint"});
  inputs.call({"s", "u", "a1", "gone", "a2", "o2"});
  const Episode episode = inputs.take();
  CHECK(test::visible_texts(episode, 2) == Texts{"s", "u", "a1", "o1", "ax", "complaint"});
  CHECK(test::visible_texts(episode, 3) == Texts{"s", "u", "a1", "gone", "a2", "o2"});
  const std::uint32_t second_answer = *episode.steps[1].response_message;
  CHECK(episode.messages[second_answer].visible_at(3));
}

TEST_CASE("what is put in the middle makes what follows it new", "[stated-input]") {
  Inputs inputs;
  inputs.call({"s", "u"});
  inputs.call({"s", "note", "u", "a1", "o1"});
  const Episode episode = inputs.take();
  CHECK(test::visible_texts(episode, 2) == Texts{"s", "note", "u", "a1", "o1"});
}

TEST_CASE("any sequence of inputs is reproduced exactly", "[stated-input]") {
  std::mt19937 random(7);
  const auto below = [&](std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random);
  };
  const Texts words{"s", "u", "o", "a1", "a2", "a3", "p", "q", "", "u"};
  for (int round = 0; round < 300; ++round) {
    Inputs inputs;
    std::vector<Texts> stated;
    Texts now;
    for (std::size_t step = 0; step < 1 + below(8); ++step) {
      for (std::size_t change = below(4); change > 0; --change) {
        if (!now.empty() && below(3) == 0) now.erase(now.begin() + static_cast<std::ptrdiff_t>(below(now.size())));
        if (!now.empty() && below(3) == 0) now[below(now.size())] = words[below(words.size())];
        if (below(3) > 0) {
          now.insert(now.begin() + static_cast<std::ptrdiff_t>(below(now.size() + 1)), words[below(words.size())]);
        }
      }
      stated.push_back(now);
      inputs.call(now, below(4) > 0);
      if (below(2) == 0) now.push_back("a" + std::to_string(stated.size()));
    }
    const Episode episode = inputs.take();
    for (std::size_t step = 0; step < stated.size(); ++step) {
      REQUIRE(test::visible_texts(episode, static_cast<std::uint32_t>(step + 1)) == stated[step]);
    }
  }
}

}  // namespace
}  // namespace memuse::ingest
