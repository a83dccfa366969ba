#include "store/writer.h"

#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_set>

#include "model/text.h"
#include "model/version.h"
#include "store/episode_rows.h"
#include "store/schema.h"
#include "store/settle.h"

// How the order of adding is kept out of the result: an episode is known by its content; of several places that hold
// it, the smallest (path, byte) is kept; and what needs a look at several episodes (which content is outdated, which
// attempt is retained, which place was a duplicate) waits for `finish`, when everything of this ingest has been seen.

namespace memuse::store {
namespace {

/// Where an episode lies; ordered by path, then by byte.
struct Place {
  std::string path;
  std::uint64_t byte_begin = 0;
  std::uint64_t byte_end = 0;
  std::uint64_t line = 0;
  std::string format, format_version, locator;
  friend auto operator<=>(const Place&, const Place&) = default;
};

Place place_of(const EpisodeRecord& record) {
  return {record.source_path,   record.source_byte_begin,     record.source_byte_end, record.source_line,
          record.source_format, record.source_format_version, record.source_locator};
}

}  // namespace

class Writer::Implementation {
 public:
  Implementation(const Connection& connection, BatchLimits limits)
      : connection_(connection),
        limits_(limits),
        rows_(connection),
        find_(connection,
              "SELECT id, source_path, source_byte_begin, source_byte_end, source_line, source_format,"
              " source_format_version, source_locator FROM episode WHERE uid = ?"),
        move_(connection,
              "UPDATE episode SET source_path = ?, source_byte_begin = ?, source_byte_end = ?, source_line = ?,"
              " source_format = ?, source_format_version = ?, source_locator = ? WHERE id = ?"),
        update_probe_(connection, "UPDATE episode SET probe = ?1 WHERE id = ?2 AND probe IS NOT ?1"),
        diagnostic_(diagnostic_statement(connection)) {
    begin();
    Statement(connection, "INSERT INTO ingest (program_version, rule_set) VALUES (?, ?)")
        .run(kProgramVersion, kRuleSet);
    ingest_id_ = connection.last_insert_id();
    last_old_id_ = connection.integer("SELECT coalesce(max(id), 0) FROM episode");
  }

  bool add(const PreparedEpisode& episode) {
    begin();
    files_.insert(episode.record.source_path);
    const bool is_new = !find_.bind(episode.record.uid).step();
    if (is_new) {
      rows_.insert(episode, ingest_id_);
      ++summary_.added;
      rows_in_batch_ += episode.row_count();
    } else {
      update_probe(episode);
      meet_known(place_of(episode.record));
      ++summary_.known;
    }
    commit_when_due();
    return is_new;
  }

  void add_diagnostic(const Diagnostic& diagnostic) {
    begin();
    files_.insert(diagnostic.file);
    store_diagnostic(diagnostic_, diagnostic, ingest_id_);
    ++rows_in_batch_;
    commit_when_due();
  }

  void flush() {
    if (!batch_) return;
    batch_->commit();
    batch_.reset();
  }

  IngestSummary finish() {
    flush();
    // Before the replacements: deleting a text is checked against the tables that refer to it, which needs their
    // indexes.
    connection_.execute(fmt::format("BEGIN IMMEDIATE; {} COMMIT", secondary_indexes()));
    begin();
    replace_outdated();
    note_duplicates();
    forget_old_diagnostics();
    settle(connection_);
    std::sort(summary_.diagnostics.begin(), summary_.diagnostics.end());
    for (const Diagnostic& diagnostic : summary_.diagnostics) store_diagnostic(diagnostic_, diagnostic, ingest_id_);
    Statement(connection_, "UPDATE ingest SET finished = 1, added = ?, known = ?, replaced = ? WHERE id = ?")
        .run(summary_.added, summary_.known, summary_.replaced, ingest_id_);
    flush();
    return std::move(summary_);
  }

 private:
  void begin() {
    if (batch_) return;
    batch_.emplace(connection_, Transaction::Kind::write);
    batch_start_ = std::chrono::steady_clock::now();
    rows_in_batch_ = 0;
  }

