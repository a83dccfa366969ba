// The list of episodes: searched, filtered, sorted; the address keeps all of it.
import { useLayoutEffect, useMemo } from "preact/hooks";
import { Badge, glyph } from "./chart";
import { type Columns, filtered, nameAt, numberAt, sorted } from "./columns";
import { List, type ListColumn } from "./list";
import { episodeLink, link, type Route } from "./route";
import { focusWantedSearch } from "./search_focus";
import { Name, visible } from "./text";

const verdictKeys = ["harmful", "mixed", "beneficial", "undetermined", "neutral", "unresolved", "not_judged"];
const namedFilters: [string, string][] = [
  ["configuration", "Configuration"], ["run", "Run"], ["repo", "Repository"], ["model", "Model"],
  ["delivery_grade", "Deliveries known"], ["visibility", "Input known"],
];

export function count(value: number): string {
  return Number.isNaN(value) ? "—" : value.toLocaleString("en");
}

export function Outcome({ resolved }: { resolved: number | boolean | null }) {
  if (resolved === null || Number.isNaN(resolved as number)) return <span class="outcome unknown">? unknown</span>;
  return resolved ? <span class="outcome yes">✓ resolved</span> : <span class="outcome no">✗ failed</span>;
}

function Verdicts({ all, row }: { all: Columns; row: number }) {
  const there = verdictKeys.filter((key) => numberAt(all, key, row) > 0);
  if (there.length === 0) return <span class="faint">—</span>;
  return (
    <>
      {there.map((key) => (
        <span key={key} class="badge small" data-word={key} title={`${numberAt(all, key, row)} ${key.replace("_", " ")}`}>
          <span aria-hidden="true">{glyph(key)}</span> {numberAt(all, key, row)}
          <span class="hidden"> {key.replace("_", " ")}</span>
        </span>
      ))}
    </>
  );
}

function columnsOf(all: Columns): ListColumn[] {
  const named = (key: string, title: string, width: string): ListColumn => ({
    key, title, width, cell: (row) => <Name text={nameAt(all, key, row)} />,
  });
  const number = (key: string, title: string, width: string, tip?: string): ListColumn => ({
    key, title, width, numeric: true, cell: (row) => count(numberAt(all, key, row)), ...(tip ? { tip } : {}),
  });
  return [
    named("episode", "Episode", "minmax(10rem, 2.2fr)"),
    named("configuration", "Configuration", "minmax(7rem, 1.2fr)"),
    named("run", "Run", "minmax(4rem, 0.7fr)"),
    named("repo", "Repository", "minmax(6rem, 1fr)"),
    number("position", "Task no.", "4.6rem", "Position of the task in its run"),
    { key: "resolved", title: "Outcome", width: "7.4rem", cell: (row) => <Outcome resolved={numberAt(all, "resolved", row)} /> },
    { key: "interest", title: "Verdicts of spans", width: "minmax(9rem, 1.4fr)",
      tip: "Sorted by harm first, then mixed, beneficial, undetermined, unresolved", cell: (row) => <Verdicts all={all} row={row} /> },
    number("steps", "Steps", "4rem"),
    number("deliveries", "Deliv.", "4.2rem", "Deliveries that an input showed, restatements included"),
    number("tokens", "Tokens", "5.4rem", "Input and output tokens of the agent; — when some call's are not known"),
    { key: "cost_usd", title: "Cost $", width: "5rem", numeric: true, tip: "US dollars of agent and memory system; — when some call's cost is not known",
      cell: (row) => { const cost = numberAt(all, "cost_usd", row); return Number.isNaN(cost) ? "—" : cost.toFixed(cost < 0.1 ? 4 : 2); } },
  ];
}

