#include "controlled/declaration.h"

namespace memuse::controlled {

std::string_view name(Role role) {
  return role == Role::verbatim_rag ? "verbatim_rag" : "random_retrieval";
}

std::optional<Role> parse_role(std::string_view text) {
  for (const Role role : {Role::verbatim_rag, Role::random_retrieval}) {
    if (name(role) == text) return role;
  }
  return std::nullopt;
}

}  // namespace memuse::controlled