  void commit_when_due() {
    const bool due = rows_in_batch_ >= limits_.rows || std::chrono::steady_clock::now() - batch_start_ >= limits_.time;
    if (due) flush();
  }

  /// A probes file may say something new of a known episode, the one whose row `find_` stands on.
  void update_probe(const PreparedEpisode& episode) {
    if (!episode.probe_from_file) return;
    update_probe_.run(episode.probe, find_.integer(0));
    rows_in_batch_ += 1;
  }

  /// The episode whose row `find_` stands on was met again at `place`.
  void meet_known(const Place& place) {
    const std::int64_t id = find_.integer(0);
    const Place kept{find_.text(1), find_.count(2), find_.count(3), find_.count(4),
                     find_.text(5), find_.text(6),  find_.text(7)};
    find_.reset();
    if (place == kept) {
      confirmed_.insert(id);
      return;
    }
    const bool is_confirmed = confirmed(id);
    // In the same file a place that this ingest has not met is outdated: the file has changed around the episode.
    const bool moves = place.path == kept.path ? !is_confirmed || place < kept : place < kept;
    if (!moves) {
      others_.emplace_back(id, place);
      return;
    }
    if (is_confirmed || place.path != kept.path) others_.emplace_back(id, kept);
    move(id, place);
    confirmed_.insert(id);
  }

  void move(std::int64_t id, const Place& place) {
    move_.run(place.path, place.byte_begin, place.byte_end, place.line, place.format, place.format_version,
              place.locator, id);
  }

  /// True when this ingest has met the episode at the place that is kept for it.
  [[nodiscard]] bool confirmed(std::int64_t id) const { return id > last_old_id_ || confirmed_.count(id) > 0; }

  /// Deletes episodes that their file held once and now holds with other content (same configuration, run and id).
  void replace_outdated() {
    if (last_old_id_ == 0) return;
    Statement rows(connection_,
                   "SELECT e.id, e.configuration, e.run, e.episode, e.source_path, e.source_line, e.source_byte_begin,"
                   " (SELECT count(*) FROM judgement AS j WHERE j.episode_id = e.id)"
                   " FROM episode AS e WHERE EXISTS (SELECT 1 FROM episode AS other"
                   "  WHERE other.configuration = e.configuration AND other.run = e.run AND other.episode = e.episode"
                   "   AND other.source_path = e.source_path AND other.id <> e.id)"
                   " ORDER BY e.configuration, e.run, e.episode, e.source_path, e.source_byte_begin, e.uid");
    using Key = std::tuple<std::string, std::string, std::string, std::string>;
    struct Outdated {
      std::int64_t id = 0;
      std::int64_t judgements = 0;
    };
    struct Group {
      std::vector<Outdated> outdated;
      std::optional<Diagnostic> present;  ///< names the first one that the file holds now
    };
    std::map<Key, Group> groups;
    while (rows.step()) {
      Group& group = groups[{rows.text(1), rows.text(2), rows.text(3), rows.text(4)}];
      if (!confirmed(rows.integer(0))) {
        group.outdated.push_back({rows.integer(0), rows.integer(7)});
      } else if (!group.present) {
        group.present =
            Diagnostic{rows.text(4), rows.count(5), rows.count(6), Severity::warning, Fault::replaced_episode, {}, 1};
      }
    }
    for (auto& [key, group] : groups) {
      if (!group.present) continue;
      for (const Outdated& outdated : group.outdated) {
        if (move_elsewhere(outdated.id)) continue;
        remove(outdated.id);
        Diagnostic diagnostic = *group.present;
        diagnostic.detail = fmt::format("episode {} of configuration {}, run {}; {} judgements went with it",
                                        printable(std::get<2>(key)), printable(std::get<0>(key)),
                                        printable(std::get<1>(key)), outdated.judgements);
        summary_.diagnostics.push_back(std::move(diagnostic));
      }
    }
    merge_equal_diagnostics();
    if (summary_.replaced > 0) remove_unused_texts();
  }

