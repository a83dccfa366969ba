// Memory items: the list, and the life of one of them.
import { scaleLinear } from "d3-scale";
import { useEffect, useMemo, useState } from "preact/hooks";
import { Badge, Chart, colourOf, glyph, words } from "./chart";
import { type Columns, filtered, nameAt, numberAt, sorted } from "./columns";
import type { Data } from "./data";
import { count, Outcome } from "./episodes";
import { List, type ListColumn } from "./list";
import { shortened } from "./overview";
import { episodeLink, itemLink, link, type Route } from "./route";
import { Name, Text, visible } from "./text";
import type { ItemPage, LineageEpisode } from "./types";

function itemColumns(all: Columns): ListColumn[] {
  const named = (key: string, title: string, width: string): ListColumn => ({ key, title, width, cell: (row) => <Name text={nameAt(all, key, row)} /> });
  const number = (key: string, title: string, tip: string): ListColumn => ({ key, title, width: "6rem", numeric: true, tip, cell: (row) => count(numberAt(all, key, row)) });
  return [
    named("item", "Item", "minmax(10rem, 2.4fr)"), named("configuration", "Configuration", "minmax(7rem, 1.2fr)"),
    named("run", "Run", "minmax(4rem, 0.8fr)"), named("store", "Store", "minmax(5rem, 0.8fr)"),
    number("episodes", "Episodes", "Episodes that it was delivered in"), number("deliveries", "Deliveries", "Deliveries of the spans that show it"),
    number("acted_on", "Acted on", "Spans in which it was acted on"), number("improved", "Improved", "… and improved the outcome"),
    number("harmed", "Harmed", "… and harmed"),
  ];
}

export function Items({ all, route }: { all: Columns; route: Route }) {
  const query = route.query;
  const address = query.toString();
  const sorting = { key: query.get("sort") ?? "harmed", descending: (query.get("down") ?? "1") === "1" };
  const rows = useMemo(
    () => sorted(all, filtered(all, { text: query.get("q") ?? "", equal: { configuration: query.get("configuration") ?? "" }, number: {} }), sorting),
    [all, address]);
  const columns = useMemo(() => itemColumns(all), [all]);
  const change = (changes: Record<string, string>) => {
    history.replaceState(null, "", link("items", [], { ...Object.fromEntries(query), ...changes }));
    window.dispatchEvent(new HashChangeEvent("hashchange"));
  };
  return (
    <>
      <h1>Memory items</h1>
      <form class="filters" onSubmit={(event) => event.preventDefault()} role="search" aria-label="Filter items">
        <label class="grow"><span>Search</span>
          <input id="search" type="search" placeholder="item, configuration, run …" value={query.get("q") ?? ""} onInput={(event) => change({ q: event.currentTarget.value })} />
        </label>
        <label><span>Configuration</span>
          <select value={query.get("configuration") ?? ""} onChange={(event) => change({ configuration: event.currentTarget.value })}>
            <option value="">all</option>
            {(all.named["configuration"]?.names ?? []).map((name) => <option key={name} value={name}>{visible(name)}</option>)}
          </select>
        </label>
      </form>
      <p class="caption" role="status">{rows.length.toLocaleString("en")} of {all.count.toLocaleString("en")} items that were delivered.</p>
      {rows.length === 0 ? <p class="empty">{all.count === 0 ? "No delivered entry names an item." : "No item fits."}</p> : (
        <List label="Memory items" rows={rows} columns={columns} sorting={sorting}
              onSort={(key) => change({ sort: key, down: sorting.key === key && sorting.descending ? "0" : "1" })}
              href={(row) => itemLink(nameAt(all, "configuration", row), nameAt(all, "run", row), nameAt(all, "store", row), nameAt(all, "item", row))} />
      )}
    </>
  );
}

const versionName = (index: number) => `V${index + 1}`;

