#include "store/study_facts.h"

#include <algorithm>

#include "model/sha256.h"
#include "store/connection.h"

namespace memuse::store {

std::string put_delivery_rules(Database& database, const std::string& rules) {
  Sha256 hash;
  hash.update(rules);
  std::string digest = hash.finish_hex();
  Statement(database.connection(), "INSERT OR IGNORE INTO delivery_rules (sha256, rules) VALUES (?, ?)")
      .run(digest, rules);
  return digest;
}

std::map<std::string, std::string> delivery_rules(const Database& database) {
  std::map<std::string, std::string> all;
  Statement rows(database.connection(), "SELECT sha256, rules FROM delivery_rules");
  while (rows.step()) all.emplace(rows.text(0), rows.text(1));
  return all;
}

void set_baselines(Database& database, const std::map<std::string, bool>& baselines) {
  const Connection& connection = database.connection();
  Transaction transaction(connection, Transaction::Kind::write);
  const bool names_one = std::any_of(baselines.begin(), baselines.end(), [](const auto& said) { return said.second; });
  if (names_one) connection.execute("UPDATE configuration SET baseline = 0");
  Statement put(connection,
                "INSERT INTO configuration (name, baseline) VALUES (?, ?)"
                " ON CONFLICT DO UPDATE SET baseline = excluded.baseline");
  for (const auto& [name, baseline] : baselines) put.run(name, baseline);
  transaction.commit();
}

std::set<std::string> baselines(const Database& database) {
  std::set<std::string> names;
  Statement rows(database.connection(), "SELECT name FROM configuration WHERE baseline");
  while (rows.step()) names.insert(rows.text(0));
  return names;
}

}  // namespace memuse::store
