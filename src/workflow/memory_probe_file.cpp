#include "workflow/memory_probe_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "ingest/byte_stream.h"
#include "ingest/diagnostic_log.h"
#include "ingest/document.h"
#include "ingest/json.h"
#include "ingest/record_fields.h"
#include "model/error.h"
#include "model/text.h"

namespace memuse::workflow {
namespace {

using value_tracing::MemoryProbe;

constexpr std::size_t kMaxBytes = std::size_t{256} << 20;
constexpr std::size_t kMostValues = 64;  ///< per list of a probe

[[noreturn]] void refuse_file(const std::string& path, const std::string& why) {
  throw Error(ExitCode::usage,
              fmt::format("cannot read memory probes from '{}': {}\nexpected one JSON object a line, e.g.\n"
                          "  {{\"task_id\": \"task-1\", \"probe\": \"update\", \"expect\": [\"42\"], \"forbid\": "
                          "[\"41\"]}}",
                          printable(path), why));
}

ingest::Document read_probe_file(const std::string& path) {
  try {
    ingest::Document file(ingest::open_file(path), kMaxBytes);
    if (file.too_long()) refuse_file(path, fmt::format("it is larger than {} MiB", kMaxBytes >> 20U));
    return file;
  } catch (const ingest::ReadFault& fault) {
    refuse_file(path, fault.reason);
  }
}

/// Takes the lines of one file in.
class ProbeReader {
 public:
  explicit ProbeReader(const std::string& path) : file_(read_probe_file(path)), log_(path) {}

  std::vector<MemoryProbe> read() {
    const std::string_view text = file_.text();
    std::uint64_t number = 0;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      const std::string_view line = text.substr(begin, end - begin);
      place_ = {++number, file_.begin() + begin};
      if (!is_blank(line)) read_line(line);
      begin = end + 1;
    }
    return std::move(probes_);
  }

  std::vector<Diagnostic> diagnostics() { return log_.take(); }

 private:
  void read_line(std::string_view line) {
    ingest::JsonFault fault;
    const ingest::JsonValue* record = parser_.parse(line, file_.readable(line), arena_, fault);
    if (record == nullptr) {
      log_.add(Severity::error, fault.fault, place_.line, place_.byte + fault.byte, fault.detail);
      return;
    }
    ingest::report_repairs(parser_, place_, log_);
    MemoryProbe probe;
    has_kind_ = false;
    std::string why = take(*record, probe);
    if (why.empty()) why = fault_of(probe);
    if (!why.empty()) {
      log_.add(Severity::error, Fault::invalid_row, place_.line, place_.byte, why);
      return;
    }
    std::sort(probe.evidence.begin(), probe.evidence.end());
    const auto [first, inserted] = seen_.try_emplace(
        {probe.task_id, probe.configuration, probe.run, probe.kind, probe.expect, probe.forbid, probe.evidence},
        place_.line);
    if (!inserted) {
      log_.add(Severity::error, Fault::invalid_row, place_.line, place_.byte,
               fmt::format("the same probe stands in line {}", first->second));
      return;
    }
    probe.line = place_.line;
    probes_.push_back(std::move(probe));
  }

  /// The fields of a row; a sentence when one is missing, of the wrong type or unknown.
  std::string take(const ingest::JsonValue& record, MemoryProbe& probe) {
    for (const ingest::JsonValue& field : ingest::JsonChildren(record)) {
      const std::string why = take_field(field, probe);
      if (!why.empty()) return why;
    }
    if (probe.task_id.empty()) return "`task_id` (a string) is missing";
    if (!has_kind_) return "`probe` is missing; expected update, deletion, cascade, absence or over_alignment";
    return {};
  }

  std::string take_field(const ingest::JsonValue& field, MemoryProbe& probe) {
    if (field.is_null() && field.key != "task_id" && field.key != "probe") return {};
    if (field.key == "task_id") return take_text(field, probe.task_id);
    if (field.key == "configuration") return take_text(field, probe.configuration);
    if (field.key == "run") return take_text(field, probe.run);
    if (field.key == "note") return field.as_string() ? "" : "`note` should be a string";
    if (field.key == "expect") return take_list(field, probe.expect);
    if (field.key == "forbid") return take_list(field, probe.forbid);
    if (field.key == "evidence") return take_list(field, probe.evidence);
    if (field.key == "probe") return take_kind(field, probe);
    return fmt::format(
        "unknown field `{}`; known are task_id, configuration, run, probe, expect, forbid, evidence, note",
        printable(shortened(field.key, 60)));
  }

