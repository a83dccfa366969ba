#!/usr/bin/env python3
"""Writes made-up canonical traces (memuse-trace/1), the same bytes for the same options, for measurements of speed.

  bench/generate_traces.py many.jsonl --episodes 400
  bench/generate_traces.py one.jsonl --episodes 1 --megabytes 200
  bench/generate_traces.py steps.jsonl --episodes 1 --steps 5000

Every step of an episode has a memory block of its own, as harnesses place that remind the model anew for each call:
two notes of a store that grows with the episode, of which the agent uses a value now and then.
"""

import argparse
import json
import random

WORDS = ("parser token buffer limit retry index cache worker commit branch value schema query stream header "
         "größe naïve 数据 \"quoted\" back\\slash tab\there").split(" ")


def line(record):
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"


def outputs(rng, output_bytes):
    """Texts as commands print them, of about `output_bytes` characters: a hundred of them, used in turn."""
    texts = []
    for _ in range(100):
        rows, size = [], 0
        while size < output_bytes:
            row = f"src/{rng.choice(WORDS)}.py:{rng.randrange(2000)}:\t" + " ".join(rng.choices(WORDS, k=8))
            rows.append(row)
            size += len(row) + 1
        texts.append("\n".join(rows))
    return texts


def note(number):
    return f"Note {number}: the limit of service {number} is {4000 + number}; see src/service_{number}.py before a change."


def step_lines(rng, number, texts):
    block = number // 10
    shown = [(f"N-{block}", note(block)), (f"N-{(block * 7) % 50}-old", note((block * 7) % 50))]
    text = "From earlier work:\n" + "\n".join(body for _, body in shown)
    yield line({"type": "message", "id": f"m{number}", "role": "user", "origin": "memory", "transient": True, "text": text})
    yield line({"type": "delivery", "id": f"d{number}", "route": "host", "form": "recall", "message": f"m{number}",
                "entries": [{"item": item, "version": "1", "text": body, "identifiers": [item]} for item, body in shown]})
    limit = 4000 + block if number % 3 == 0 else rng.randrange(9000)
    yield line({"type": "step", "step": number, "id": f"r{number}", "response": f"I look at line {number} of the parser.",
                "actions": [{"id": f"a{number}", "name": "bash",
                             "arguments": {"command": f"sed -n {number},+20p src/parser.py; limit={limit}"}}],
                "results": [{"id": f"o{number}", "action": f"a{number}", "text": f"[{number}] " + texts[number % len(texts)]}],
                "usage": {"input": 1000 + 20 * number, "output": 60}, "time": "2026-01-02T03:04:05Z"})


def write_episode(out, rng, number, steps, texts):
    task = f"Mend the parser, part {number}."
    out.write(line({"type": "episode", "schema": "memuse-trace/1", "episode": f"e{number}", "task_id": f"task-{number}",
                    "configuration": "made-up", "run": "r1", "position": number, "task": {"text": task},
                    "outcome": {"resolved": number % 2 == 0}}))
    out.write(line({"type": "message", "id": "task", "role": "user", "origin": "task", "text": task}))
    for step in range(1, steps + 1):
        out.writelines(step_lines(rng, step, texts))
    out.write(line({"type": "end", "reason": "submitted"}))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--episodes", type=int, default=400)
    parser.add_argument("--steps", type=int, default=50, help="steps of each episode (default: 50)")
    parser.add_argument("--output-bytes", type=int, default=3000, help="text that each step brings back (default: 3000)")
    parser.add_argument("--megabytes", type=float, help="size of the file, reached by longer outputs")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    output_bytes = options.output_bytes
    if options.megabytes:
        output_bytes = max(1, int(options.megabytes * 1e6 / options.episodes / options.steps) - 1000)
    texts = outputs(rng, output_bytes)
    with open(options.file, "w", encoding="utf-8", newline="\n") as out:
        for number in range(1, options.episodes + 1):
            write_episode(out, rng, number, options.steps, texts)


if __name__ == "__main__":
    main()
