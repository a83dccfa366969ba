#pragma once

#include <string>
#include <vector>

#include "chat/chat_message.h"

namespace memuse::chat {

/// Takes the key out of everything that comes back from an endpoint, as an error or a reply may echo it.
class KeyScrubber {
 public:
  /// A key of fewer than 8 characters is a placeholder that local servers take (`EMPTY`, `none`), no secret, and would
  /// occur in ordinary text: it is left alone.
  explicit KeyScrubber(const std::string& key);

  /// `text` with every occurrence of the key, also percent-encoded or in Base64, replaced by `[key]`.
  [[nodiscard]] std::string clean(std::string text) const;
  void clean(nlohmann::json& value) const;
  void clean(ChatReply& reply) const;

 private:
  std::vector<std::string> forms_;  ///< of the key, none when it is a placeholder
};

}  // namespace memuse::chat
