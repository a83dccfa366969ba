#include <fmt/format.h>

#include "model/csv.h"
#include "report/table.h"

// CSV and JSON: tables for programs.

namespace memuse::report {
namespace {

struct ExtraColumns {
  bool deviation = false;
  bool interval = false;
  bool note = false;
};

std::vector<ExtraColumns> extra_columns(const Table& table) {
  std::vector<ExtraColumns> extra(table.columns.size());
  for (const Row& row : table.rows) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      extra[i].deviation |= row.cells[i].deviation.has_value();
      extra[i].interval |= row.cells[i].interval.has_value();
      extra[i].note |= row.cells[i].note != 0;
    }
  }
  return extra;
}

std::string csv_value(const Cell& cell) {
  switch (cell.kind) {
    case Cell::Kind::missing:
      return {};
    case Cell::Kind::text:
      return csv_text(cell.content);
    case Cell::Kind::count:
      return fmt::format("{}", cell.whole);
    case Cell::Kind::number:
      return csv_number(cell.value);
    case Cell::Kind::percent:
      return csv_number(cell.value * 100.0);
  }
  return {};
}

std::string csv_scaled(const Cell& cell, double value) {
  return csv_number(cell.kind == Cell::Kind::percent ? value * 100.0 : value);
}

nlohmann::ordered_json json_value(const Cell& cell) {
  switch (cell.kind) {
    case Cell::Kind::missing:
      return nullptr;
    case Cell::Kind::text:
      return cell.content;
    case Cell::Kind::count:
      return cell.whole;
    case Cell::Kind::number:
    case Cell::Kind::percent:
      return cell.value;
  }
  return nullptr;
}

std::string_view kind_name(Cell::Kind kind) {
  switch (kind) {
    case Cell::Kind::missing:
      return "missing";
    case Cell::Kind::text:
      return "text";
    case Cell::Kind::count:
      return "count";
    case Cell::Kind::number:
      return "number";
    case Cell::Kind::percent:
      return "percent";
  }
  return {};
}

nlohmann::ordered_json json_cell(const Cell& cell) {
  nlohmann::ordered_json json;
  json["kind"] = kind_name(cell.kind);
  json["value"] = json_value(cell);
  if (cell.deviation) json["deviation"] = *cell.deviation;
  if (cell.interval) json["interval"] = {cell.interval->first, cell.interval->second};
  if (cell.note != 0) json["note"] = cell.note;
  return json;
}

}  // namespace

std::string to_csv(const Table& table) {
  const std::vector<ExtraColumns> extra = extra_columns(table);
  std::string out = "group,row";
  const auto put = [&out](const std::string& field) {
    out += ',';
    out += field;
  };
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const std::string& key = table.columns[i].key;
    put(csv_text(key));
    if (extra[i].deviation) put(csv_text(key + " sd"));
    if (extra[i].interval) put(csv_text(key + " low"));
    if (extra[i].interval) put(csv_text(key + " high"));
    if (extra[i].note) put(csv_text(key + " note"));
  }
  out += "\r\n";
  for (const Row& row : table.rows) {
    out += csv_text(row.group);
    put(csv_text(row.key));
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const Cell& cell = row.cells[i];
      put(csv_value(cell));
      if (extra[i].deviation) put(cell.deviation ? csv_scaled(cell, *cell.deviation) : std::string());
      if (extra[i].interval) put(cell.interval ? csv_scaled(cell, cell.interval->first) : std::string());
      if (extra[i].interval) put(cell.interval ? csv_scaled(cell, cell.interval->second) : std::string());
      if (extra[i].note) put(cell.note != 0 ? csv_text(table.notes.at(cell.note - 1)) : std::string());
    }
    out += "\r\n";
  }
  return out;
}

nlohmann::ordered_json to_json(const Table& table) {
  nlohmann::ordered_json json;
  json["table"] = table.name;
  json["title"] = table.title;
  json["caption"] = table.caption;
  json["notes"] = table.notes;
  json["columns"] = nlohmann::ordered_json::array();
  for (const Column& column : table.columns) json["columns"].push_back({{"key", column.key}, {"name", column.name}});
  json["rows"] = nlohmann::ordered_json::array();
  for (const Row& row : table.rows) {
    nlohmann::ordered_json cells = nlohmann::ordered_json::array();
    for (const Cell& cell : row.cells) cells.push_back(json_cell(cell));
    nlohmann::ordered_json line;
    line["key"] = row.key;
    line["group"] = row.group.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(row.group);
    line["cells"] = std::move(cells);
    json["rows"].push_back(std::move(line));
  }
  return json;
}

}  // namespace memuse::report
