#pragma once

#include <vector>

#include "controlled/study.h"

namespace memuse::controlled {

/// The six questions that a reader of a comparison of memory methods should ask, answered from the study: a verbatim
/// baseline with a named embedding model, a control with random retrieval, two or more model families, sensitivity to
/// a swap of the embedding model, the cost of the write path, matched instances.
[[nodiscard]] std::vector<CheckItem> checklist(const Declaration& declaration, const Study& study);

}  // namespace memuse::controlled
