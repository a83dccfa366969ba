#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

namespace memuse::ingest {

/// Events of a JSON text that may be cut: derived classes take those that they look at, all others are passed over. The
/// text ends where it is no JSON.
class JsonEvents : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(number_integer_t /*value*/) override { return true; }
  bool number_unsigned(number_unsigned_t /*value*/) override { return true; }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return true; }
  bool binary(binary_t& /*value*/) override { return true; }
  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    return false;
  }
};

}  // namespace memuse::ingest