/** Versions as lanes over the episodes of the run: made where, from what, delivered where, to what effect. */
function LineageGraph({ page }: { page: ItemPage }) {
  const places = useMemo(() => {
    const all = new Map<string, LineageEpisode>();
    for (const version of page.versions) if (version.made_by) all.set(version.made_by.uid, version.made_by);
    for (const one of [...page.operations, ...page.exposures, ...page.returned_by]) all.set(one.uid, one);
    const episodes = [...all.values()].sort((a, b) => (a.position ?? Infinity) - (b.position ?? Infinity) || a.episode.localeCompare(b.episode));
    return { episodes, at: new Map(episodes.map((one, i) => [one.uid, i])) };
  }, [page]);
  const [left, lane, top] = [170, 40, 20];
  const step = Math.max(34, Math.min(90, 760 / Math.max(1, places.episodes.length)));
  const inner = Math.min(3200, Math.max(320, step * places.episodes.length));
  const width = left + inner + 24;
  const bottom = top + page.versions.length * lane;
  const height = bottom + 74;
  const x = scaleLinear([-0.5, Math.max(0.5, places.episodes.length - 0.5)], [left, left + inner]);
  const xOf = (uid: string) => x(places.at.get(uid) ?? 0);
  const yOf = (version: number) => top + version * lane + lane / 2;
  const every = Math.ceil((places.episodes.length * 26) / inner);
  return (
    <Chart name={`lineage-${page.item.replace(/[^A-Za-z0-9._-]/g, "_").slice(0, 60)}`} title="Lineage" wide width={width} height={height}
           describe={`Lineage: ${page.versions.length} versions over ${places.episodes.length} episodes`}
           legend={
             <ul class="legend">
               <li><svg width="14" height="12" aria-hidden="true"><rect x="2" y="2" width="9" height="9" class="made" /></svg>made here</li>
               <li><svg width="30" height="12" aria-hidden="true"><line x1="1" x2="29" y1="6" y2="6" class="made-from" /></svg>made from</li>
               {["improved", "harmed", "no_effect", "undetermined"].map((word) => (
                 <li key={word}><span class="swatch" data-word={word}>{glyph(word)}</span>acted on, {words(word)}</li>
               ))}
               <li><svg width="14" height="12" aria-hidden="true"><circle cx="7" cy="6" r="3.5" class="again" /></svg>delivered, not acted on</li>
             </ul>
           }>
      {places.episodes.map((episode, i) => (
        <g key={episode.uid}>
          <line x1={x(i)} x2={x(i)} y1={top} y2={bottom} class="grid" />
          {i % every === 0 && (
            <text class="tick" text-anchor="end" transform={`translate(${x(i) + 3} ${bottom + 12}) rotate(-38)`}>
              {episode.position !== null ? `${episode.position} ` : ""}{shortened(visible(episode.episode), 12)}
            </text>
          )}
        </g>
      ))}
      {page.versions.map((version, i) => {
        const name = `${versionName(i)} ${visible(version.version ?? "")}${version.kin === "own" ? "" : ` (${version.kin})`}`;
        return (
          <g key={i}>
            <text x={left - 10} y={yOf(i) + 4} text-anchor="end" class="label">{shortened(name, 24)}</text>
            <line x1={left} x2={left + inner} y1={yOf(i)} y2={yOf(i)} class="axis faint" />
            {version.made_by && version.parents.map((parent, p) => {
              if (parent.index === null) return null;
              const from = page.versions[parent.index]?.made_by;
              return <path key={p} class="made-from" fill="none"
                           d={`M${from ? xOf(from.uid) : left} ${yOf(parent.index)}C${xOf(version.made_by!.uid)} ${yOf(parent.index)} ${xOf(version.made_by!.uid)} ${yOf(i)} ${xOf(version.made_by!.uid)} ${yOf(i)}`} />;
            })}
            {version.made_by && (
              <rect x={xOf(version.made_by.uid) - 6} y={yOf(i) - 6} width={12} height={12} class="made" tabindex={0} role="img"
                    aria-label={`${name}: ${version.made_by.op} in ${visible(version.made_by.episode)}`}
                    data-tip={`${name}\n${version.made_by.op} in ${visible(version.made_by.episode)}, after step ${version.made_by.after_step}`} />
            )}
          </g>
        );
      })}
      {page.exposures.map((exposure, i) => {
        const acted = exposure.labels?.influence === "acted_on";
        const word = acted ? (exposure.labels?.effect ?? "undetermined") : null;
        const offset = (i % 3) * 5 - 5 + 12;
        const [cx, cy] = [xOf(exposure.uid) + offset, yOf(exposure.version_index)];
        const text = `${visible(exposure.episode)} ${exposure.span} E${exposure.entry}\n${word ? `acted on, ${words(word)}` : words(exposure.labels?.influence ?? exposure.status)}`;
        return (
          <a key={i} href={episodeLink(exposure.uid, Number(exposure.span.slice(1)))} aria-label={text} data-tip={text}>
            {word ? (
              <>
                <circle cx={cx} cy={cy} r={8} fill={colourOf(word)} class="anchor" />
                <text x={cx} y={cy + 4} text-anchor="middle" class="anchor-text" data-word={word}>{glyph(word)}</text>
              </>
            ) : <circle cx={cx} cy={cy} r={4} class="again" />}
          </a>
        );
      })}
    </Chart>
  );
}

function EpisodeCell({ one }: { one: LineageEpisode }) {
  return <><a href={episodeLink(one.uid)}><Name text={one.episode} /></a>{one.position !== null && <span class="faint"> no. {one.position}</span>}</>;
}

function originText(exposure: ItemPage["exposures"][number]): string {
  const origin = exposure.origin;
  if (!origin.made_by) return words(origin.kind);
  return `${words(origin.kind)}: ${visible(origin.made_by.episode)}${origin.gap !== null && origin.gap > 0 ? `, ${origin.gap} ${origin.gap === 1 ? "task" : "tasks"} before` : ""}`;
}

