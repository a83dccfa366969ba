#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace memuse::ingest {

/// Versions: lines of an evaluation or a resolver, an array of events, events of the SDK.
inline constexpr std::string_view kOpenHandsOutput = "output";
inline constexpr std::string_view kOpenHandsResolver = "resolver";
inline constexpr std::string_view kOpenHandsEvents = "events";
inline constexpr std::string_view kOpenHandsSdk = "sdk";

/// Tells the shapes that OpenHands writes by the fields of the first record.
std::optional<std::string> detect_openhands(std::string_view head);

}  // namespace memuse::ingest
