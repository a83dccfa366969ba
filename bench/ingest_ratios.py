#!/usr/bin/env python3
"""How fast is an ingest, beside the floor and beside other tools? Measures all on the same bytes and prints ratios.

  cmake --preset bench && ninja -C build/bench memuse ingest_stages
  bench/ingest_ratios.py --runs FOLDER_OF_TRAJECTORIES --merit FOLDER_OF_MERIT_RUNS

Without --runs and --merit it measures made-up traces only (bench/generate_traces.py). Each number is the median of
--repeat runs; every run is a process of its own, so that peak memory is that of one job. --realtime runs each with the
scheduler's real-time priority (chrt, needs the right to do so): then other work on the machine disturbs little.

The stages: raw is a pass of simdjson's On-Demand that walks every value, unescapes every string and keeps nothing; parse
is traces to episodes, as `memuse check` reads them; hash adds the SHA-256 of every episode's source, spans and rows what
their names say; ingest is `memuse ingest` into a new database. The rivals in bench/ingest_rivals take out roughly what
an ingest keeps, without spans and checks. DuckDB's package is installed by npm into the work folder.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent


def run(command, realtime, stdout=subprocess.DEVNULL):
    """Wall and CPU seconds and peak memory (MB) of a command, and what it printed."""
    prefix = ["chrt", "-f", "1"] if realtime else []
    begin = time.monotonic()
    process = subprocess.Popen(prefix + [str(part) for part in command], stdout=stdout, stderr=subprocess.PIPE)
    printed = process.stdout.read() if process.stdout else b""
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - begin
    if process.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit {process.returncode}\n{errors.decode(errors='replace')}")
    return {"seconds": seconds, "cpu": usage.ru_utime + usage.ru_stime, "peak": usage.ru_maxrss / 1024,
            "printed": printed}


class Bench:
    def __init__(self, options, work):
        self.options, self.work = options, work
        self.database = work / "out.db"

    def median(self, command, printed=False):
        runs = []
        for _ in range(self.options.repeat):
            for old in self.work.glob("out.db*"):
                old.unlink()
            runs.append(run(command, self.options.realtime, subprocess.PIPE if printed else subprocess.DEVNULL))
        result = {key: statistics.median(one[key] for one in runs) for key in ("seconds", "cpu", "peak")}
        result["printed"] = runs[-1]["printed"]
        return result

    def stage(self, name, jobs, paths):
        """By the stage's own clock, which leaves out the start of the process."""
        seconds = []
        for _ in range(self.options.repeat):
            result = self.stage_once(name, jobs, paths)
            seconds.append(result["seconds"])
        result["seconds"] = statistics.median(seconds)
        return result

    def stage_once(self, name, jobs, paths):
        result = run([self.options.build / "ingest_stages", name, jobs, *paths], self.options.realtime, subprocess.PIPE)
        inside = json.loads(result["printed"])
        return {**result, **{key: inside[key] for key in ("bytes", "episodes", "spans", "seconds")}}

    def ingest(self, jobs, paths):
        return self.median([self.options.build / "memuse", "ingest", *paths, "--db", self.database, "--jobs", jobs,
                            "--configuration", "c"])


def table(title, header, rows):
    print(f"\n{title}\n")
    print("| " + " | ".join(header) + " |")
    print("|" + " --- |" * len(header))
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")
    sys.stdout.flush()


def stages_of(bench, name, paths):
    """All stages of one data set; prints a row for each, returns whole ingests."""
    raw = {jobs: bench.stage("raw", jobs, paths) for jobs in (1, 2)}
    megabytes = raw[1]["bytes"] / 1e6
    rows = []

    def add(stage, one, two):
        rows.append([stage, f"{one['seconds']:.3f}", f"{two['seconds']:.3f}", f"{one['seconds'] / two['seconds']:.2f}",
                     f"{raw[1]['seconds'] / one['seconds']:.2f}", f"{raw[2]['seconds'] / two['seconds']:.2f}",
                     f"{megabytes / two['seconds']:.0f}", f"{one['peak']:.0f}", f"{two['peak']:.0f}"])

    add("raw simdjson pass", raw[1], raw[2])
    for stage in ("parse", "hash", "spans", "rows"):
        results = [bench.stage(stage, jobs, paths) for jobs in (1, 2)]
        add(stage, *results)
    whole = {jobs: bench.ingest(jobs, paths) for jobs in (1, 2)}
    add("ingest into a database", whole[1], whole[2])
    table(f"{name}: {megabytes:.0f} MB, {results[0]['episodes']} episodes, {results[0]['spans']} spans",
          ["stage", "s, 1 thread", "s, 2 threads", "1 / 2", "raw / stage, 1", "raw / stage, 2", "MB/s, 2", "peak MB, 1",
           "peak MB, 2"], rows)
    return whole


def install_duckdb(folder):
    if (folder / "node_modules/@duckdb/node-api").is_dir():
        return True
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text("{}\n")
    npm = shutil.which("npm")
    return npm is not None and subprocess.run(
        [npm, "install", "--silent", "--no-audit", "--no-fund", "--prefix", folder, "@duckdb/node-api"]).returncode == 0