  /// An episode that is gone from its kept place may have been met in another file: then it stays, with that place.
  bool move_elsewhere(std::int64_t id) {
    const Place* smallest = nullptr;
    for (const auto& [other_id, place] : others_) {
      if (other_id == id && (smallest == nullptr || place < *smallest)) smallest = &place;
    }
    if (smallest == nullptr) return false;
    move(id, *smallest);
    confirmed_.insert(id);
    return true;
  }

  void remove(std::int64_t id) {
    Statement(connection_, "DELETE FROM episode WHERE id = ?").run(id);
    ++summary_.replaced;
  }

  void merge_equal_diagnostics() {
    std::vector<Diagnostic> merged;
    for (Diagnostic& diagnostic : summary_.diagnostics) {
      const auto same = [&diagnostic](const Diagnostic& other) {
        return other.file == diagnostic.file && other.line == diagnostic.line && other.detail == diagnostic.detail;
      };
      if (!merged.empty() && same(merged.back())) {
        ++merged.back().count;
      } else {
        merged.push_back(std::move(diagnostic));
      }
    }
    summary_.diagnostics = std::move(merged);
  }

  void remove_unused_texts() {
    connection_.execute(
        "DELETE FROM text WHERE NOT EXISTS (SELECT 1 FROM entry WHERE entry.text_id = text.id)"
        " AND NOT EXISTS (SELECT 1 FROM memory_operation AS o WHERE o.text_id IS NOT NULL AND o.text_id = text.id)");
  }

  /// One note per place in another file than the one that is kept.
  void note_duplicates() {
    Statement find(connection_, "SELECT source_path, configuration, run, episode FROM episode WHERE id = ?");
    std::sort(others_.begin(), others_.end());
    others_.erase(std::unique(others_.begin(), others_.end()), others_.end());
    for (const auto& [id, place] : others_) {
      if (!find.bind(id).step() || find.text(0) == place.path) continue;
      summary_.diagnostics.push_back(
          {place.path, place.line, place.byte_begin, Severity::note, Fault::duplicate_episode,
           fmt::format("episode {} of configuration {}, run {}; kept from {}", printable(find.text(3)),
                       printable(find.text(1)), printable(find.text(2)), printable(find.text(0))),
           1});
    }
  }

  /// What earlier ingests found in files that this one has read again is no longer true, or was found again.
  void forget_old_diagnostics() {
    Statement forget(connection_, "DELETE FROM diagnostic WHERE file = ? AND ingest_id < ?");
    for (const std::string& file : files_) forget.run(file, ingest_id_);
  }

  const Connection& connection_;
  BatchLimits limits_;
  EpisodeRows rows_;
  Statement find_;
  Statement move_;
  Statement update_probe_;
  Statement diagnostic_;
  std::optional<Transaction> batch_;
  std::chrono::steady_clock::time_point batch_start_;
  std::size_t rows_in_batch_ = 0;
  std::int64_t ingest_id_ = 0;
  std::int64_t last_old_id_ = 0;                        ///< episodes with a larger id were added by this ingest
  std::unordered_set<std::int64_t> confirmed_;          ///< older episodes that this ingest has met at their kept place
  std::vector<std::pair<std::int64_t, Place>> others_;  ///< places of known episodes that are not kept
  std::set<std::string> files_;                         ///< read by this ingest
  IngestSummary summary_;
};

Writer::Writer(Database& database, BatchLimits limits)
    : implementation_(std::make_unique<Implementation>(database.connection(), limits)) {}
Writer::~Writer() = default;
bool Writer::add(const PreparedEpisode& episode) {
  return implementation_->add(episode);
}
void Writer::add_diagnostic(const Diagnostic& diagnostic) {
  implementation_->add_diagnostic(diagnostic);
}
void Writer::flush() {
  implementation_->flush();
}
IngestSummary Writer::finish() {
  return implementation_->finish();
}

}  // namespace memuse::store
