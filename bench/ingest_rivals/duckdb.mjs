// The rows of traces by DuckDB's JSON reader, into a DuckDB database: what `extract.py` takes, in SQL.
//
//   node duckdb.mjs MODULES canonical|mini-swe-agent DATABASE FILE_OR_FOLDER THREADS
import { createRequire } from 'node:module';

const [modules, kind, database, source, threads] = process.argv.slice(2);
const { DuckDBInstance } = createRequire(`${modules}/package.json`)('@duckdb/node-api');
const quoted = (text) => `'${text.replaceAll("'", "''")}'`;

const canonical = `
  CREATE TEMP VIEW lines AS SELECT * FROM read_json(${quoted(source)}, format = 'newline_delimited',
    maximum_object_size = 1073741824, columns = {type: 'VARCHAR', episode: 'VARCHAR', task_id: 'VARCHAR',
    configuration: 'VARCHAR', outcome: 'STRUCT(resolved BOOLEAN)', id: 'VARCHAR', role: 'VARCHAR', text: 'VARCHAR',
    step: 'BIGINT', response: 'VARCHAR', actions: 'JSON', results: 'STRUCT(id VARCHAR, text VARCHAR)[]',
    usage: 'STRUCT(input BIGINT, output BIGINT)', time: 'VARCHAR',
    entries: 'STRUCT(item VARCHAR, text VARCHAR)[]'});
  CREATE TABLE rows AS SELECT type, episode, task_id, configuration, outcome.resolved AS resolved, id, role, step,
    length(text) AS bytes, sha256(text) AS sha256, length(response) AS response_bytes, sha256(response) AS response_sha256,
    actions, usage.input AS input, usage.output AS output, time,
    list_transform(results, r -> {id: r.id, bytes: length(r.text), sha256: sha256(r.text)}) AS results, entries
    FROM lines;`;

const runs = `
  CREATE TABLE rows AS WITH run AS (
    SELECT instance_id, unnest(messages) AS message FROM read_json(${quoted(`${source}/**/*.json`)},
      format = 'auto', maximum_object_size = 1073741824, columns = {instance_id: 'VARCHAR',
      messages: 'STRUCT(role VARCHAR, content VARCHAR, extra STRUCT(response STRUCT(created BIGINT,
        "usage" STRUCT(prompt_tokens BIGINT, completion_tokens BIGINT))))[]'}))
  SELECT instance_id, message.role AS role, length(message.content) AS bytes, sha256(message.content) AS sha256,
    message.extra.response.created AS time, message.extra.response.usage.prompt_tokens AS input,
    message.extra.response.usage.completion_tokens AS output,
    CASE WHEN message.role = 'assistant' THEN
      regexp_extract_all(message.content, '(?s)\`\`\`(?:mswea_bash_command|bash)\\s*\\n(.*?)\\n\`\`\`', 1) END AS actions
  FROM run;`;

const instance = await DuckDBInstance.create(database, { threads });
const connection = await instance.connect();
for (const statement of (kind === 'canonical' ? canonical : runs).split(';')) {
  if (statement.trim() !== '') await connection.run(statement);
}
const result = await connection.runAndReadAll('SELECT count(*) FROM rows');
console.error(`${result.getRows()[0][0]} rows`);
connection.closeSync();
instance.closeSync();