export function ItemView({ data, all, route }: { data: Data; all: Columns; route: Route }) {
  const [configuration = "", run = "", store = "", item = ""] = route.parts;
  const [page, setPage] = useState<ItemPage | null | undefined>(undefined);
  const [fault, setFault] = useState("");
  const row = useMemo(() => {
    for (let i = 0; i < all.count; ++i) {
      if (nameAt(all, "item", i) === item && nameAt(all, "configuration", i) === configuration && nameAt(all, "run", i) === run &&
          nameAt(all, "store", i) === store) return i;
    }
    return -1;
  }, [all, configuration, run, store, item]);
  useEffect(() => {
    let current = true;
    setPage(undefined);
    setFault("");
    data.item({ configuration, run, store, item }, all.block?.[row] ?? null).then(
      (found) => current && setPage(found),
      (error: unknown) => current && setFault(error instanceof Error ? error.message : String(error)));
    return () => { current = false; };
  }, [data, row, configuration, run, store, item]);
  return (
    <>
      <nav class="crumbs" aria-label="Items"><a href={link("items")}>Memory items</a></nav>
      <h1><Name text={item} /></h1>
      <p class="lead">Configuration <Name text={configuration} />, run <Name text={run} />, store <Name text={store} />.</p>
      {fault !== "" && <p class="warning" role="alert">This item cannot be shown: {visible(fault)}</p>}
      {page === undefined && fault === "" && <p class="empty" role="status">Loading …</p>}
      {page === null && <p class="warning">The lineage of this item is not in this file{row >= 0 ? ", which was kept small (`--items`, `--max-mb`)" : ""}; <code>memuse view</code> and <code>memuse show item</code> have it.</p>}
      {page && (
        <>
          <LineageGraph page={page} />
          <h2>Versions</h2>
          {page.versions.map((version, i) => (
            <article class="entry" key={i}>
              <header>
                <strong>{versionName(i)}</strong> <Name text={version.version} empty="" />
                {version.kin !== "own" && <span class="faint"> {version.kin}: <a href={itemLink(configuration, run, store, version.item)}><Name text={version.item} /></a></span>}
                <span class="faint">
                  {" · "}
                  {version.made_by ? <>{version.made_by.op} in <EpisodeCell one={version.made_by} />, after step {version.made_by.after_step} <Outcome resolved={version.made_by.resolved} /></>
                    : "nothing recorded says where it came from"}
                  {version.parents.length > 0 && ` · from ${version.parents.map((parent) => (parent.index !== null ? versionName(parent.index) : visible(parent.version))).join(", ")}`}
                  {version.replaced_by !== null && ` · replaced by ${versionName(version.replaced_by)}`}
                </span>
              </header>
              {version.text !== null && <Text parts={[version.text]} />}
            </article>
          ))}
          <h2>Deliveries</h2>
          {page.exposures.length === 0 ? <p class="empty">It was never delivered.</p> : (
            <div class="scroll" tabindex={0} role="region" aria-label="Deliveries">
              <table>
                <thead><tr><th scope="col">Episode</th><th scope="col">Outcome</th><th scope="col">Span</th><th scope="col">Version</th><th scope="col">Form</th><th scope="col">At steps</th><th scope="col">Verdict of the span</th><th scope="col">Influence</th><th scope="col">Effect</th><th scope="col">Made</th></tr></thead>
                <tbody>
                  {page.exposures.map((exposure, i) => (
                    <tr key={i}>
                      <th scope="row"><EpisodeCell one={exposure} /></th>
                      <td><Outcome resolved={exposure.resolved} /></td>
                      <td><a href={episodeLink(exposure.uid, Number(exposure.span.slice(1)))}>{exposure.span} E{exposure.entry}</a></td>
                      <td>{versionName(exposure.version_index)}</td>
                      <td><Name text={exposure.form} /></td>
                      <td>{exposure.delivered_at.join(", ")}</td>
                      <td><Badge word={exposure.verdict ?? exposure.status} /></td>
                      <td>{words(exposure.labels?.influence ?? "—")}</td>
                      <td>{exposure.labels?.effect ? <Badge word={exposure.labels.effect} /> : "—"}</td>
                      <td>{originText(exposure)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )}
          {page.operations.length > 0 && (
            <>
              <h2>Operations</h2>
              <ul>
                {page.operations.map((operation, i) => (
                  <li key={i}><strong>{operation.op}</strong> <Name text={operation.version} empty="" /> in <EpisodeCell one={operation} /> after step {operation.after_step}</li>
                ))}
              </ul>
            </>
          )}
          {page.returned_by.length > 0 && (
            <>
              <h2>Searches that returned it</h2>
              <ul>
                {page.returned_by.map((one, i) => (
                  <li key={i}><EpisodeCell one={one} />, search <Name text={one.search} />{one.step !== null && ` for step ${one.step}`}, rank {one.rank + 1}{one.score !== null && `, score ${one.score}`}</li>
                ))}
              </ul>
            </>
          )}
        </>
      )}
    </>
  );
}
