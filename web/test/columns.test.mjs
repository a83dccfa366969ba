// Filtering and sorting of the lists, against an obvious reference.
import assert from "node:assert/strict";
import { test } from "node:test";
import { build } from "esbuild";

async function load(entry) {
  const result = await build({
    entryPoints: [new URL(`../src/${entry}`, import.meta.url).pathname], bundle: true, write: false, format: "esm", target: "es2022",
  });
  return import(`data:text/javascript;base64,${Buffer.from(result.outputFiles[0].text).toString("base64")}`);
}

const { columns, filtered, sorted } = await load("columns.ts");
const { parseRoute, link } = await load("route.ts");

/** Numbers that look random and are the same every time. */
function generator(seed) {
  let state = seed;
  return (most) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state % most;
  };
}

function made(count) {
  const next = generator(7);
  const names = (word, most) => ({ names: Array.from({ length: most }, (_, i) => `${word}-${i}`), rows: Array.from({ length: count }, () => next(most)) });
  const numbers = (most) => Array.from({ length: count }, () => (next(9) === 0 ? null : next(most)));
  return {
    count,
    uid: Array.from({ length: count }, (_, i) => i.toString(16).padStart(32, "0")),
    named: { configuration: names("conf", 4), run: names("run", 5), episode: names("episode", count), repo: names("repo", 12) },
    numbers: { resolved: numbers(2), steps: numbers(80), harmful: numbers(3), mixed: numbers(2), beneficial: numbers(3), undetermined: numbers(2), unresolved: numbers(2) },
    block: null,
  };
}

test("the rows that pass are those that an obvious filter finds", () => {
  const raw = made(500);
  const all = columns(raw);
  const nameOf = (column, row) => raw.named[column].names[raw.named[column].rows[row]];
  const cases = [
    { text: "", equal: {}, number: {} },
    { text: "EPISODE-4 conf-1", equal: {}, number: {} },
    { text: "", equal: { configuration: "conf-2", run: "run-3" }, number: {} },
    { text: "repo-1", equal: {}, number: { resolved: "1", harmful: "some" } },
    { text: "", equal: {}, number: { resolved: "unknown" } },
    { text: "nothing like it", equal: {}, number: {} },
    { text: "", equal: { configuration: "no such" }, number: {} },
  ];
  for (const filter of cases) {
    const expected = [];
    for (let row = 0; row < raw.count; ++row) {
      const words = filter.text.toLowerCase().split(" ").filter(Boolean);
      const hit = words.every((word) => Object.keys(raw.named).some((column) => nameOf(column, row).includes(word)));
      const equal = Object.entries(filter.equal).every(([column, name]) => nameOf(column, row) === name);
      const number = Object.entries(filter.number).every(([column, wanted]) => {
        const value = raw.numbers[column][row];
        if (wanted === "unknown") return value === null;
        return wanted === "some" ? value !== null && value > 0 : value === Number(wanted);
      });
      if (hit && equal && number) expected.push(row);
    }
    assert.deepEqual([...filtered(all, filter)], expected);
  }
});

test("what is not known comes last, whichever way a column is sorted; equal rows keep their order", () => {
  const raw = made(300);
  const all = columns(raw);
  const everything = filtered(all, { text: "", equal: {}, number: {} });
  for (const descending of [false, true]) {
    const rows = [...sorted(all, everything, { key: "steps", descending })];
    const values = rows.map((row) => raw.numbers.steps[row]);
    const known = values.filter((value) => value !== null);
    assert.deepEqual(values.slice(0, known.length), [...known].sort((a, b) => (descending ? b - a : a - b)));
    assert.ok(values.slice(known.length).every((value) => value === null));
    for (let i = 1; i < rows.length; ++i) if (values[i] === values[i - 1]) assert.ok(rows[i] > rows[i - 1]);
  }
  assert.deepEqual([...sorted(all, everything, { key: "episode", descending: false })].slice(0, 3).map((row) => raw.named.episode.names[raw.named.episode.rows[row]]).sort(),
                   [...sorted(all, everything, { key: "episode", descending: false })].slice(0, 3).map((row) => raw.named.episode.names[raw.named.episode.rows[row]]));
});

test("harm comes first, then mixed, beneficial, undetermined, unresolved", () => {
  const raw = made(200);
  for (const column of Object.values(raw.numbers)) column.forEach((value, i) => { if (value === null) column[i] = 0; });
  const all = columns(raw);
  const rows = [...sorted(all, filtered(all, { text: "", equal: {}, number: {} }), { key: "interest", descending: false })];
  const key = (row) => ["harmful", "mixed", "beneficial", "undetermined", "unresolved"].map((name) => raw.numbers[name][row]);
  for (let i = 1; i < rows.length; ++i) {
    const [a, b] = [key(rows[i - 1]), key(rows[i])];
    const differs = a.findIndex((value, k) => value !== b[k]);
    assert.ok(differs < 0 ? rows[i - 1] < rows[i] : a[differs] > b[differs]);
  }
});

test("addresses hold any name and come back as they were", () => {
  const name = "a/b?c#d %25 é \u202e </script>";
  const route = parseRoute(link("item", ["conf", "run", name, name], { q: "x&y", empty: "" }));
  assert.equal(route.view, "item");
  assert.deepEqual(route.parts, ["conf", "run", name, name]);
  assert.equal(route.query.get("q"), "x&y");
  assert.equal(route.query.has("empty"), false);
  assert.equal(parseRoute("#/nowhere/x").view, "overview");
  assert.equal(parseRoute("").view, "overview");
  assert.deepEqual(parseRoute("#/episode/%E0%A4%A").parts, ["%E0%A4%A"]);
});

test("a hundred thousand rows are filtered and sorted", () => {
  const all = columns(made(100_000));
  // Once to warm up, as the first list of a visit does.
  sorted(all, filtered(all, { text: "episode", equal: {}, number: {} }), { key: "interest", descending: false });
  const begin = performance.now();
  const rows = sorted(all, filtered(all, { text: "episode-7 run-2", equal: {}, number: { harmful: "some" } }), { key: "interest", descending: false });
  const time = performance.now() - begin;
  console.log(`100,000 rows: ${time.toFixed(0)} ms for ${rows.length}`);
  assert.ok(rows.length > 0);
  if (process.env.MEMUSE_TIMES) assert.ok(time < 100, `${time} ms`);
});
