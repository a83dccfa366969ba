#!/usr/bin/env python3
"""Writes examples/study: traces, manifest and labels of a made-up study (see examples/README.md).

Three configurations, three runs each, eight tasks in the workshops of a tramway. Texts, outcomes and costs are invented.
Run it from the root of the tree; it writes the same bytes each time.
"""
import json
import pathlib

FOLDER = pathlib.Path("examples/study")
SYSTEM = "You work in a shell on a fresh checkout, one command a turn. When the task is done, run: submit"

# task: repository, text, right and outdated value, file to change, what the agent sees first, the note it can make
TASKS = {
    "points-relay": dict(
        repo="signal-box", gold="RL-5208", stale="RL-4410", file="parts/points.toml", source="docs/relays.md",
        text="SIG-7: The part list names no relay for the points of line 3. The maker's page is docs/relays.md. Enter it "
             "in parts/points.toml.",
        found="# Relays\n\nPoints of all lines: RL-5208 since May. RL-4410 is no longer made.",
        note="Points relay of all lines: RL-5208. The maker withdrew RL-4410 (SIG-7)."),
    "fare-port": dict(
        repo="fare-desk", gold="7731", stale="7702", file="conf/fares.toml", source="docs/deploy.md",
        text="FAR-12: The fare desk cannot reach the fare service. docs/deploy.md says where it listens. Mend "
             "conf/fares.toml.",
        found="# Deploy\n\nThe fare service moved: port 7731, formerly port 7702.",
        note="The fare service listens on port 7731; port 7702 was closed (FAR-12)."),
    "points-spare": dict(
        repo="depot", gold="RL-5208", stale="RL-4410", file="spares/order.toml", needs="points-relay",
        text="DEP-3: Order two spare relays for the points. The form spares/order.toml lacks the part number.",
        first=("cat spares/order.toml", 'count = 2\npart = ""')),
    "fare-mobile": dict(
        repo="fare-app", gold="7731", stale="7702", file="app/settings.toml", needs="fare-port",
        text="APP-40: The app has to ask the fare service itself. Enter its port in app/settings.toml.",
        first=("cat app/settings.toml", "host = \"fares.tram.example\"\nport = 0")),
    "horn-test": dict(
        repo="signal-box", file="tests/test_horn.py",
        text="SIG-9: tests/test_horn.py fails now and then. Make it pass every time.",
        first=("sed -n 1,20p tests/test_horn.py", "def test_horn():\n    assert horn.tone() in (311, 370)")),
    "rail-heater": dict(
        repo="signal-box", gold="2640", stale="1980", file="conf/heater.toml", source="docs/mail/heater.txt",
        text="SIG-11: The rail heater at the bridge trips. The maker's mail is in docs/mail/heater.txt; follow it in "
             "conf/heater.toml.",
        found="Please allow 2640 watts for the rail heater. The old sheet says 1980 watts, which is too low.",
        note="Rail heater: the limit is 2640 watts; 1980 watts of the old sheet is too low (SIG-11)."),
    "heater-yard": dict(
        repo="depot", gold="2640", stale="1980", file="yard/heater.toml", needs="rail-heater",
        text="DEP-8: The yard got the same rail heater as the bridge. Enter its limit in yard/heater.toml.",
        first=("cat yard/heater.toml", "limit_watts = 0")),
    "wheel-profile": dict(
        repo="depot", file="lathe/profile.csv",
        text="DEP-9: The lathe refuses the wheel profile in lathe/profile.csv. Find out why and mend it.",
        first=("head -3 lathe/profile.csv", "x;y\n0;0\n5;-1,2")),
}
ORDER = list(TASKS)
HORN_NOTE = "Horn tests: set HORN_SEED=311 before the horn is made, then its tone is the same each time."
REVIEW_NOTE = "Reviewers like small changes."

# Which runs of the configuration without memory resolve a task (None: no result).
PLAIN = {"points-relay": "111", "fare-port": "111", "points-spare": "010", "fare-mobile": "000", "horn-test": "101",
         "rail-heater": "111", "heater-yard": "001", "wheel-profile": "000"}
# With memory: b = the note is used and right, s = an outdated note is used, n = delivered and not used, r = resolved
# without it, ? = as n without a result; h = the horn note is used and the task passes, x = … and the task fails.
CARDS = {"points-relay": "rrr", "fare-port": "rrr", "points-spare": "bbs", "fare-mobile": "bnb", "horn-test": "hhx",
         "rail-heater": "rrr", "heater-yard": "bbb", "wheel-profile": "n?n"}
