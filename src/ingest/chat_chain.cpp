#include "ingest/chat_chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "ingest/episode_recorder.h"
#include "ingest/stated_input.h"

namespace memuse::ingest {
namespace {

/// A call without tools and with no more messages than this may be one for a title or the like.
constexpr std::size_t kMostAsideMessages = 3;

struct HashOfKey {
  std::size_t operator()(const Hash128& hash) const { return static_cast<std::size_t>(hash.low ^ hash.high); }
};
using ChainByKey = std::unordered_map<Hash128, std::size_t, HashOfKey>;

/// Of a list of messages, from that of the list without its last.
Hash128 extended(const Hash128& before, const Hash128& message) {
  const std::uint64_t words[4] = {before.low, before.high, message.low, message.high};
  return hash128(std::string_view(reinterpret_cast<const char*>(words), sizeof(words)));
}

std::vector<Hash128> prefixes_of(const ChatCall& call) {
  std::vector<Hash128> all{hash128(call.conversation)};
  all.reserve(call.input.list.size() + 1);
  for (const ChatMessage& message : call.input.list) all.push_back(extended(all.back(), message.key));
  return all;
}

bool may_be_aside(const ChatCall& call) {
  return !call.has_tools && call.input.list.size() <= kMostAsideMessages;
}

std::optional<Hash128> system_key(const ChatCall& call) {
  const auto& list = call.input.list;
  if (list.empty() || list.front().role != Role::system) return std::nullopt;
  return list.front().key;
}

/// Builds the chains call by call.
class Chainer {
 public:
  explicit Chainer(const std::vector<ChatCall>& calls) : calls_(calls) {}

  std::vector<ChatChain> take_all() {
    std::vector<std::size_t> sides;
    for (std::size_t at = 0; at < calls_.size(); ++at) calls_[at].side_purpose.empty() ? take(at) : sides.push_back(at);
    join_asides();
    join_sides(sides);
    return std::move(chains_);
  }

 private:
  void take(std::size_t at) {
    const ChatCall& call = calls_[at];
    const std::vector<Hash128> prefixes = prefixes_of(call);
    std::optional<std::size_t> chain = followed(prefixes);
    if (!chain && !call.input.list.empty()) {
      if (const auto again = by_request_.find(prefixes.back()); again != by_request_.end()) {
        chain = again->second;
        ChatChain& repeated = chains_[*chain];
        if (prefixes_of(calls_[repeated.calls.back()]).back() == prefixes.back()) {
          repeated.asides.push_back(repeated.calls.back());
          repeated.calls.pop_back();
        } else {
          chain.reset();  // that conversation has gone on
        }
      }
    }
    if (!chain) {
      chain = resumed(call);
      if (chain) chains_[*chain].broken = true;
    }
    if (!chain) {
      chain = chains_.size();
      chains_.push_back({call.conversation, {}, {}, false});
    }
    chains_[*chain].calls.push_back(at);
    if (!call.conversation.empty() && (call.has_tools || !main_.contains(call.conversation))) {
      main_.insert_or_assign(call.conversation, *chain);
    }
    by_request_.insert_or_assign(prefixes.back(), *chain);
    if (call.answer) by_end_.insert_or_assign(extended(prefixes.back(), call.answer->key), *chain);
  }

  /// The chain whose last request and answer are the longest beginning of the request.
  std::optional<std::size_t> followed(const std::vector<Hash128>& prefixes) {
    for (auto prefix = prefixes.rbegin(); prefix != prefixes.rend(); ++prefix) {
      const auto found = by_end_.find(*prefix);
      if (found == by_end_.end()) continue;
      const std::size_t chain = found->second;
      by_end_.erase(found);  // a branch from here on is a conversation of its own
      return chain;
    }
    return std::nullopt;
  }

  /// The main chain of the conversation, when the request may be its next one with something dropped.
  std::optional<std::size_t> resumed(const ChatCall& call) {
    if (call.conversation.empty()) return std::nullopt;
    const auto main = main_.find(call.conversation);
    if (main == main_.end()) return std::nullopt;
    const ChatCall& last = calls_[chains_[main->second].calls.back()];
    const bool alike = last.has_tools == call.has_tools && system_key(last) == system_key(call);
    return alike ? std::optional(main->second) : std::nullopt;
  }

  /// Small calls beside a conversation with tools belong to the first one of their id, or to the first of all.
  void join_asides() {
    std::vector<ChatChain> kept;
    const bool tools = std::any_of(calls_.begin(), calls_.end(), [](const ChatCall& call) { return call.has_tools; });
    std::unordered_map<std::string, std::size_t> kept_main;
    std::vector<ChatChain> waiting;
    for (ChatChain& chain : chains_) {
      const bool small = tools && chain.calls.size() == 1 && may_be_aside(calls_[chain.calls.front()]);
      if (small) {
        waiting.push_back(std::move(chain));
        continue;
      }
      kept_main.emplace(chain.conversation, kept.size());
      kept.push_back(std::move(chain));
    }
    for (ChatChain& aside : waiting) {
      const auto home = kept_main.find(aside.conversation);
      if (home == kept_main.end()) {
        kept.push_back(std::move(aside));
        continue;
      }
      ChatChain& chain = kept[home->second];
      chain.asides.insert(chain.asides.end(), aside.calls.begin(), aside.calls.end());
    }
    chains_ = std::move(kept);
  }

  /// Calls that were told as being beside go to the first chain of their id; without one they stay alone.
  void join_sides(const std::vector<std::size_t>& sides) {
    std::unordered_map<std::string, std::size_t> home;
    for (std::size_t at = 0; at < chains_.size(); ++at) home.emplace(chains_[at].conversation, at);
    for (const std::size_t side : sides) {
      const auto [place, added] = home.emplace(calls_[side].conversation, chains_.size());
      if (added) chains_.push_back({calls_[side].conversation, {}, {}, false});
      chains_[place->second].asides.push_back(side);
    }
  }