def rivals_of(bench, name, kind, path, whole):
    jq_script = HERE / "ingest_rivals" / f"{kind.replace('-', '_')}.jq"
    files = [path] if path.is_file() else sorted(path.rglob("*.json"))
    rivals = {"memuse ingest, 2 threads": whole[2], "memuse ingest, 1 thread": whole[1]}
    rivals["Python's json and sqlite3"] = bench.median(
        [sys.executable, HERE / "ingest_rivals/extract.py", kind, bench.database, path])
    if shutil.which("jq"):
        rivals["jq (no hashes, no database)"] = bench.median(["jq", "-r", "-f", jq_script, *files])
    modules = bench.options.work / "rivals"
    if shutil.which("node") and install_duckdb(modules):
        rivals["DuckDB's read_json, 2 threads"] = bench.median(
            ["node", HERE / "ingest_rivals/duckdb.mjs", modules, kind, bench.database, path, 2])
    rows = [[rival, f"{result['seconds']:.2f}", f"{result['cpu']:.2f}",
             f"{result['seconds'] / whole[2]['seconds']:.1f}", f"{result['peak']:.0f}"] for rival, result in rivals.items()]
    table(f"{name}: the same extraction", ["tool", "s", "CPU s", "times memuse, 2 threads", "peak MB"], rows)


def growth_of(bench, name, sizes):
    """`sizes`: (factor, path), the first with factor 1."""
    rows, first = [], None
    for factor, path in sizes:
        whole = {jobs: bench.ingest(jobs, [path]) for jobs in (1, 2)}
        first = first or whole
        rows.append([f"{factor}×", f"{whole[1]['seconds']:.2f}", f"{whole[2]['seconds']:.2f}",
                     f"{whole[1]['seconds'] / whole[2]['seconds']:.2f}",
                     f"{whole[1]['cpu'] / first[1]['cpu']:.2f}", f"{whole[2]['seconds'] / first[2]['seconds']:.2f}",
                     f"{whole[1]['peak']:.0f}", f"{whole[2]['peak']:.0f}",
                     f"{whole[2]['peak'] / first[2]['peak']:.2f}"])
    table(f"{name}: growth of `memuse ingest`",
          ["data", "s, 1 thread", "s, 2 threads", "1 / 2", "CPU to 1×", "s to 1×, 2 threads", "peak MB, 1", "peak MB, 2",
           "peak to 1×, 2"], rows)


def generate(path, *options):
    if not path.exists():
        subprocess.run([sys.executable, HERE / "generate_traces.py", path, *map(str, options)], check=True)
    return path


def copies(folder, times, to):
    """A folder of `times` hard-linked copies of the files, each a run of its own."""
    for number in range(times):
        shutil.copytree(folder, to / f"run-{number}", copy_function=os.link, dirs_exist_ok=True)
    return to


def measure(bench):
    work, options = bench.work, bench.options
    small = generate(work / "many-1.jsonl", "--episodes", 400)
    rivals_of(bench, "Made-up episodes", "canonical", small, stages_of(bench, "Made-up episodes, one file", [small]))
    steps = [(factor, generate(work / f"steps-{factor}.jsonl", "--episodes", 1, "--steps", 500 * factor))
             for factor in (1, 10)]
    growth_of(bench, "One episode, 500 and 5,000 steps", steps)
    stages_of(bench, "One episode of 200 MB", [generate(work / "one.jsonl", "--episodes", 1, "--steps", 2000, "--megabytes", 200)])
    growth_of(bench, "Made-up episodes",
              [(factor, generate(work / f"many-{factor}.jsonl", "--episodes", 400 * factor)) for factor in (1, 4, 10)])
    if options.merit:
        stages_of(bench, "MERIT cells", sorted(path.parent for path in options.merit.glob("*/traces")))
    if options.runs:
        local = work / "runs"
        shutil.copytree(options.runs, local / "1" / "run-0", dirs_exist_ok=True)
        rivals_of(bench, "Recorded runs", "mini-swe-agent", local / "1",
                  stages_of(bench, "Recorded runs, a folder", [local / "1"]))
        lines = work / "runs.jsonl"
        subprocess.run([options.build / "memuse", "ingest", local / "1", "--configuration", "c", "--emit-trace", lines],
                       check=True, stdout=subprocess.DEVNULL)
        rivals_of(bench, "Recorded runs as one canonical file", "canonical", lines,
                  stages_of(bench, "Recorded runs as one canonical file", [lines]))
        growth_of(bench, "Recorded runs, folders",
                  [(times, copies(local / "1" / "run-0", times, local / f"times-{times}")) for times in (1, 4, 10)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=HERE.parent / "build/bench", help="folder of the optimised build")
    parser.add_argument("--runs", type=Path, help="folder of mini-swe-agent trajectories (*.traj.json)")
    parser.add_argument("--merit", type=Path, help="folder of MERIT cells (results.jsonl beside traces/)")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--realtime", action="store_true")
    parser.add_argument("--work", type=Path, help="folder for data and packages, kept (default: one that is deleted)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        options.work = (options.work or Path(folder)).resolve()
        options.work.mkdir(parents=True, exist_ok=True)
        model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
        print(f"{os.cpu_count()} × {model}, load {os.getloadavg()[0]:.1f}; median of {options.repeat} runs"
              f"{', real-time priority' if options.realtime else ''}")
        measure(Bench(options, options.work))


if __name__ == "__main__":
    main()
