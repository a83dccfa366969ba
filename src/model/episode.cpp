#include "model/episode.h"

#include <algorithm>
#include <array>
#include <utility>

namespace memuse {
namespace {

template <typename Enum, std::size_t N>
using NameTable = std::array<std::pair<Enum, std::string_view>, N>;

constexpr NameTable<Role, 4> kRoles{
    {{Role::system, "system"}, {Role::user, "user"}, {Role::assistant, "assistant"}, {Role::tool, "tool"}}};
constexpr NameTable<Origin, 5> kOrigins{{{Origin::system, "system"},
                                         {Origin::task, "task"},
                                         {Origin::user, "user"},
                                         {Origin::memory, "memory"},
                                         {Origin::other, "other"}}};
constexpr NameTable<Route, 2> kRoutes{{{Route::host, "host"}, {Route::agent, "agent"}}};
constexpr NameTable<VisibilityGrade, 4> kVisibilityGrades{{{VisibilityGrade::exact, "exact"},
                                                           {VisibilityGrade::rebuilt, "rebuilt"},
                                                           {VisibilityGrade::partial, "partial"},
                                                           {VisibilityGrade::unknown, "unknown"}}};
constexpr NameTable<DeliveryGrade, 4> kDeliveryGrades{{{DeliveryGrade::annotated, "annotated"},
                                                       {DeliveryGrade::by_rule, "by_rule"},
                                                       {DeliveryGrade::not_recorded, "not_recorded"},
                                                       {DeliveryGrade::none, "none"}}};
constexpr NameTable<MemoryOp, 4> kMemoryOps{{{MemoryOp::create, "create"},
                                             {MemoryOp::update, "update"},
                                             {MemoryOp::delete_item, "delete"},
                                             {MemoryOp::noop, "noop"}}};

template <typename Enum, std::size_t N>
std::string_view name_in(const NameTable<Enum, N>& table, Enum value) {
  for (const auto& [candidate, text] : table) {
    if (candidate == value) return text;
  }
  return "";
}

template <typename Enum, std::size_t N>
std::optional<Enum> value_in(const NameTable<Enum, N>& table, std::string_view text) {
  for (const auto& [value, candidate] : table) {
    if (candidate == text) return value;
  }
  return std::nullopt;
}

}  // namespace

std::string_view name(Role value) {
  return name_in(kRoles, value);
}
std::string_view name(Origin value) {
  return name_in(kOrigins, value);
}
std::string_view name(Route value) {
  return name_in(kRoutes, value);
}
std::string_view name(VisibilityGrade value) {
  return name_in(kVisibilityGrades, value);
}
std::string_view name(DeliveryGrade value) {
  return name_in(kDeliveryGrades, value);
}
std::string_view name(MemoryOp value) {
  return name_in(kMemoryOps, value);
}

std::optional<Role> parse_role(std::string_view text) {
  return value_in(kRoles, text);
}
std::optional<Origin> parse_origin(std::string_view text) {
  return value_in(kOrigins, text);
}
std::optional<Route> parse_route(std::string_view text) {
  return value_in(kRoutes, text);
}
std::optional<VisibilityGrade> parse_visibility_grade(std::string_view text) {
  return value_in(kVisibilityGrades, text);
}
std::optional<DeliveryGrade> parse_delivery_grade(std::string_view text) {
  return value_in(kDeliveryGrades, text);
}
std::optional<MemoryOp> parse_memory_op(std::string_view text) {
  return value_in(kMemoryOps, text);
}

TextId TextPool::intern(std::string_view text) {
  const auto [found, inserted] = by_hash_.try_emplace(hash128(text), static_cast<TextId>(texts_.size()));
  if (inserted) texts_.push_back(text);
  return found->second;
}

TextId Message::text_at_order(std::uint32_t moment) const {
  TextId text = versions.front().text;
  for (const TextVersion& version : versions) {
    if (version.order > moment) break;
    text = version.text;
  }
  return text;
}

TextId Message::text_at_step(std::uint32_t step) const {
  TextId text = versions.front().text;
  for (const TextVersion& version : versions) {
    if (version.from_step > step) break;
    text = version.text;
  }
  return text;
}

std::string_view Episode::placed_text(const Delivery& delivery) const {
  if (!delivery.message) return {};
  const std::string_view text = texts[messages[*delivery.message].text_at_order(delivery.order)];
  if (!delivery.range) return text;
  const std::uint64_t begin = std::min<std::uint64_t>(delivery.range->begin, text.size());
  const std::uint64_t end = std::clamp<std::uint64_t>(delivery.range->end, begin, text.size());
  return text.substr(begin, end - begin);
}

}  // namespace memuse
