#!/usr/bin/env python3
"""Agreement of the offline judge with annotators over recorded runs (docs/tracer.md).

    bench/tracer_agreement.py build/release/memuse path/to/recorded-runs [--show]

The folder has `traces/*.jsonl` and `labels/annotator-*.jsonl`, two passes. Runs the program on the traces, exports its
entries and compares them. Figures are for all entries and for two halves: tasks in alphabetical order, every second one.
"""
import argparse
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

SIGNALS = ("novelty", "influence", "effect")
INFLUENCES = ("acted_on", "selected", "referenced", "none", None)


def key_of(row):
    return tuple(row[field] for field in ("configuration", "run", "episode", "span", "entry"))


def read_rows(lines):
    return [json.loads(line) for line in lines if line.strip()]


def tracer_rows(program, folder):
    """Rows of `memuse export entries` for entries with a window."""
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run([program, "run", str(folder / "traces"), "-o", scratch], check=True, stdout=subprocess.DEVNULL)
        export = subprocess.run([program, "export", "entries", "--db", str(pathlib.Path(scratch) / "memuse.db")],
                                check=True, stdout=subprocess.PIPE, text=True)
    return {key_of(row): row for row in read_rows(export.stdout.splitlines()) if row["window_first"] is not None}


def kappa(first, second):
    """Cohen's kappa of two lists of labels, null being one of them; 1 when both always say the same one thing."""
    count = len(first)
    if count == 0:
        return float("nan")
    agreed = sum(a == b for a, b in zip(first, second)) / count
    by_chance = sum(first.count(value) * second.count(value) for value in set(first)) / count ** 2
    return 1.0 if by_chance == 1 else (agreed - by_chance) / (1 - by_chance)


def ratio(part, whole):
    return f"{part}/{whole} = {part / whole:.3f}" if whole else "—"


def print_figures(title, keys, tracer, first, second):
    agreed = [key for key in keys if first[key]["influence"] == second[key]["influence"]]
    said = [key for key in agreed if tracer[key]["influence"] == "acted_on"]
    wanted = [key for key in agreed if first[key]["influence"] == "acted_on"]
    right = len(set(said) & set(wanted))
    anchors = [(key, step) for key in keys for step in tracer[key]["anchors"] or []]
    good = [step for key, step in anchors if step in first[key]["anchors"] or step in second[key]["anchors"]]
    print(f"{title}: {len(keys)} entries, {len(agreed)} with the same influence in both passes")
    print(f"  acted_on: precision {ratio(right, len(said))}, recall {ratio(right, len(wanted))}")
    print(f"  anchors among the annotators': {ratio(len(good), len(anchors))}")
    for signal in SIGNALS:
        def labels(rows, chosen):
            return [rows[key][signal] for key in chosen]
        same = [key for key in keys if first[key][signal] == second[key][signal]]
        print(f"  kappa of {signal}: {kappa(labels(tracer, same), labels(first, same)):.3f} on the {len(same)} agreed, "
              f"{kappa(labels(tracer, keys), labels(first, keys)):.3f} and "
              f"{kappa(labels(tracer, keys), labels(second, keys)):.3f} on each pass")


def print_confusion(keys, tracer, first, second):
    agreed = [key for key in keys if first[key]["influence"] == second[key]["influence"]]
    counts = collections.Counter((first[key]["influence"], tracer[key]["influence"]) for key in agreed)
    print("influence, rows: both passes, columns: tracer")
    print(" " * 12 + "".join(f"{str(value or 'null'):>12}" for value in INFLUENCES))
    for row in INFLUENCES:
        print(f"{str(row or 'null'):>12}" + "".join(f"{counts[row, column]:>12}" for column in INFLUENCES))


def print_disagreements(keys, tracer, first, second):
    print("disagreements:")
    for key in keys:
        row, a, b = tracer[key], first[key], second[key]
        stray = [step for step in row["anchors"] or [] if step not in a["anchors"] and step not in b["anchors"]]
        if row["influence"] in (a["influence"], b["influence"]) and not stray:
            continue
        print(f"- {'/'.join(map(str, key))}: tracer {row['influence']} {row['anchors']}, annotators {a['influence']} "
              f"{a['anchors']} and {b['influence']} {b['anchors']}\n    tracer: {row['reason']}\n    annotator 1: "
              f"{a['reason'].strip()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the memuse program")
    parser.add_argument("folder", type=pathlib.Path, help="recorded runs with traces and labels")
    parser.add_argument("--show", action="store_true", help="print every disagreement with its reason")
    arguments = parser.parse_args()
    first, second = ({key_of(row): row for row in read_rows(path.open(encoding="utf-8"))}
                     for path in sorted((arguments.folder / "labels").glob("annotator-*.jsonl"))[:2])
    tracer = tracer_rows(arguments.program, arguments.folder)
    if set(tracer) != set(first) or set(first) != set(second):
        sys.exit("the entries of the program and of the annotators are not the same")
    keys = sorted(tracer)
    tasks = sorted({tracer[key]["task_id"] for key in keys})
    halves = [[key for key in keys if tasks.index(tracer[key]["task_id"]) % 2 == half] for half in (0, 1)]
    print_figures("all", keys, tracer, first, second)
    print_figures("first half", halves[0], tracer, first, second)
    print_figures("second half", halves[1], tracer, first, second)
    print_confusion(keys, tracer, first, second)
    if arguments.show:
        print_disagreements(keys, tracer, first, second)


if __name__ == "__main__":
    main()
