#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace memuse::ingest {

/// The fields at the top of a record, with the text of those that are strings. The record may be cut: then it has the
/// fields up to there.
using HeadRecord = std::map<std::string, std::string, std::less<>>;

/// Reads the first records in the head of a file of JSON Lines, at most `most`, and asks `look` about each, until it
/// returns false. Lines that start no JSON object are passed over.
void look_at_records(std::string_view head, std::size_t most, const std::function<bool(const HeadRecord&)>& look);

}  // namespace memuse::ingest
