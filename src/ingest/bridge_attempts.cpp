#include <algorithm>
#include <array>

#include "ingest/bridge_episode.h"
#include "ingest/bridge_sidecars.h"

namespace memuse::ingest::bridge {
namespace {

/// How well a run dir fits its instance: finalised, of this instance, long.
struct Rank {
  bool finalised = false, matching = false;
  std::uint64_t bytes = 0;
  friend auto operator<=>(const Rank&, const Rank&) = default;
};

bool names_instance(const ReadContext& context, const std::string& log, const std::string& id) {
  std::array<char, 16384> head{};
  const auto stream = context.files.open(log);
  std::size_t filled = 0;
  while (const std::size_t got = stream->read(head.data() + filled, head.size() - filled)) filled += got;
  const std::string_view text(head.data(), filled);
  const std::size_t session = text.find("\"memory_session\"");
  return session != std::string_view::npos && text.find("\"" + id + "\"", session) != std::string_view::npos;
}

Rank rank_of(const ReadContext& context, const Instance& instance, const RunDir& dir, std::uint64_t bytes) {
  Arena scratch;
  std::vector<std::string> ignored;
  Rank rank;
  rank.finalised = read_run_file(context, join(dir.path, "run.json"), scratch, ignored).finalised();
  rank.matching = names_instance(context, join(dir.path, dir.log), instance.id);
  rank.bytes = bytes;
  return rank;
}

}  // namespace

std::vector<Attempt> find_attempts(const ReadContext& context, const Instance& instance) {
  std::vector<Attempt> attempts;
  Rank best;
  std::size_t chosen = 0;
  for (const RunDir& dir : instance.run_dirs) {
    const std::string below = join(dir.path, dir.log);
    DiagnosticLog log = context.log.for_file(context.files.path(below));
    try {
      const std::vector<SessionStart> sessions = find_sessions(context.files.open(below), context.options);
      std::error_code error;
      const std::uint64_t bytes = std::filesystem::file_size(context.files.path(below), error);
      if (error || bytes == 0) {
        log.add(Severity::warning, Fault::empty_file, 0, 0, "");
      } else {
        const Rank rank = rank_of(context, instance, dir, bytes);
        for (std::size_t i = 0; i < sessions.size(); ++i) {
          Attempt attempt;
          attempt.instance = instance;
          attempt.run_dir = dir;
          attempt.start = sessions[i];
          if (i + 1 < sessions.size()) attempt.end = sessions[i + 1].byte;
          attempt.id = instance.id + "/" + dir.name + (i == 0 ? "" : "/" + std::to_string(i + 1));
          attempts.push_back(std::move(attempt));
        }
        // Of several sessions in one file the last one is what the agent's own files were written after.
        if (attempts.size() == sessions.size() || best < rank) {
          best = rank;
          chosen = attempts.size() - 1;
        }
      }
    } catch (const ReadFault& fault) {
      log.add(Severity::error, Fault::unreadable_file, 0, 0, fault.reason);
    }
    context.log.absorb(std::move(log));
  }
  if (attempts.empty()) {
    attempts.emplace_back();
    attempts.back().instance = instance;
  }
  for (std::size_t i = 0; i < attempts.size(); ++i) attempts[i].chosen = i == chosen;
  attempts[chosen].id = instance.id;
  return attempts;
}

}  // namespace memuse::ingest::bridge
