#pragma once

#include <vector>

#include "model/embedded_file.h"

namespace memuse::view {

/// The built page of `web/dist`.
const std::vector<EmbeddedFile>& page_files();

}  // namespace memuse::view
