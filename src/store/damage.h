#pragma once

#include <fmt/format.h>
#include <string_view>

#include "model/error.h"

namespace memuse::store {

/// The error for content that memuse cannot have written.
inline Error damaged(std::string_view what) {
  return {ExitCode::environment,
          fmt::format("the database is damaged ({}); delete the file and ingest the traces again", what)};
}

}  // namespace memuse::store