  const std::vector<ChatCall>& calls_;
  std::vector<ChatChain> chains_;
  ChainByKey by_end_;
  ChainByKey by_request_;
  std::unordered_map<std::string, std::size_t> main_;  // of a conversation
};

/// Builds the episode of one chain.
class ChainEpisode {
 public:
  ChainEpisode(const ChatChain& chain, const std::vector<ChatCall>& calls)
      : chain_(chain), calls_(calls), input_(recorder_) {}

  std::optional<Episode> build() {
    bool whole = true;
    bool told = false;
    for (std::size_t at = 0; at < chain_.calls.size(); ++at) {
      const ChatCall& call = calls_[chain_.calls[at]];
      whole = whole && call.input.whole && !call.input.list.empty();
      told = told || call.told;
      const ChatCall* next = at + 1 < chain_.calls.size() ? &calls_[chain_.calls[at + 1]] : nullptr;
      call.answer ? add_call(call, next) : add_aside(call, "failed");
    }
    for (const std::size_t aside : chain_.asides) {
      const std::string_view purpose = calls_[aside].side_purpose;
      add_aside(calls_[aside], purpose.empty() ? std::string_view("aside") : keep(purpose));
    }
    Episode& episode = recorder_.episode();
    if (episode.steps.empty()) return std::nullopt;
    // An instrumentation may tell of new messages only.
    if (!whole || (told && chain_.broken)) {
      episode.visibility = VisibilityGrade::partial;
    } else {
      episode.visibility = told ? VisibilityGrade::rebuilt : VisibilityGrade::exact;
    }
    episode.delivery_grade = DeliveryGrade::not_recorded;
    episode.model = episode.steps.front().model;
    return recorder_.take();
  }

 private:
  /// Texts are shared by the calls of a file, so their place tells them apart.
  std::string_view keep(std::string_view text) {
    if (text.empty()) return {};
    const auto [place, added] = kept_.try_emplace(text.data());
    if (added || place->second.size() != text.size()) place->second = recorder_.keep(text);
    return place->second;
  }

  std::vector<Action> kept(const std::vector<Action>& actions) {
    std::vector<Action> all;
    for (const Action& action : actions) all.push_back({keep(action.id), keep(action.name), keep(action.arguments)});
    return all;
  }

  Origin origin_of(const ChatMessage& message) {
    if (message.role == Role::system) return Origin::system;
    if (message.role != Role::user) return Origin::other;
    if (recorder_.episode().task_text.empty()) {
      recorder_.episode().task_text = keep(message.text);
      return Origin::task;
    }
    return message.text == recorder_.episode().task_text ? Origin::task : Origin::user;
  }

  void add_call(const ChatCall& call, const ChatCall* next) {
    ++number_;
    std::vector<StatedMessage> wanted;
    for (const ChatMessage& message : call.input.list) {
      const std::string_view id = recorder_.keep(fmt::format("c{}.{}", number_, wanted.size()));
      wanted.push_back({id, message.role, origin_of(message), keep(message.text)});
    }
    input_.follow(wanted);
    StepRecord step;
    step.id = recorder_.keep(fmt::format("c{}", number_));
    step.response = keep(call.answer->text);
    step.reasoning = keep(call.answer->reasoning);
    step.actions = kept(call.answer->actions);
    step.usage = call.usage;
    step.cost_usd = call.cost_usd;
    step.time = keep(call.time);
    step.model = keep(call.model);
    if (next != nullptr) add_results(step, call, *next);
    if (step.results.empty()) add_tool_answers(step, call);
    recorder_.tick();
    recorder_.add_step(std::move(step));
    input_.take_step();
  }

  /// What came back stands in the next request, behind the answer.
  void add_results(StepRecord& step, const ChatCall& call, const ChatCall& next) {
    const auto& list = next.input.list;
    std::size_t at = call.input.list.size();
    if (at >= list.size() || !(list[at].key == call.answer->key)) return;
    for (++at; at < list.size() && list[at].role == Role::tool; ++at) {
      step.results.push_back({recorder_.keep(fmt::format("{}.r{}", step.id, step.results.size())),
                              keep(list[at].tool_call), keep(list[at].text)});
    }
  }

  void add_tool_answers(StepRecord& step, const ChatCall& call) {
    for (const ToolAnswer& answer : call.tool_answers) {
      step.results.push_back({recorder_.keep(fmt::format("{}.r{}", step.id, step.results.size())), keep(answer.action),
                              keep(answer.text)});
    }
  }

  void add_aside(const ChatCall& call, std::string_view purpose) {
    recorder_.tick();
    recorder_.add_side_call({purpose, call.usage, call.cost_usd, keep(call.model), 0});
  }

  const ChatChain& chain_;
  const std::vector<ChatCall>& calls_;
  EpisodeRecorder recorder_;
  StatedInput input_;
  std::unordered_map<const char*, std::string_view> kept_;
  std::size_t number_ = 0;
};

}  // namespace

void sort_calls(std::vector<ChatCall>& calls) {
  std::stable_sort(calls.begin(), calls.end(), [](const ChatCall& a, const ChatCall& b) {
    if (a.order != b.order) return a.order < b.order;
    return a.input.list.size() < b.input.list.size();
  });
}

std::vector<ChatChain> chain_calls(const std::vector<ChatCall>& calls) {
  return Chainer(calls).take_all();
}

std::optional<Episode> chain_episode(const ChatChain& chain, const std::vector<ChatCall>& calls) {
  return ChainEpisode(chain, calls).build();
}

}  // namespace memuse::ingest
