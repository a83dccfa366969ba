#!/usr/bin/env python3
"""What a careful engineer would write instead of `memuse ingest`: Python's json, one pass, rows into SQLite.

  extract.py canonical|mini-swe-agent DATABASE FILE_OR_FOLDER

Per message role, length and SHA-256 of its text; per model call tokens, time and what was run; per delivered entry item
and text. No visibility, no spans, no checks of what is read.
"""

import hashlib
import json
import re
import sqlite3
import sys
from pathlib import Path

FENCE = re.compile(r"```(?:mswea_bash_command|bash)\s*\n(.*?)\n```", re.DOTALL)
TABLES = """
CREATE TABLE message(episode TEXT, place INTEGER, role TEXT, bytes INTEGER, sha256 TEXT);
CREATE TABLE call(episode TEXT, step INTEGER, input INTEGER, output INTEGER, time TEXT, actions TEXT);
CREATE TABLE entry(episode TEXT, step INTEGER, delivery TEXT, item TEXT, text TEXT);
CREATE TABLE episode(id TEXT, task TEXT, configuration TEXT, resolved INTEGER, sha256 TEXT);
"""


class Rows:
    def __init__(self, database):
        self.connection = sqlite3.connect(database)
        self.connection.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;" + TABLES)
        self.messages, self.calls, self.entries, self.episodes = [], [], [], []

    def message(self, episode, place, role, text):
        data = text.encode("utf-8", "replace")
        self.messages.append((episode, place, role, len(data), hashlib.sha256(data).hexdigest()))

    def flush(self):
        for table, rows, marks in (("message", self.messages, "?,?,?,?,?"), ("call", self.calls, "?,?,?,?,?,?"),
                                   ("entry", self.entries, "?,?,?,?,?"), ("episode", self.episodes, "?,?,?,?,?")):
            self.connection.executemany(f"INSERT INTO {table} VALUES({marks})", rows)
            rows.clear()
        self.connection.commit()


def read_canonical(path, rows):
    episode, step, place, source = None, 0, 0, hashlib.sha256()
    with open(path, "rb") as file:
        for line in file:
            record = json.loads(line)
            kind = record["type"]
            source.update(line)
            if kind == "episode":
                if len(rows.messages) > 5000:
                    rows.flush()
                episode, step, place, source = record["episode"], 0, 0, hashlib.sha256(line)
                outcome = record.get("outcome") or {}
                rows.episodes.append((episode, record["task_id"], record.get("configuration"), outcome.get("resolved"), None))
            elif kind == "message":
                place += 1
                rows.message(episode, place, record["role"], record["text"])
            elif kind == "step":
                step, usage = record["step"], record.get("usage") or {}
                actions = json.dumps([[a["name"], a["arguments"]] for a in record.get("actions", [])])
                rows.calls.append((episode, step, usage.get("input"), usage.get("output"), record.get("time"), actions))
                place += 1
                rows.message(episode, place, "assistant", record.get("response") or "")
                for result in record.get("results", []):
                    place += 1
                    rows.message(episode, place, "tool", result["text"])
            elif kind == "delivery":
                rows.entries.extend((episode, step + 1, record["id"], entry.get("item"), entry["text"])
                                    for entry in record.get("entries", []))
            elif kind == "end":
                rows.episodes[-1] = rows.episodes[-1][:4] + (source.hexdigest(),)


def read_mini_swe_agent(path, rows):
    data = path.read_bytes()
    run = json.loads(data)
    if "messages" not in run:
        return
    episode, step = run.get("instance_id") or path.stem, 0
    for place, message in enumerate(run["messages"]):
        content = message.get("content")
        text = content if isinstance(content, str) else json.dumps(content)
        rows.message(episode, place, message.get("role"), text)
        if message.get("role") != "assistant":
            continue
        step += 1
        response = (message.get("extra") or {}).get("response") or {}
        usage = response.get("usage") or {}
        rows.calls.append((episode, step, usage.get("prompt_tokens"), usage.get("completion_tokens"),
                           response.get("created"), json.dumps(FENCE.findall(text))))
    rows.episodes.append((episode, episode, None, None, hashlib.sha256(data).hexdigest()))
    if len(rows.messages) > 5000:
        rows.flush()


def main():
    kind, database, source = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    rows = Rows(database)
    if kind == "canonical":
        read_canonical(source, rows)
    else:
        for path in sorted(source.rglob("*.json")):
            read_mini_swe_agent(path, rows)
    rows.flush()


if __name__ == "__main__":
    main()
