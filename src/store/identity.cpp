#include "store/identity.h"

#include <cstring>
#include <optional>
#include <type_traits>
#include <vector>

namespace memuse::store {
namespace {

/// Builds the byte sequence that is hashed. A text is its length and its bytes; a long one its length and its 128-bit
/// hash, so that an episode costs one fast pass over its text. Absent and present values differ by a mark.
class Frame {
 public:
  void exact(std::string_view text) {
    number(text.size());
    bytes_.append(text);
  }
  void add(std::string_view text) {
    constexpr std::size_t kLongestExact = 64;
    if (text.size() <= kLongestExact) return exact(text);
    const Hash128 hash = hash128(text);
    number(text.size());
    number(hash.low);
    number(hash.high);
  }
  template <typename Number>
  requires std::is_integral_v<Number> || std::is_enum_v<Number>
  void add(Number value) { number(static_cast<std::uint64_t>(value)); }
  void add(double value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    number(bits);
  }
  void add(const ByteRange& range) { all(range.begin, range.end); }
  void add(const TextVersion& version) { all(version.order, version.from_step, version.text); }
  void add(const Message& message) {
    all(message.id, message.role, message.origin, message.transient, message.order, message.first_step,
        message.end_step, message.of_step, message.versions);
  }
  void add(const Action& action) { all(action.id, action.name, action.arguments); }
  void add(const Result& result) { all(result.id, result.action, result.message); }
  void add(const Usage& usage) { all(usage.input, usage.cached_input, usage.output); }
  void add(const Step& step) {
    all(step.order, step.response_message, step.response, step.reasoning, step.actions, step.results, step.usage,
        step.cost_usd, step.time, step.model, step.persist);
  }
  void add(const Entry& entry) { all(entry.item, entry.version, entry.text, entry.identifiers, entry.range); }
  void add(const Delivery& delivery) {
    all(delivery.id, delivery.route, delivery.form, delivery.order, delivery.consuming_step, delivery.message,
        delivery.range, delivery.entries, delivery.search, delivery.tokens);
  }
  void add(const SearchHit& hit) { all(hit.item, hit.version, hit.score); }
  void add(const Search& search) {
    all(search.id, search.query, search.returned, search.matched, search.completed, search.order, search.step);
  }
  void add(const MemoryOperation& operation) {
    all(operation.op, operation.item, operation.version, operation.text, operation.from, operation.operation,
        operation.steps, operation.at, operation.order, operation.after_step);
  }
  void add(const SideCall& call) { all(call.purpose, call.usage, call.cost_usd, call.model, call.order); }
  void add(const AgentTotals& totals) { all(totals.calls, totals.usage, totals.cost_usd, totals.seconds); }
  void add(const Corruption& corruption) { all(corruption.mode, corruption.rate); }
  void add(const Probe& probe) {
    all(probe.dependent, probe.gold, probe.stale, probe.pre_satisfied, probe.memory_had_fact, probe.memory_utilized,
        probe.corruption);
  }
  void add(const Outcome& outcome) { all(outcome.resolved, outcome.reward, outcome.source); }
  void add(const Reference& reference) { all(reference.kind, reference.text); }
  void add(const Tag& tag) { all(tag.key, tag.value); }
  template <typename Value>
  void add(const std::optional<Value>& value) {
    number(value ? 1 : 0);
    if (value) add(*value);
  }
  template <typename Value>
  void add(const std::vector<Value>& values) {
    number(values.size());
    for (const Value& value : values) add(value);
  }
  template <typename... Values>
  void all(const Values&... values) {
    (add(values), ...);
  }

  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  /// Eight bytes, least first, on any machine.
  void number(std::uint64_t value) {
    char digits[8];
    for (char& digit : digits) {
      digit = static_cast<char>(value & 0xff);
      value >>= 8;
    }
    bytes_.append(digits, sizeof digits);
  }

  std::string bytes_;
};

std::string model_digest(const Episode& episode) {
  Frame frame;
  frame.all(episode.store, episode.visibility, episode.delivery_grade, episode.position, episode.repo, episode.domain,
            episode.group, episode.tier, episode.model, episode.seed, episode.condition, episode.tags,
            episode.task_text, episode.reference, episode.end_reason);
  // Text ids depend only on the order of first appearance; the texts themselves stand here once.
  frame.add(episode.texts.size());
  for (TextId id = 0; id < episode.texts.size(); ++id) frame.add(episode.texts[id]);
  frame.all(episode.messages, episode.steps, episode.deliveries, episode.searches, episode.memory_operations,
            episode.side_calls);
  // Only where there are any, so that episodes without keep the ids they had before totals were read.
  if (episode.totals) frame.add(*episode.totals);
  return sha256_hex(frame.bytes());
}

}  // namespace

std::string episode_uid(const Episode& episode) {
  constexpr std::size_t kUidDigits = 32;
  Frame frame;
  frame.exact("memuse-episode/1");
  frame.exact(episode.configuration);
  frame.exact(episode.run);
  frame.exact(episode.id);
  frame.exact(episode.task_id);
  frame.exact(episode.source.sha256);
  frame.exact(model_digest(episode));
  return sha256_hex(frame.bytes()).substr(0, kUidDigits);
}

}  // namespace memuse::store
