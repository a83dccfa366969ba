#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace memuse::ingest {

/// Version of a bare message array.
inline constexpr std::string_view kMiniBare = "bare";
/// Version of the side log that a condensing fork writes beside its trajectories; it holds no episode.
inline constexpr std::string_view kMiniCondenserLog = "condenser-log";

/// What `trajectory_format` says behind `mini-swe-agent-`, nothing for other formats.
std::optional<std::string_view> mini_format_version(std::string_view trajectory_format);

/// Tells a mini-swe-agent file by the first bytes of its content. The format tag may stand at the end of a long
/// document, so `info` and the marks of the messages count too. Nothing when unsure. The version is that of the format
/// tag, or the one that belongs to `info.mini_version`, `kMiniBare`, `kMiniCondenserLog`, or empty when not seen.
std::optional<std::string> detect_mini_swe_agent(std::string_view head);

/// True for the start of a condenser's log.
bool is_mini_condenser_log(std::string_view head);

}  // namespace memuse::ingest
