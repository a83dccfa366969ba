#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/episode.h"
#include "model/records.h"
#include "model/span.h"

namespace memuse::store {

/// Everything of an episode that goes into the database, ready to be bound to statements. It owns its texts, so the
/// episode may go before it is written. Making it is a pure function, meant for the threads that parse: the thread that
/// writes has then nothing left to compute.
struct PreparedEpisode {
  struct Text {
    std::string sha256;
    std::string body;
  };
  struct Span {
    std::uint32_t number = 0, first_step = 0, last_step = 0;
    Routing routing = Routing::judged;
  };
  struct Delivery {
    DeliveryRecord record;
    std::optional<std::uint32_t> place;  ///< in the span's list; none when unconsumed
    std::uint32_t line_order = 0;
    std::string search;
    std::optional<std::uint32_t> message;
    std::optional<ByteRange> range;
  };
  struct Entry {
    std::uint32_t span = 0, entry = 0;
    std::optional<std::string> item, version;
    std::size_t text = 0;     ///< index into `texts`
    std::string identifiers;  ///< JSON array
    std::optional<Window> window;
  };
  struct Operation {
    MemoryOp op = MemoryOp::create;
    std::string item;
    std::optional<std::string> version;
    std::optional<std::size_t> text;  ///< index into `texts`
    std::string from, operation, steps, at;
    std::uint32_t line_order = 0, after_step = 0;
  };
  struct Search {
    std::string search, query, returned;
    std::optional<std::uint64_t> matched;
    bool completed = true;
    std::uint32_t line_order = 0, step = 0;
  };

  EpisodeRecord record;              ///< outcome as the trace has it
  std::string tags;                  ///< JSON object
  std::optional<std::string> probe;  ///< JSON object
  bool probe_from_file = false;      ///< a probes file has spoken: replaces what is stored for a known episode
  std::optional<std::string> reference_kind, end_reason;
  std::optional<std::int64_t> first_time_us, last_time_us;
  std::string messages;     ///< packed places of the messages (docs/database.md)
  std::vector<Text> texts;  ///< distinct
  std::vector<Span> spans;
  std::vector<Delivery> deliveries;  ///< by delivery index
  std::vector<Entry> entries;
  std::vector<Operation> operations;
  std::vector<Search> searches;

  /// Rows that it makes, for the size of batches.
  [[nodiscard]] std::size_t row_count() const {
    return 2 + texts.size() + spans.size() + deliveries.size() + entries.size() + operations.size() + searches.size();
  }
};

/// Thread-safe; linear in the episode's text.
PreparedEpisode prepare(const Episode& episode, const EpisodeSpans& spans);

}  // namespace memuse::store
