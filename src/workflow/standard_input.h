#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ingest/inputs.h"
#include "ingest/temporary_place.h"

namespace memuse::workflow {

/// Traces that come through standard input, which `-` names among the traces: copied to a file, so that they can be
/// read like any other, packed or not, and read again.
class StandardInput {
 public:
  /// Replaces `-` in `traces` by the path of a copy of standard input; does nothing without one. With a database the
  /// copy lies beside it, is called after its content (the same bytes again: the same file) and stays, because judging
  /// comes back to it; without one it is temporary. Throws Error: for `-` twice, and when the copy cannot be written.
  StandardInput(std::vector<std::string>& traces, const std::string& database);

  /// Lets a temporary copy be shown as `-`.
  void name(std::vector<ingest::Input>& inputs) const;
  /// The copy that stays; empty when there is none.
  [[nodiscard]] const std::string& kept() const { return kept_; }

 private:
  std::unique_ptr<ingest::TemporaryPlace> place_;
  std::string temporary_;
  std::string kept_;
};

}  // namespace memuse::workflow
