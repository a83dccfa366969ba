#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/arena.h"
#include "model/text.h"

// The recorded world of semantics.md §1 as plain values.
//
// Lifetimes: every std::string_view inside an Episode points into that episode's `arena` (or at a string literal) and
// lives as long as the episode, also when the episode is moved. Interned texts are referred to by TextId.

namespace memuse {

enum class Role : std::uint8_t { system, user, assistant, tool };
enum class Origin : std::uint8_t { system, task, user, memory, other };
enum class Route : std::uint8_t { host, agent };
enum class VisibilityGrade : std::uint8_t { exact, rebuilt, partial, unknown };
enum class DeliveryGrade : std::uint8_t { annotated, by_rule, not_recorded, none };
enum class MemoryOp : std::uint8_t { create, update, delete_item, noop };

std::string_view name(Role value);
std::string_view name(Origin value);
std::string_view name(Route value);
std::string_view name(VisibilityGrade value);
std::string_view name(DeliveryGrade value);
std::string_view name(MemoryOp value);  // `delete_item` prints as "delete"

/// The value of that name, or nothing.
std::optional<Role> parse_role(std::string_view text);
std::optional<Origin> parse_origin(std::string_view text);
std::optional<Route> parse_route(std::string_view text);
std::optional<VisibilityGrade> parse_visibility_grade(std::string_view text);
std::optional<DeliveryGrade> parse_delivery_grade(std::string_view text);
std::optional<MemoryOp> parse_memory_op(std::string_view text);

/// Index into `TextPool`.
using TextId = std::uint32_t;

/// Distinct texts of an episode, each kept once.
class TextPool {
 public:
  /// The id of `text`, which must live in the episode's arena (or longer); equal bytes give equal ids.
  TextId intern(std::string_view text);
  [[nodiscard]] std::string_view operator[](TextId id) const { return texts_[id]; }
  [[nodiscard]] std::size_t size() const { return texts_.size(); }

 private:
  struct HashOfHash {
    std::size_t operator()(const Hash128& hash) const { return static_cast<std::size_t>(hash.low); }
  };
  std::vector<std::string_view> texts_;
  std::unordered_map<Hash128, TextId, HashOfHash> by_hash_;
};

/// Half-open range of bytes.
struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

/// A step number beyond every episode: "never" for the end of visibility, or "no step".
inline constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();

/// The text of a message from some moment on.
struct TextVersion {
  std::uint32_t order = 0;      ///< when it was written, on the episode's line clock (`Episode::lines`)
  std::uint32_t from_step = 0;  ///< first step whose input can show it
  TextId text = 0;
};

/// One message of the conversation. Messages stand in the order of the input; a rewritten one keeps its place.
struct Message {
  std::string_view id;
  Role role = Role::user;
  Origin origin = Origin::other;
  bool transient = false;
  std::uint32_t order = 0;            ///< line clock of its line
  std::uint32_t first_step = 0;       ///< visible in V(k) for first_step <= k < end_step …
  std::uint32_t end_step = kNever;    ///< … which is empty when end_step <= first_step
  std::uint32_t of_step = 0;          ///< the step whose response or result it is; 0 for a message of its own
  std::vector<TextVersion> versions;  ///< at least one, ascending

