#include "chat/sse.h"

namespace memuse::chat {
namespace {

/// Takes the first line, which ends at CR LF, LF or CR, off `stream`.
std::string_view take_line(std::string_view& stream) {
  const std::size_t end = stream.find_first_of("\r\n");
  if (end == std::string_view::npos) {
    const std::string_view line = stream;
    stream = {};
    return line;
  }
  const std::string_view line = stream.substr(0, end);
  stream.remove_prefix(stream.substr(end, 2) == "\r\n" ? end + 2 : end + 1);
  return line;
}

std::string_view field_value(std::string_view line, std::string_view field) {
  line.remove_prefix(field.size());
  if (!line.empty()) line.remove_prefix(1);  // the colon
  if (!line.empty() && line.front() == ' ') line.remove_prefix(1);
  return line;
}

bool is_field(std::string_view line, std::string_view field) {
  return line.substr(0, field.size()) == field && (line.size() == field.size() || line[field.size()] == ':');
}

}  // namespace

void read_events(std::string_view stream, const std::function<bool(const ServerSentEvent&)>& take) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (stream.substr(0, kByteOrderMark.size()) == kByteOrderMark) stream.remove_prefix(kByteOrderMark.size());
  ServerSentEvent event;
  bool has_data = false;
  while (!stream.empty()) {
    const std::string_view line = take_line(stream);
    if (is_field(line, "data")) {
      if (has_data) event.data += '\n';
      event.data += field_value(line, "data");
      has_data = true;
    } else if (is_field(line, "event")) {
      event.type = field_value(line, "event");
    }
    if (!line.empty() && !stream.empty()) continue;
    if (has_data && !take(event)) return;
    event = {};
    has_data = false;
  }
}

}  // namespace memuse::chat
