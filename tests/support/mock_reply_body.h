#pragma once

#include <string>
#include <vector>

#include "support/mock_endpoint.h"

namespace memuse::test {

/// The bytes of a reply.
struct MockBody {
  std::string content_type;
  std::vector<std::string> pieces;  ///< events of a stream, or parts of the whole
  bool streamed = false;
};

/// Makes the body of `reply` to `request`, in the form of the call.
MockBody mock_body(const MockReply& reply, const nlohmann::json& request, const MockCall& call);

}  // namespace memuse::test