  [[nodiscard]] bool visible_at(std::uint32_t step) const { return first_step <= step && step < end_step; }
  /// Text at moment `order` of the line clock (the first version when that is before its line).
  [[nodiscard]] TextId text_at_order(std::uint32_t moment) const;
  /// Text as V(step) shows it; only meaningful where `visible_at(step)`.
  [[nodiscard]] TextId text_at_step(std::uint32_t step) const;
};

struct Action {
  std::string_view id;
  std::string_view name;
  std::string_view arguments;  ///< JSON text as recorded, compact or not; `null` when absent
};

struct Result {
  std::string_view id;        ///< message id of the result
  std::string_view action;    ///< id of the action it answers; empty if not given
  std::uint32_t message = 0;  ///< index into `Episode::messages`
};

/// Tokens of one model call; `input` includes the cached part.
struct Usage {
  std::optional<std::uint64_t> input;
  std::optional<std::uint64_t> cached_input;
  std::optional<std::uint64_t> output;
};

/// One model call of the main agent with what followed it. Step k stands at index k-1.
struct Step {
  std::uint32_t order = 0;
  std::optional<std::uint32_t> response_message;  ///< index into `Episode::messages`
  std::string_view response;
  std::string_view reasoning;
  std::vector<Action> actions;
  std::vector<Result> results;
  Usage usage;
  std::optional<double> cost_usd;
  std::string_view time;
  std::string_view model;
  bool persist = true;
};

/// One item as exposed in one delivery.
struct Entry {
  std::optional<std::string_view> item;
  std::optional<std::string_view> version;
  std::string_view text;
  std::vector<std::string_view> identifiers;
  std::optional<ByteRange> range;  ///< bytes of the message
};

/// One placement of memory content.
struct Delivery {
  std::string_view id;
  Route route = Route::host;
  std::string_view form;
  std::uint32_t order = 0;
  std::uint32_t consuming_step = kNever;  ///< the next step after its line; kNever if there was none
  std::optional<std::uint32_t> message;   ///< index into `Episode::messages`
  std::optional<ByteRange> range;         ///< of the placed text inside the message; the whole message when absent
  std::vector<Entry> entries;
  std::string_view search;              ///< id of the search it shows; empty if none
  std::optional<std::uint64_t> tokens;  ///< recorded token count
};

struct SearchHit {
  std::string_view item;
  std::optional<std::string_view> version;
  std::optional<double> score;
};

struct Search {
  std::string_view id;
  std::string_view query;
  std::vector<SearchHit> returned;
  std::optional<std::uint64_t> matched;
  bool completed = true;
  std::uint32_t order = 0;
  std::uint32_t step = kNever;  ///< the next step after its line; kNever if there was none
};

struct MemoryOperation {
  MemoryOp op = MemoryOp::create;
  std::string_view item;
  std::optional<std::string_view> version;
  std::optional<std::string_view> text;
  std::vector<std::string_view> from;
  std::string_view operation;
  std::vector<std::uint32_t> steps;
  std::string_view at;
  std::uint32_t order = 0;
  std::uint32_t after_step = 0;  ///< steps recorded before its line
};

struct SideCall {
  std::string_view purpose;
  Usage usage;
  std::optional<double> cost_usd;
  std::string_view model;
  std::uint32_t order = 0;
};

/// What a trace states for the main agent over the whole episode, beside or instead of what it states call by call.
struct AgentTotals {
  std::optional<std::uint64_t> calls;
  Usage usage;
  std::optional<double> cost_usd;
  std::optional<double> seconds;  ///< wall time
};

struct Corruption {
  std::string_view mode;
  std::optional<double> rate;
};

struct Probe {
  std::optional<bool> dependent;
  std::vector<std::string_view> gold;
  std::vector<std::string_view> stale;
  std::optional<bool> pre_satisfied;
  std::optional<bool> memory_had_fact;
  std::optional<bool> memory_utilized;
  /// The same flag computed again from gold values and actions; never read from a trace.
  std::optional<bool> memory_utilized_recomputed;
  std::optional<Corruption> corruption;
};

struct Outcome {
  std::optional<bool> resolved;
  std::optional<double> reward;
  std::string_view source;
};

struct Reference {
  std::string_view kind;
  std::string_view text;
};

struct Tag {
  std::string_view key;
  std::string_view value;
};

/// Where an episode lies, so that it can be read again.
struct SourcePlace {
  std::string path;
  std::string format;            ///< adapter name, e.g. `memuse-trace`
  std::string format_version;    ///< e.g. `1`
  std::uint64_t line = 0;        ///< 1-based line or record of its start
  std::uint64_t byte_begin = 0;  ///< byte range of the episode in the (decompressed) file
  std::uint64_t byte_end = 0;
  std::string sha256;  ///< over these bytes
};

/// One agent working on one task in one run.
struct Episode {
  Arena arena;
  TextPool texts;

  std::string_view id;  ///< unique within the run
  std::string_view task_id;
  std::string_view configuration;
  std::string_view run;
  std::string_view store = "default";
  VisibilityGrade visibility = VisibilityGrade::exact;
  DeliveryGrade delivery_grade = DeliveryGrade::annotated;
  std::optional<std::uint64_t> position;
  std::string_view repo;
  std::string_view domain;
  std::string_view group;
  std::string_view tier;
  std::string_view model;
  std::string_view seed;
  std::string_view condition;
  std::vector<Tag> tags;  ///< sorted by key
  std::string_view task_text;
  std::optional<Probe> probe;
  std::optional<Outcome> outcome;
  std::optional<Reference> reference;
  std::optional<AgentTotals> totals;
  std::optional<std::string_view> end_reason;  ///< present when an `end` line closed the episode

  std::vector<Message> messages;
  std::vector<Step> steps;
  std::vector<Delivery> deliveries;
  std::vector<Search> searches;
  std::vector<MemoryOperation> memory_operations;
  std::vector<SideCall> side_calls;
  std::uint32_t lines = 0;  ///< the line clock: number of lines (records) taken in, the `episode` line being 0

  SourcePlace source;

  [[nodiscard]] std::uint32_t step_count() const { return static_cast<std::uint32_t>(steps.size()); }

  /// Placed text of a delivery: the bytes of its message as it stood when the delivery line was met; empty without a
  /// message. A range is clamped to the message (the reader has reported it).
  [[nodiscard]] std::string_view placed_text(const Delivery& delivery) const;
};

}  // namespace memuse
