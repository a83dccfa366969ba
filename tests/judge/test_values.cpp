#include <algorithm>

#include "episodes.h"
#include "judge/values.h"

using namespace memuse;
using namespace memuse::judge;

namespace {

bool has(const std::vector<Value>& values, ValueKind kind, std::string_view text) {
  return std::any_of(values.begin(), values.end(),
                     [&](const Value& value) { return value.kind == kind && value.text == text; });
}

bool mentions(const std::vector<Value>& values, std::string_view text) {
  return std::any_of(values.begin(), values.end(),
                     [&](const Value& value) { return value.text.find(text) != std::string::npos; });
}

}  // namespace

TEST_CASE("every kind of value is found in an entry's text") {
  const auto values = traceable_values(
      "The relay wants key QX9-4471 and `drain --slow`; set pump_limit=38 in conf/pumps.toml. Call "
      "gauge.reset(tank_no, 4) before 4 March 2031, never on a RESERVE tank, with a ceiling of 7,354 litres and a "
      "grace period of 25 seconds.",
      {});
  CHECK(has(values, ValueKind::mixed_name, "QX9-4471"));
  CHECK(has(values, ValueKind::quoted, "drain --slow"));
  CHECK(has(values, ValueKind::assignment, "pump_limit=38"));
  CHECK(has(values, ValueKind::symbol, "pump_limit"));
  CHECK(has(values, ValueKind::path, "conf/pumps.toml"));
  CHECK(has(values, ValueKind::code, "gauge.reset(tank_no, 4)"));
  CHECK(has(values, ValueKind::symbol, "gauge.reset"));
  CHECK(has(values, ValueKind::date, "4 March 2031"));
  CHECK(has(values, ValueKind::keyword, "RESERVE"));
  CHECK(has(values, ValueKind::number, "7354"));
  CHECK(has(values, ValueKind::keyed_number, "25"));
  CHECK(has(traceable_values("Shut the lower valve before refilling tanks.", {}), ValueKind::phrase,
            "Shut the lower valve before refilling"));
}

TEST_CASE("identifiers and provenance are no values") {
  const auto values = traceable_values("[M-77] Pumps\nUse valve_b.\n(source: from episode KD-1190, passed)", {"M-77"});
  CHECK(has(values, ValueKind::symbol, "valve_b"));
  CHECK_FALSE(mentions(values, "M-77"));
  CHECK_FALSE(mentions(values, "KD-1190"));
}

TEST_CASE("an identifier is blanked only where it stands whole") {
  const auto values = traceable_values("note ab: set ab_limit=5512", {"ab"});
  CHECK(has(values, ValueKind::symbol, "ab_limit"));
}

TEST_CASE("common numbers, years and plain words are not rare") {
  const auto values = traceable_values("In 2031 there were 2 pumps, and 5000 litres, and one of them failed.", {});
  CHECK_FALSE(has(values, ValueKind::number, "2031"));
  CHECK_FALSE(has(values, ValueKind::number, "2"));
  CHECK_FALSE(has(values, ValueKind::keyed_number, "2"));
  CHECK_FALSE(has(values, ValueKind::number, "5000"));  // one significant digit: it needs its word
  CHECK(has(values, ValueKind::keyed_number, "5000"));
  CHECK(traceable_values("Please be careful.", {}).empty());
  CHECK(traceable_values("", {}).empty());
}

TEST_CASE("weak values are marked") {
  const auto values = traceable_values("Mind the RESERVE tank, valve2 and fill/drain; call top(up).", {});
  for (const Value& value : values) {
    INFO(value.text);
    if (value.kind == ValueKind::keyword || value.text == "valve2" || value.text == "fill/drain" ||
        value.text == "top(up)") {
      CHECK(value.weak);
    }
  }
  CHECK(has(values, ValueKind::mixed_name, "valve2"));
  CHECK(has(values, ValueKind::path, "fill/drain"));
}

TEST_CASE("hostile texts are read in linear time and bounded memory") {
  std::string numbers = "limit";
  for (int i = 0; i < 1000000; ++i) numbers += " " + std::to_string(i * 7919LL % 99991 + 10000);
  CHECK(traceable_values(numbers, {}).size() <= kMostValues);
  CHECK(traceable_values(std::string(2000000, 'a'), {}).empty());
  CHECK(traceable_values(std::string(2000000, '_'), {}).size() <= kMostValues);
  CHECK(traceable_values(std::string(1000000, '('), {}).size() <= kMostValues);
  CHECK(traceable_values(std::string(1000000, '/'), {}).size() <= kMostValues);
  traceable_values("\xff\xfe\x80 caf\xc3 QX9-4471 \xe2\x80", {});
  CHECK(has(traceable_values("\xff\xfe QX9-4471 \xe2\x80", {}), ValueKind::mixed_name, "QX9-4471"));
}