/** Rows as the address asks for them. */
export function rowsOf(all: Columns, query: URLSearchParams): Uint32Array {
  const equal: Record<string, string> = {};
  for (const [key] of namedFilters) equal[key] = query.get(key) ?? "";
  const number: Record<string, string> = { resolved: "", retained: "" };
  const outcome = query.get("outcome") ?? "";
  if (outcome !== "") number["resolved"] = outcome === "resolved" ? "1" : outcome === "failed" ? "0" : "unknown";
  const verdict = query.get("verdict") ?? "";
  if (verdict !== "") number[verdict] = "some";
  const memory = query.get("memory") ?? "";
  if (memory !== "") number["deliveries"] = memory === "with" ? "some" : "none";
  const rows = filtered(all, { text: query.get("q") ?? "", equal, number });
  const key = query.get("sort") ?? "interest";
  return sorted(all, rows, { key, descending: query.get("down") === "1" });
}

export function Episodes({ all, route }: { all: Columns; route: Route }) {
  const query = route.query;
  const address = query.toString();
  const rows = useMemo(() => rowsOf(all, new URLSearchParams(address)), [all, address]);
  const columns = useMemo(() => columnsOf(all), [all]);
  useLayoutEffect(focusWantedSearch, []);
  const sorting = { key: query.get("sort") ?? "interest", descending: query.get("down") === "1" };

  const change = (changes: Record<string, string>) => {
    const next = Object.fromEntries(query);
    history.replaceState(null, "", link("episodes", [], { ...next, ...changes }));
    window.dispatchEvent(new HashChangeEvent("hashchange"));
  };
  const onSort = (key: string) =>
    change({ sort: key, down: sorting.key === key && !sorting.descending ? "1" : "" });
  const chosen = (key: string, title: string, options: [string, string][]) => (
    <label key={key}>
      <span>{title}</span>
      <select value={query.get(key) ?? ""} onChange={(event) => change({ [key]: event.currentTarget.value })}>
        <option value="">all</option>
        {options.map(([value, text]) => <option key={value} value={value}>{text}</option>)}
      </select>
    </label>
  );
  const active = [...query.keys()].some((key) => key !== "sort" && key !== "down");
  return (
    <>
      <h1>Episodes</h1>
      <form class="filters" onSubmit={(event) => event.preventDefault()} role="search" aria-label="Filter episodes">
        <label class="grow">
          <span>Search</span>
          <input id="search" type="search" placeholder="episode, task, repository, run …" value={query.get("q") ?? ""}
                 onInput={(event) => change({ q: event.currentTarget.value })} />
        </label>
        {namedFilters.map(([key, title]) => {
          const names = (all.named[key]?.names ?? []).filter((name) => name !== "");
          if (names.length < 2) return null;
          const order = [...names].sort((a, b) => a.localeCompare(b, "en", { numeric: true })).slice(0, 2000);
          return chosen(key, title, order.map((name) => [name, visible(name)]));
        })}
        {chosen("outcome", "Outcome", [["resolved", "resolved"], ["failed", "failed"], ["unknown", "unknown"]])}
        {chosen("verdict", "With a span that is", verdictKeys.map((key) => [key, key.replace("_", " ")]))}
        {chosen("memory", "Deliveries", [["with", "some"], ["without", "none"]])}
        {active && <button type="button" onClick={() => { location.hash = link("episodes"); }}>Clear</button>}
      </form>
      <p class="caption" role="status">
        {rows.length.toLocaleString("en")} of {all.count.toLocaleString("en")} episodes
        {sorting.key === "interest" ? ", harm first" : ""}.{" "}
        {sorting.key !== "interest" && <button type="button" class="link" onClick={() => change({ sort: "", down: "" })}>harm first</button>}
      </p>
      {rows.length === 0 ? <p class="empty">No episode fits. Change or clear the filters.</p> : (
        <List label="Episodes" rows={rows} columns={columns} sorting={sorting} onSort={onSort}
              href={(row) => episodeLink(all.uid[row] ?? "")} />
      )}
      <p class="legend-line">
        {verdictKeys.map((key) => <Badge key={key} word={key} />)}
      </p>
    </>
  );
}
