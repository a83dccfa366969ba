#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/byte_stream.h"
#include "ingest/container_limits.h"
#include "ingest/diagnostic_log.h"
#include "model/episode.h"

namespace memuse::ingest {

class DeliveryRules;
class ReadAhead;

/// What the user may say about traces.
struct ReadOptions {
  std::string configuration;  ///< for traces that name none
  std::string run;            ///< for traces that name none
  /// The names above also replace those that traces give (a manifest names a study).
  bool names_replace = false;
  /// A longer line or document is set aside with a diagnostic.
  std::size_t max_record_bytes = std::size_t{256} << 20;
  /// What compressed files and archives may come to.
  ContainerLimits containers = {};
  /// Fills `SourcePlace::sha256`. Who neither keeps an episode nor reads it again spares a fifth of the reading with
  /// false (some formats need the hash themselves, and fill it all the same).
  bool hash_sources = true;
  /// Finds the deliveries of episodes that record none; null for none.
  std::shared_ptr<const DeliveryRules> rules = nullptr;
  /// Lets the blocks of a large file be parsed side by side; null for one after the other.
  std::shared_ptr<ReadAhead> read_ahead = nullptr;
  /// Size of such a block, at least 1.
  std::size_t block_bytes = std::size_t{256} << 10;
};

/// Takes each episode as it is complete. May be called from several threads at a time, once per episode.
using EpisodeSink = std::function<void(Episode&&)>;

/// One trace format. Everything about a format stands in one file; nothing outside it knows which format a trace had.
/// Adapters are stateless and shared by all threads.
class Adapter {
 public:
  Adapter() = default;
  Adapter(const Adapter&) = delete;
  Adapter& operator=(const Adapter&) = delete;
  virtual ~Adapter() = default;

  /// Name for `--format` and for the database, e.g. `memuse-trace`.
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// One line for `--help` and `check`.
  [[nodiscard]] virtual std::string_view description() const = 0;
  /// Looks at the first bytes of a file (at most `kDetectionBytes`): the format's version if it is this format.
  [[nodiscard]] virtual std::optional<std::string> detect(std::string_view head) const = 0;
  /// The format's version, when `folder` is one unit of this format (a run root with files that belong together) and is
  /// to be read whole by `read_folder`. Looks at names and first bytes only. Most formats have no such folders.
  [[nodiscard]] virtual std::optional<std::string> claims(const std::filesystem::path& folder) const;
  /// Reads the whole stream, handing over episode by episode; memory does not grow with their number. Faults in the
  /// data go to `log` with exact line and byte, never out as exceptions. Throws ReadFault only when the stream does.
  virtual void read(std::unique_ptr<ByteStream> stream, const std::string& path, const ReadOptions& options,
                    const EpisodeSink& sink, DiagnosticLog& log) const = 0;
  /// Reads a folder that `claims` knows, under the same rules.
  virtual void read_folder(const std::string& path, const ReadOptions& options, const EpisodeSink& sink,
                           DiagnosticLog& log) const;
  /// Hands over again the episodes at a place that `read` or `read_folder` gave to one of them (the caller picks the
  /// one with the right hash). Unless overridden: the byte range of the place's file, through `read`.
  virtual void read_again(const SourcePlace& place, const ReadOptions& options, const EpisodeSink& sink,
                          DiagnosticLog& log) const;
};

/// Bytes of a file's start that `detect` may look at.
inline constexpr std::size_t kDetectionBytes = std::size_t{64} << 10;

/// All adapters, in the order in which they are asked. A new format is added here and nowhere else.
const std::vector<const Adapter*>& adapters();

/// The adapter of that name, or null.
const Adapter* find_adapter(std::string_view name);

/// The first adapter that knows the content, with the version it saw.
struct DetectedFormat {
  const Adapter* adapter = nullptr;
  std::string version;
};
std::optional<DetectedFormat> detect_format(std::string_view head);

/// The first adapter that claims the folder.
std::optional<DetectedFormat> detect_folder(const std::filesystem::path& folder);

}  // namespace memuse::ingest
