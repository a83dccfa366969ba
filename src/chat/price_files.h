#pragma once

#include <vector>

#include "model/embedded_file.h"

namespace memuse::chat {

/// The files of `prices/`, sorted by name.
const std::vector<EmbeddedFile>& price_files();

}  // namespace memuse::chat
