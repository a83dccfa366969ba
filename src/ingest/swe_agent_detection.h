#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace memuse::ingest {

/// Generations of SWE-agent trajectories, as versions of the format.
inline constexpr std::string_view kSweAgent0 = "0.x";
inline constexpr std::string_view kSweAgent10 = "1.0";
inline constexpr std::string_view kSweAgent11 = "1.1";

/// Tells a SWE-agent trajectory by the first bytes of its content: the generation, or empty when that is not seen yet.
std::optional<std::string> detect_swe_agent(std::string_view head);

}  // namespace memuse::ingest
