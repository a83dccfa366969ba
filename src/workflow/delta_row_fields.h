#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "controlled/results.h"

namespace memuse::workflow {

/// A value in a row of results, from JSON or from a cell of a CSV file.
struct RowValue {
  enum class Kind : std::uint8_t {
    cell,     ///< a CSV cell that is not empty: may be read as text, number or truth
    text,     ///< a JSON string
    number,   ///< a finite JSON number
    boolean,  ///< true or false
    other     ///< a JSON array or object, or a number beyond all bounds
  };
  Kind kind = Kind::other;
  std::string_view text;  ///< a cell, a text, or a number as written
  double number = 0.0;
  bool boolean = false;
};

/// The names of all fields of a row of results (docs/controlled-comparisons.md).
[[nodiscard]] const std::vector<std::string_view>& result_fields();

/// Builds one row field by field. Views in the row are those of the values.
class ResultRowBuilder {
 public:
  /// Sets the field of that name. False when there is no such field; the row is as it was.
  bool set(std::string_view field, const RowValue& value);

  /// The row; nothing when it cannot be used: then `fault` says why.
  [[nodiscard]] const controlled::ResultRow* finish();
  [[nodiscard]] const std::string& fault() const { return fault_; }

 private:
  bool set_truth_or_score(std::string_view field, const RowValue& value);
  bool set_amount(std::string_view field, const RowValue& value);
  bool set_component(std::string_view field, const RowValue& value);
  void refuse(std::string_view field, const RowValue& value, std::string_view expected);

  controlled::ResultRow row_;
  std::string_view seed_;
  std::string fault_;  ///< the first one
};

}  // namespace memuse::workflow
