#include "store/schema.h"

// docs/database.md explains every table and column; a test compares the two.

namespace memuse::store {
namespace {

constexpr std::string_view kVersion1 = R"sql(
CREATE TABLE ingest (
  id INTEGER PRIMARY KEY,
  program_version TEXT NOT NULL,
  rule_set TEXT NOT NULL,
  finished INTEGER NOT NULL DEFAULT 0,
  added INTEGER NOT NULL DEFAULT 0,
  known INTEGER NOT NULL DEFAULT 0,
  replaced INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE text (
  id INTEGER PRIMARY KEY,
  sha256 TEXT NOT NULL UNIQUE,
  body TEXT NOT NULL
) STRICT;

CREATE TABLE episode (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  configuration TEXT NOT NULL,
  run TEXT NOT NULL,
  episode TEXT NOT NULL,
  task_id TEXT NOT NULL,
  store TEXT NOT NULL,
  position INTEGER,
  repo TEXT NOT NULL,
  domain TEXT NOT NULL,
  task_group TEXT NOT NULL,
  tier TEXT NOT NULL,
  model TEXT NOT NULL,
  seed TEXT NOT NULL,
  condition TEXT NOT NULL,
  tags TEXT NOT NULL,
  probe TEXT,
  reference_kind TEXT,
  visibility TEXT NOT NULL,
  delivery_grade TEXT NOT NULL,
  trace_resolved INTEGER,
  trace_reward REAL,
  trace_outcome_source TEXT NOT NULL,
  resolved INTEGER,
  reward REAL,
  outcome_source TEXT NOT NULL,
  end_reason TEXT,
  finalised INTEGER NOT NULL,
  retained INTEGER NOT NULL,
  steps INTEGER NOT NULL,
  first_time_us INTEGER,
  last_time_us INTEGER,
  agent_calls INTEGER NOT NULL,
  agent_input_tokens INTEGER NOT NULL,
  agent_cached_input_tokens INTEGER NOT NULL,
  agent_output_tokens INTEGER NOT NULL,
  agent_calls_without_tokens INTEGER NOT NULL,
  agent_cost_usd REAL NOT NULL,
  agent_calls_without_cost INTEGER NOT NULL,
  side_calls INTEGER NOT NULL,
  side_input_tokens INTEGER NOT NULL,
  side_cached_input_tokens INTEGER NOT NULL,
  side_output_tokens INTEGER NOT NULL,
  side_calls_without_tokens INTEGER NOT NULL,
  side_cost_usd REAL NOT NULL,
  side_calls_without_cost INTEGER NOT NULL,
  unowned_entry_steps INTEGER NOT NULL,
  source_path TEXT NOT NULL,
  source_format TEXT NOT NULL,
  source_format_version TEXT NOT NULL,
  source_sha256 TEXT NOT NULL,
  source_line INTEGER NOT NULL,
  source_byte_begin INTEGER NOT NULL,
  source_byte_end INTEGER NOT NULL,
  ingest_id INTEGER NOT NULL REFERENCES ingest (id)
) STRICT;

CREATE TABLE transcript (
  episode_id INTEGER PRIMARY KEY REFERENCES episode (id) ON DELETE CASCADE,
  messages TEXT NOT NULL
) STRICT;

CREATE TABLE span (
  episode_id INTEGER NOT NULL REFERENCES episode (id) ON DELETE CASCADE,
  span INTEGER NOT NULL,
  first_step INTEGER NOT NULL,
  last_step INTEGER NOT NULL,
  routing TEXT NOT NULL,
  PRIMARY KEY (episode_id, span)
) STRICT, WITHOUT ROWID;

CREATE TABLE delivery (
  episode_id INTEGER NOT NULL REFERENCES episode (id) ON DELETE CASCADE,
  delivery_index INTEGER NOT NULL,
  delivery TEXT NOT NULL,
  line_order INTEGER NOT NULL,
  step INTEGER NOT NULL,
  span INTEGER,
  place INTEGER,
  restatement INTEGER NOT NULL,
  unconsumed_reason TEXT,
  route TEXT NOT NULL,
  form TEXT NOT NULL,
  search TEXT NOT NULL,
  message INTEGER,
  range_begin INTEGER,
  range_end INTEGER,
  entries INTEGER NOT NULL,
  placed_bytes INTEGER NOT NULL,
  recorded_tokens INTEGER,
  estimated_tokens INTEGER GENERATED ALWAYS AS ((placed_bytes + 3) / 4) VIRTUAL,
  PRIMARY KEY (episode_id, delivery_index),
  CHECK ((span IS NULL) = (unconsumed_reason IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE entry (
  episode_id INTEGER NOT NULL,
  span INTEGER NOT NULL,
  entry INTEGER NOT NULL,
  item TEXT,
  version TEXT,
  text_id INTEGER NOT NULL REFERENCES text (id),
  identifiers TEXT NOT NULL,
  window_first INTEGER,
  window_last INTEGER,
  PRIMARY KEY (episode_id, span, entry),
  FOREIGN KEY (episode_id, span) REFERENCES span (episode_id, span) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE memory_operation (
  episode_id INTEGER NOT NULL REFERENCES episode (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  op TEXT NOT NULL,
  item TEXT NOT NULL,
  version TEXT,
  text_id INTEGER REFERENCES text (id),
  from_versions TEXT NOT NULL,
  operation TEXT NOT NULL,
  steps TEXT NOT NULL,
  at TEXT NOT NULL,
  line_order INTEGER NOT NULL,
  after_step INTEGER NOT NULL,
  PRIMARY KEY (episode_id, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE search (
  episode_id INTEGER NOT NULL REFERENCES episode (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  search TEXT NOT NULL,
  query TEXT NOT NULL,
  returned TEXT NOT NULL,
  matched INTEGER,
  completed INTEGER NOT NULL,
  line_order INTEGER NOT NULL,
  step INTEGER NOT NULL,
  PRIMARY KEY (episode_id, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE judgement_set (
  id INTEGER PRIMARY KEY,
  judge TEXT NOT NULL,
  rules TEXT NOT NULL,
  settings TEXT NOT NULL,
  assesses_relevance INTEGER NOT NULL,
  assesses_accuracy INTEGER NOT NULL,
  effects_need_probe INTEGER NOT NULL,
  UNIQUE (judge, rules, settings)
) STRICT;

CREATE TABLE judgement (
  episode_id INTEGER NOT NULL,
  span INTEGER NOT NULL,
  set_id INTEGER NOT NULL REFERENCES judgement_set (id),
  verdict TEXT,
  unresolved_reason TEXT,
  basis TEXT NOT NULL,
  calls INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  cached_input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  calls_without_tokens INTEGER NOT NULL,
  cost_usd REAL NOT NULL,
  calls_without_cost INTEGER NOT NULL,
  PRIMARY KEY (episode_id, span, set_id),
  FOREIGN KEY (episode_id, span) REFERENCES span (episode_id, span) ON DELETE CASCADE,
  CHECK ((verdict IS NULL) = (unresolved_reason IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE judged_entry (
  episode_id INTEGER NOT NULL,
  span INTEGER NOT NULL,
  set_id INTEGER NOT NULL,
  entry INTEGER NOT NULL,
  relevance INTEGER,
  accuracy TEXT,
  novelty TEXT,
  influence TEXT,
  effect TEXT,
  first_anchor INTEGER,
  answer TEXT NOT NULL,
  PRIMARY KEY (episode_id, span, set_id, entry),
  FOREIGN KEY (episode_id, span, set_id) REFERENCES judgement (episode_id, span, set_id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE outcome (
  task_id TEXT NOT NULL,
  configuration TEXT,
  run TEXT,
  resolved INTEGER,
  reward REAL,
  source TEXT NOT NULL,
  line INTEGER NOT NULL
) STRICT;
CREATE INDEX outcome_task ON outcome (task_id);

CREATE TABLE diagnostic (
  file TEXT NOT NULL,
  line INTEGER NOT NULL,
  byte INTEGER NOT NULL,
  severity TEXT NOT NULL,
  fault TEXT NOT NULL,
  detail TEXT NOT NULL,
  count INTEGER NOT NULL,
  ingest_id INTEGER REFERENCES ingest (id),
  PRIMARY KEY (file, line, byte, severity, fault, detail)
) STRICT, WITHOUT ROWID;
)sql";

constexpr std::string_view kVersion2 = R"sql(
CREATE TABLE delivery_rules (
  sha256 TEXT PRIMARY KEY,
  rules TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE configuration (
  name TEXT PRIMARY KEY,
  baseline INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

ALTER TABLE episode ADD COLUMN agent_seconds REAL;
ALTER TABLE episode ADD COLUMN delivery_rules TEXT REFERENCES delivery_rules (sha256);

ALTER TABLE outcome ADD COLUMN found INTEGER NOT NULL DEFAULT 0;
)sql";

// MERIT's locator stood behind its format version before.
constexpr std::string_view kVersion3 = R"sql(
ALTER TABLE episode ADD COLUMN source_locator TEXT NOT NULL DEFAULT '';
UPDATE episode SET
  source_locator = substr(source_format_version, instr(source_format_version, ' ') + 1),
  source_format_version = substr(source_format_version, 1, instr(source_format_version, ' ') - 1)
WHERE source_format = 'merit' AND instr(source_format_version, ' ') > 0;

CREATE TABLE judgement_record (
  episode_id INTEGER NOT NULL,
  span INTEGER NOT NULL,
  set_id INTEGER NOT NULL,
  returned_model TEXT NOT NULL,
  refused_answers INTEGER NOT NULL,
  ledger TEXT NOT NULL,
  calls TEXT NOT NULL,
  PRIMARY KEY (episode_id, span, set_id),
  FOREIGN KEY (episode_id, span, set_id) REFERENCES judgement (episode_id, span, set_id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE abandoned_judging (
  episode_id INTEGER NOT NULL,
  span INTEGER NOT NULL,
  set_id INTEGER NOT NULL REFERENCES judgement_set (id) ON DELETE CASCADE,
  reason TEXT NOT NULL,
  calls INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  cached_input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  calls_without_tokens INTEGER NOT NULL,
  cost_usd REAL NOT NULL,
  calls_without_cost INTEGER NOT NULL,
  PRIMARY KEY (episode_id, span, set_id),
  FOREIGN KEY (episode_id, span) REFERENCES span (episode_id, span) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE sample (
  set_id INTEGER PRIMARY KEY REFERENCES judgement_set (id) ON DELETE CASCADE,
  size INTEGER NOT NULL,
  seed INTEGER NOT NULL,
  population INTEGER NOT NULL
) STRICT;

CREATE TABLE sampled_span (
  set_id INTEGER NOT NULL REFERENCES judgement_set (id) ON DELETE CASCADE,
  episode_id INTEGER NOT NULL,
  span INTEGER NOT NULL,
  stratum TEXT NOT NULL,
  weight REAL NOT NULL,
  PRIMARY KEY (set_id, episode_id, span),
  FOREIGN KEY (episode_id, span) REFERENCES span (episode_id, span) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
)sql";

constexpr std::string_view kVersion4 = R"sql(
ALTER TABLE episode ADD COLUMN uncosted_calls TEXT;
)sql";

constexpr std::string_view kSecondaryIndexes = R"sql(
CREATE INDEX IF NOT EXISTS episode_order ON episode (configuration, run, position IS NULL, position, episode, uid);
CREATE INDEX IF NOT EXISTS episode_key ON episode (configuration, run, episode, source_path);
CREATE INDEX IF NOT EXISTS episode_id_only ON episode (episode);
CREATE INDEX IF NOT EXISTS episode_task ON episode (task_id);
CREATE INDEX IF NOT EXISTS entry_item ON entry (item) WHERE item IS NOT NULL;
CREATE INDEX IF NOT EXISTS entry_text ON entry (text_id);
CREATE INDEX IF NOT EXISTS entry_without_item ON entry (text_id) WHERE item IS NULL;
CREATE INDEX IF NOT EXISTS operation_item ON memory_operation (item);
CREATE INDEX IF NOT EXISTS operation_version ON memory_operation (version) WHERE version IS NOT NULL;
CREATE INDEX IF NOT EXISTS operation_parents ON memory_operation (from_versions) WHERE from_versions <> '[]';
CREATE INDEX IF NOT EXISTS operation_text ON memory_operation (text_id) WHERE text_id IS NOT NULL;
)sql";

}  // namespace

const std::vector<std::string_view>& migrations() {
  static const std::vector<std::string_view> all{kVersion1, kVersion2, kVersion3, kVersion4};
  return all;
}

std::int64_t schema_version() {
  return static_cast<std::int64_t>(migrations().size());
}

std::string_view secondary_indexes() {
  return kSecondaryIndexes;
}

}  // namespace memuse::store
