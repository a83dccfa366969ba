#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ingest/bridge_chat.h"
#include "ingest/bridge_json_file.h"

// The requests and responses of `calls/`: proof of what a call was sent, and the only place of its token counts.

namespace memuse::ingest::bridge {

/// Digest of a list of messages that does not depend on their order, so that it can be kept up to date message by
/// message. Messages of one conversation differ, and their order is that of their numbers.
struct ContextDigest {
  std::uint64_t low = 0, high = 0, count = 0;

  void add(const Hash128& message) {
    low += message.low;
    high += message.high;
    ++count;
  }
  void remove(const Hash128& message) {
    low -= message.low;
    high -= message.high;
    --count;
  }
  friend auto operator<=>(const ContextDigest&, const ContextDigest&) = default;
};

/// One entry of `calls/`.
struct CallFile {
  std::string path;  ///< of its request, below the root
  bool request = false;
  ContextDigest context, context_without_last;
  std::optional<Hash128> reply;  ///< identity of the message in the response
  Usage usage;
  std::string_view model;
};

/// The entries of `calls/` of one run dir, in their order, with what pairs them with the calls of the log.
class CallFiles {
 public:
  /// No entries.
  CallFiles() = default;
  /// Reads all entries; `hashes` gets a line per file for the episode's digest. Strings go into `arena`.
  CallFiles(const ReadContext& context, const std::string& run_dir, Arena& arena, std::vector<std::string>& hashes);

  [[nodiscard]] bool empty() const { return calls_.empty(); }
  [[nodiscard]] std::size_t size() const { return calls_.size(); }
  [[nodiscard]] std::size_t unpaired() const;

  enum class Match : std::uint8_t { context, context_without_last, reply };
  struct Pair {
    const CallFile* call = nullptr;
    Match match = Match::context;
  };
  /// The first entry, not yet taken, whose request is this context; else one whose request has one message more at its
  /// end; else one whose response is this reply. Takes it.
  std::optional<Pair> take(const ContextDigest& context, const Hash128& reply);

  /// Messages of an entry's request, read again.
  [[nodiscard]] std::vector<ChatMessage> request_messages(const ReadContext& context, const CallFile& call,
                                                          Arena& arena) const;

 private:
  template <typename Key>
  std::optional<std::size_t> take_from(std::map<Key, std::deque<std::size_t>>& index, const Key& key);

  std::vector<CallFile> calls_;
  std::vector<bool> taken_;
  std::map<ContextDigest, std::deque<std::size_t>> by_context_, by_context_without_last_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::deque<std::size_t>> by_reply_;
};

}  // namespace memuse::ingest::bridge