PINNED = {"points-relay": "rrr", "fare-port": "rrr", "points-spare": "bbb", "fare-mobile": "bbs", "horn-test": "hhh",
          "rail-heater": "rrr", "heater-yard": "bbb", "wheel-profile": "nrn"}
# A run whose note of a task holds the outdated value.
OUTDATED = {("cards", 3, "points-relay"), ("pinned", 3, "fare-port")}


class Episode:
    def __init__(self, configuration, run, task):
        self.configuration, self.run, self.task = configuration, run, task
        self.facts = TASKS[task]
        self.lines, self.labels = [], []
        self.steps = self.deliveries = self.spans = 0
        self.tokens = 120

    def put(self, **line):
        self.lines.append(line)

    def open(self, resolved):
        facts = self.facts
        head = dict(type="episode", schema="memuse-trace/1", episode=self.task, task_id=self.task,
                    configuration=self.configuration, run=f"r{self.run}", visibility="exact",
                    delivery_grade="none" if self.configuration == "plain" else "annotated",
                    position=ORDER.index(self.task) + 1, repo=facts["repo"], model="example-model", seed=40 + self.run,
                    task=dict(text=facts["text"]))
        if "gold" in facts:
            head["probe"] = dict(dependent="needs" in facts, gold=[facts["gold"]], stale=[facts["stale"]])
        if resolved is not None:
            head["outcome"] = dict(resolved=resolved, source="hidden check")
        self.put(**head)
        self.put(type="message", id="m0", role="system", origin="system", text=SYSTEM)
        self.put(type="message", id="m1", role="user", origin="task", text=facts["text"])

    def step(self, response, command, result, tool="bash", argument="command"):
        self.steps += 1
        name = f"s{self.steps}"
        self.tokens += 90
        usage = dict(input=self.tokens, cached_input=self.tokens - 90, output=30 + len(response) // 4)
        cost = round(usage["input"] * 2e-6 + usage["output"] * 8e-6, 6)
        self.tokens += usage["output"] + len(result) // 4
        line = dict(type="step", step=self.steps, id=name, response=response,
                    actions=[dict(id=f"a{self.steps}", name=tool, arguments={argument: command})],
                    results=[dict(id=f"{name}.out", action=f"a{self.steps}", text=result)], usage=usage, cost_usd=cost,
                    time=f"2026-05-{self.run + 3:02d}T{8 + ORDER.index(self.task):02d}:{self.steps:02d}:00Z")
        if self.configuration == "cards" and self.run == 3 and self.task == "wheel-profile" and self.steps == 1:
            del line["cost_usd"]  # one call whose cost nobody wrote down
        self.put(**line)
        return name

    def deliver(self, route, form, message, entries, text, search=None):
        """One delivery of (item, version, text) triples that stand in `text`."""
        self.deliveries += 1
        rows = []
        for item, version, exposed in entries:
            begin = text.encode().index(exposed.encode())
            rows.append(dict(item=item, version=version, text=exposed, identifiers=[item],
                             range=[begin, begin + len(exposed.encode())]))
        line = dict(type="delivery", id=f"d{self.deliveries}", route=route, form=form, message=message, entries=rows)
        if search:
            line["search"] = search
        line["tokens"] = (len(text.encode()) + 3) // 4
        self.tokens += line["tokens"]
        self.put(**line)

    def label(self, span, entry, item, relevance, novelty, influence, anchors=(), effect=None, accuracy="uncontradicted",
              reason="", evidence=()):
        self.labels.append(dict(configuration=self.configuration, run=f"r{self.run}", episode=self.task,
                                span=f"S{span}", entry=entry, item=item, reason=reason, evidence=list(evidence),
                                relevance=relevance, accuracy=accuracy, novelty=novelty, influence=influence,
                                anchors=list(anchors), effect=effect))

    def side_call(self, purpose, size):
        self.put(type="side_call", purpose=purpose, usage=dict(input=size, cached_input=0, output=size // 12),
                 cost_usd=round(size * 3e-7 + size // 12 * 1e-6, 7), model="example-small")

    def remember(self, op, item, version, text, steps=(), source=()):
        line = dict(type="memory", op=op, item=item, version=version, text=text, operation=f"note-{self.task}")
        if source:
            line["from"] = list(source)
        if steps:
            line["steps"] = list(steps)
        self.put(**line)

    def close(self):
        self.step("Done.", "submit", "submitted")
        self.put(type="end", reason="submitted")


class Run:
    """One run: its store of notes and its episodes in order."""

    def __init__(self, configuration, number):
        self.configuration, self.number = configuration, number
        self.notes = {}  # task the note is about → (item, version, text)
        self.imported = []
        self.lines, self.labels = [], []

    def play(self):
        for task in ORDER:
            episode = Episode(self.configuration, self.number, task)
            if self.configuration == "plain":
                play_plain(episode, PLAIN[task][self.number - 1] == "1")
            else:
                plan = (CARDS if self.configuration == "cards" else PINNED)[task][self.number - 1]
                play_with_memory(self, episode, plan)
            self.lines += episode.lines
            self.labels += episode.labels

    def value_noted(self, task):
        facts = TASKS[task]
        return facts["stale"] if (self.configuration, self.number, task) in OUTDATED else facts["gold"]

    def note_text(self, task):
        facts = TASKS[task]
        if self.value_noted(task) == facts["gold"]:
            return facts["note"]
        return facts["note"].split(facts["gold"])[0] + facts["stale"] + "."


def edit(episode, value):
    return f"python3 tools/set.py {episode.facts['file']} {value}"


def play_source(episode):
    """A task whose answer is on a page of the repository."""
    facts = episode.facts
    episode.step("The page first.", f"cat {facts['source']}", facts["found"])
    episode.step("Enter what it says.", edit(episode, facts["gold"]), "1 line changed")


def play_plain(episode, resolved):
    episode.open(resolved)
    facts = episode.facts
    if "source" in facts:
        play_source(episode)
    else:
        episode.step("What is there?", *facts["first"])
        if "needs" in facts:
            if resolved:
                episode.step("Somebody may have written it before.", f"git log -p -S{facts['needs']} | tail -4",
                             f"+ {facts['gold']}")
            episode.step("Enter it." if resolved else "No trace of it; I take a likely one.",
                         edit(episode, facts["gold"] if resolved else "0000"), "1 line changed")
        else:
            episode.step("Try a change.", f"python3 tools/tidy.py {facts['file']}", "1 line changed")
            episode.step("Does it hold?", f"python3 -m pytest -q -k {episode.task}", "1 passed" if resolved else "1 failed")
    episode.close()


def play_with_memory(run, episode, plan):
    facts, task = episode.facts, episode.task
    episode.open(None if plan == "?" else plan in "bhr")
    if task == ORDER[0]:
        for item, text in (("N1", HORN_NOTE), ("N2", REVIEW_NOTE)):
            episode.remember("create", item, item + ".1", text)
            run.imported.append((item, item + ".1", text))
    deliver = deliver_cards if run.configuration == "cards" else deliver_pinned
    deliver(run, episode, plan)
    episode.close()
    episode.lines.pop()
    end = dict(type="end", reason="submitted")
    if "note" in facts:
        item = f"N{3 + ['points-relay', 'fare-port', 'rail-heater'].index(task)}"
        text = run.note_text(task)
        episode.side_call("note taking", 900 + 40 * run.number)
        episode.remember("create", item, item + ".1", text, steps=[1, 2])
        run.notes[task] = (item, item + ".1", text)
    elif "needs" in facts and plan == "b":
        item, version, text = run.notes[facts["needs"]]
        newer = f"{item}.2"
        episode.side_call("note taking", 700 + 40 * run.number)
        text = text + f" Used for {facts['text'].split(':')[0]}."
        episode.remember("update", item, newer, text, steps=[episode.steps], source=[version])
        run.notes[facts["needs"]] = (item, newer, text)
    episode.lines.append(end)


def used_value(run, episode, plan):
    if plan in "hx":
        return "HORN_SEED=311"
    return run.value_noted(episode.facts["needs"])


def act_on(run, episode, plan):
    """The step that carries the note's value; returns its number."""
    value = used_value(run, episode, plan)
    name = episode.step("The note has it." if plan != "x" else "The note may help.", edit(episode, value), "1 line changed")
    return int(name[1:]), value


def effect_of(plan):
    return {"b": "improved", "h": "improved", "x": "no_effect", "s": "harmed"}[plan]


def label_entries(episode, span, entries, used, anchor, value, plan, relevant):
    """Labels of a span that shows whole notes."""
    for index, (item, _, text) in enumerate(entries):
        if item == used:
            accuracy = {"b": "corroborated", "s": "contradicted"}.get(plan, "uncontradicted")
            episode.label(span, index, item, True, "novel", "acted_on", [anchor], effect_of(plan), accuracy,
                          f"The value {value} is new and stands in the edit.",
                          [dict(step=anchor, quote=edit(episode, value), supports="influence")])
        elif item == "N2":
            episode.label(span, index, item, True, None, "none", reason="True of any task; no step shows it.")
        else:
            episode.label(span, index, item, item == relevant, "novel", "none", reason="No step of the window uses it.")


def deliver_pinned(run, episode, plan):
    """All notes so far are pinned at the start; in run 3 anew for every turn."""
    facts = episode.facts
    entries = run.imported + [run.notes[task] for task in run.notes]
    text = "Pinned notes:\n" + "\n".join(f"[{item}] {note}" for item, _, note in entries)
    transient = run.number == 3
    placed = 0

    def place():
        nonlocal placed
        placed += 1
        line = dict(type="message", id=f"p{placed}", role="user", origin="memory", text=text)
        if transient:
            line["transient"] = True
        episode.put(**line)
        episode.deliver("host", "pinned notes", f"p{placed}", entries, text)

    def step(*arguments):
        if transient and placed:
            place()
        return episode.step(*arguments)

    place()
    used, relevant = None, None
    anchor = value = None
    if "source" in facts:
        episode.step("The page first.", f"cat {facts['source']}", facts["found"])
        step("Enter what it says.", edit(episode, facts["gold"]), "1 line changed")
    else:
        episode.step("What is there?", *facts["first"])
        if plan in "bshx":
            if transient:
                place()
            used = "N1" if plan in "hx" else run.notes[facts["needs"]][0]
            anchor, value = act_on(run, episode, plan)
        else:
            relevant = "N1" if episode.task == "horn-test" else None
            step("A decimal point, not a comma.", f"sed -i s/,/./ {facts['file']}", "")
        step("Does it hold?", f"python3 -m pytest -q -k {episode.task}", "1 passed" if plan in "bhr" else "1 failed")
    label_entries(episode, 1, entries, used, anchor, value, plan, relevant)


def deliver_cards(run, episode, plan):
    """The agent searches and opens a card when the repository has no answer."""
    facts = episode.facts
    if "source" in facts:
        play_source(episode)
        return
    episode.step("What is there?", *facts["first"])
    wanted = run.imported[0] if "needs" not in facts else run.notes[facts["needs"]]
    other = run.imported[1]
    query = " ".join(facts["text"].split(":")[1].split()[:5])
    titles = {wanted[0]: wanted[2].split(":")[0].split(" listens")[0], other[0]: other[2]}
    text = "2 cards\n" + "\n".join(f"{item} · {title}" for item, title in titles.items())
    found = episode.step("I ask the cards.", query, text, "memory_search", "query")
    episode.put(type="search", id="q1", query=query,
                returned=[dict(item=wanted[0], version=wanted[1], score=0.8), dict(item=other[0], version=other[1], score=0.3)],
                matched=2, status="completed")
    shown = [(wanted[0], wanted[1], titles[wanted[0]]), (other[0], other[1], other[2])]
    episode.deliver("agent", "search preview", f"{found}.out", shown, text, search="q1")
    episode.side_call("query", 300)
    if plan in "bshx":
        opened = episode.step(f"I open {wanted[0]}.", wanted[0], f"{wanted[0]}\n{wanted[2]}", "memory_open", "card")
        episode.deliver("agent", "full card", f"{opened}.out", [wanted], f"{wanted[0]}\n{wanted[2]}")
        anchor, value = act_on(run, episode, plan)
        episode.label(1, 0, wanted[0], True, "novel", "selected", [3], reason="The preview made the agent open it.",
                      evidence=[dict(step=3, quote=f"I open {wanted[0]}.", supports="influence")])
        label_entries(episode, 2, [wanted], wanted[0], anchor, value, plan, wanted[0])
    else:
        episode.step("No card helps; I go by the file.", f"python3 tools/tidy.py {facts['file']}", "1 line changed")
        episode.label(1, 0, wanted[0], "needs" in facts, "novel", "none", reason="Shown and passed over.")
    episode.label(1, 1, other[0], True, None, "none", reason="True of any task; no step shows it.")
    episode.step("Does it hold?", f"python3 -m pytest -q -k {episode.task}", "1 passed" if plan in "bhr" else "1 failed")


def write(path, rows):
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text(text, encoding="utf-8")


def main():
    (FOLDER / "traces").mkdir(parents=True, exist_ok=True)
    manifest = ["path,configuration,run,outcomes,order,baseline"]
    labels = []
    for configuration in ("plain", "cards", "pinned"):
        for number in (1, 2, 3):
            run = Run(configuration, number)
            run.play()
            name = f"{configuration}.r{number}.jsonl"
            write(FOLDER / "traces" / name, run.lines)
            labels += run.labels
            baseline = "yes" if configuration == "plain" else "no"
            manifest.append(f"traces/{name},{configuration},r{number},,,{baseline}")
    write(FOLDER / "labels.jsonl", sorted(labels, key=lambda row: (row["configuration"], row["run"])))
    (FOLDER / "runs.csv").write_text("\n".join(manifest) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