  static std::string take_text(const ingest::JsonValue& field, std::string& text) {
    const bool usable = field.kind == ingest::JsonKind::string || field.kind == ingest::JsonKind::number;
    if (!usable || is_blank(field.text)) return fmt::format("`{}` should be a string that is not empty", field.key);
    text = std::string(field.text);
    return {};
  }

  std::string take_kind(const ingest::JsonValue& field, MemoryProbe& probe) {
    const auto kind = value_tracing::parse_memory_probe_kind(field.as_string().value_or(""));
    if (!kind) {
      return fmt::format("`probe` is {}; expected update, deletion, cascade, absence or over_alignment",
                         field.as_string() ? fmt::format("\"{}\"", printable(shortened(field.text, 60))) : "no string");
    }
    probe.kind = *kind;
    has_kind_ = true;
    return {};
  }

  /// A list of texts, or one text.
  static std::string take_list(const ingest::JsonValue& field, std::vector<std::string>& list) {
    const auto take_one = [&](const ingest::JsonValue& element) {
      const bool usable = element.kind == ingest::JsonKind::string || element.kind == ingest::JsonKind::number;
      if (usable && !is_blank(element.text)) list.emplace_back(element.text);
      return usable && !is_blank(element.text);
    };
    const std::string expected = fmt::format("`{}` should be a list of strings that are not empty", field.key);
    if (field.kind != ingest::JsonKind::array) return take_one(field) ? "" : expected;
    if (field.children > kMostValues) return fmt::format("`{}` has more than {} values", field.key, kMostValues);
    for (const ingest::JsonValue& element : ingest::JsonChildren(field)) {
      if (!take_one(element)) return expected;
    }
    return {};
  }

  /// What is wrong with a row as a whole.
  static std::string fault_of(const MemoryProbe& probe) {
    if (probe.expect.empty() && probe.forbid.empty()) return "neither `expect` nor `forbid` has a value";
    if (probe.kind == value_tracing::MemoryProbeKind::over_alignment && probe.evidence.empty()) {
      return "over_alignment needs `evidence`: the text that shows otherwise than memory says";
    }
    const bool wants_forbidden = probe.kind != value_tracing::MemoryProbeKind::update;
    if (wants_forbidden && probe.forbid.empty()) {
      return fmt::format("{} needs `forbid`: the values that must not be used", name(probe.kind));
    }
    if (!wants_forbidden && probe.expect.empty()) return "update needs `expect`: the newest value";
    for (const std::string& value : probe.expect) {
      if (std::find(probe.forbid.begin(), probe.forbid.end(), value) != probe.forbid.end()) {
        return fmt::format("\"{}\" is both expected and forbidden", printable(shortened(value, 60)));
      }
    }
    return {};
  }

  using Identity = std::tuple<std::string, std::string, std::string, value_tracing::MemoryProbeKind,
                              std::vector<std::string>, std::vector<std::string>, std::vector<std::string>>;
  ingest::Document file_;
  ingest::DiagnosticLog log_;
  ingest::JsonParser parser_;
  Arena arena_;
  ingest::RecordPlace place_;
  bool has_kind_ = false;
  std::map<Identity, std::uint64_t> seen_;  ///< with the line
  std::vector<MemoryProbe> probes_;
};

}  // namespace

std::vector<MemoryProbe> read_memory_probes(const std::string& path, std::vector<Diagnostic>& diagnostics) {
  ProbeReader reader(path);
  std::vector<MemoryProbe> probes = reader.read();
  const std::vector<Diagnostic> found = reader.diagnostics();
  if (probes.empty()) {
    std::string why = found.empty() ? "there is no line in it" : "no line of it can be used";
    for (const Diagnostic& diagnostic : found) why += "\n  " + to_line(diagnostic);
    refuse_file(path, why);
  }
  diagnostics.insert(diagnostics.end(), found.begin(), found.end());
  return probes;
}

}  // namespace memuse::workflow
