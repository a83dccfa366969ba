// Configurations side by side. Every number is a cell of a table of `memuse tables`.
import { scaleLinear } from "d3-scale";
import { lineRadial, curveLinearClosed } from "d3-shape";
import { useState } from "preact/hooks";
import { Chart, colourOf, effects, glyph, Legend, Marker, series, verdicts, words } from "./chart";
import type { Columns } from "./columns";
import { definition } from "./definitions";
import { link } from "./route";
import { cellOf, TableView, valueOf } from "./table";
import { Name, visible } from "./text";
import type { Cell, Study, Table } from "./types";

const axes = ["relevance", "corroboration", "information_gain", "acted_on", "benefit", "harm"];
const axisNames = ["Relevance", "Corroboration", "Information gain", "Acted on", "Benefit", "Harm"];
// 0.001 % … 100 % as in `memuse figures radar`.
const lowest = 1e-5;
const decades = [1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1];
const mostLines = 8;

const percent = (share: number) =>
  share === 0 ? "0 %" : `${share * 100 >= 1 ? Number((share * 100).toFixed(1)) : Number((share * 100).toPrecision(2))} %`;

function configurationsOf(table: Table | undefined): string[] {
  return table ? table.columns.slice(1).map((column) => column.key) : [];
}

function nameOfColumn(table: Table | undefined, key: string): string {
  return visible(table?.columns.find((column) => column.key === key)?.name ?? key);
}

function tip(table: Table | undefined, row: string, column: string, of: string): string {
  const cell = cellOf(table, row, column);
  const n = cellOf(table, of, column);
  return [
    `${nameOfColumn(table, column)}: ${words(row)} ${cell?.shown ?? "—"}${cell?.kind === "percent" ? " %" : ""}`,
    definition(table?.table ?? "", row),
    n && n.kind !== "missing" ? `n = ${n.shown} ${words(of)}` : "n = 0",
  ].filter(Boolean).join("\n");
}

function Radar({ profile, names }: { profile: Table; names: string[] }) {
  const [width, height, radius] = [470, 330, 112];
  const scale = scaleLinear([Math.log10(lowest), 0], [0, radius]);
  const at = (share: number) => scale(Math.log10(Math.max(share, lowest)));
  const angle = (axis: number) => (axis * 2 * Math.PI) / axes.length;
  const point = (axis: number, r: number): [number, number] => [r * Math.sin(angle(axis)), -r * Math.cos(angle(axis))];
  const assessed = axes.map((axis) => names.some((name) => valueOf(cellOf(profile, axis, name)) !== null));
  return (
    <Chart name="radar" title="Six axes, logarithmic" width={width} height={height}
           describe="Radar of the six axes, one line per configuration; the heatmap beside it has the numbers"
           legend={<Legend names={names.map((name) => nameOfColumn(profile, name) +
             (axes.every((axis) => valueOf(cellOf(profile, axis, name)) === null) ? " (no profiled span)" : ""))} />}
           caption="Mean entry share over profiled spans; rings from 0.001 % in the middle to 100 %. An axis that no judge assessed is dashed, and lines leave it out.">
      <g transform={`translate(${width / 2} ${height / 2 + 6})`}>
        {decades.map((share) => (
          <g key={share}>
            <circle r={at(share)} class="grid" />
            {share > lowest && (
              <text x={4} y={-at(share) + 11} class="tick">{percent(share)}</text>
            )}
          </g>
        ))}
        {axes.map((axis, i) => {
          const [x, y] = point(i, radius);
          const [tx, ty] = point(i, radius + (i === 0 ? 20 : 16));
          const anchor = Math.abs(tx) < 8 ? "middle" : tx > 0 ? "start" : "end";
          return (
            <g key={axis}>
              <line x2={x} y2={y} class="axis" stroke-dasharray={assessed[i] ? undefined : "2 4"} />
              <text x={tx} y={ty + 4} text-anchor={anchor} class={assessed[i] ? "label" : "label faint"} tabindex={0}
                    data-tip={`${axisNames[i]}\n${definition("profile", axis)}${assessed[i] ? "" : "\nNot assessed by this judge."}`}>
                {axisNames[i]}
              </text>
            </g>
          );
        })}
        {names.map((name, n) => {
          const look = series[n % series.length]!;
          const known = axes.map((axis, i) => ({ i, value: valueOf(cellOf(profile, axis, name)) }))
            .filter((one): one is { i: number; value: number } => one.value !== null);
          if (known.length === 0) return null;
          const path = lineRadial<{ i: number; value: number }>()
            .angle((one) => angle(one.i)).radius((one) => at(one.value)).curve(curveLinearClosed);
          return (
            <g key={name}>
              <path d={path(known) ?? ""} fill={look.colour} fill-opacity={0.07} stroke={look.colour} stroke-width={2}
                    stroke-dasharray={look.dash} />
              {known.map((one) => {
                const [x, y] = point(one.i, at(one.value));
                return (
                  <g key={one.i} tabindex={0} role="img" aria-label={tip(profile, axes[one.i]!, name, "profiled_spans")}
                     data-tip={tip(profile, axes[one.i]!, name, "profiled_spans")}>
                    <Marker kind={look.marker} x={x} y={y} colour={look.colour} />
                  </g>
                );
              })}
            </g>
          );
        })}
      </g>
    </Chart>
  );
}

function Heatmap({ profile, names }: { profile: Table; names: string[] }) {
  const [cellWidth, cellHeight, left, top] = [72, 30, 150, 66];
  const width = left + axes.length * cellWidth + 8;
  const height = top + names.length * cellHeight + 8;
  const shade = (value: number) => (Math.log10(Math.max(value, lowest)) - Math.log10(lowest)) / -Math.log10(lowest);
  return (
    <Chart name="heatmap" title="The same numbers" width={width} height={height} wide
           describe="Table of the six axes in percent for each configuration"
           caption="Mean entry share in percent. Darker is more; — was not assessed. Of harm, less is better.">
      {axes.map((axis, i) => (
        <text key={axis} class="label" transform={`translate(${left + (i + 0.5) * cellWidth - 4} ${top - 8}) rotate(-24)`}>
          {axisNames[i]}
        </text>
      ))}
      {names.map((name, row) => (
        <g key={name} transform={`translate(0 ${top + row * cellHeight})`}>
          <text x={left - 8} y={cellHeight / 2 + 4} text-anchor="end" class="label">
            {shortened(nameOfColumn(profile, name), 20)}
          </text>
          {axes.map((axis, i) => {
            const cell = cellOf(profile, axis, name);
            const value = valueOf(cell);
            const level = value === null ? 0 : Math.round(shade(value) * 4);
            return (
              <g key={axis} data-tip={tip(profile, axis, name, "profiled_spans")} tabindex={0} role="img"
                 aria-label={tip(profile, axis, name, "profiled_spans")} data-axis={axis} data-configuration={name}>
                <rect x={left + i * cellWidth + 1} y={1} width={cellWidth - 2} height={cellHeight - 2} rx={3}
                      class={value === null ? "heat none" : `heat ${axis === "harm" ? "bad" : "good"}-${level}`} />
                <text x={left + (i + 0.5) * cellWidth} y={cellHeight / 2 + 4} text-anchor="middle"
                      class={value === null ? "heat-text" : `heat-text on-${level}`}>
                  {cell?.shown ?? "—"}
                </text>
              </g>
            );
          })}
        </g>
      ))}
    </Chart>
  );
}

export function shortened(text: string, most: number): string {
  const letters = [...text];
  return letters.length <= most ? text : `${letters.slice(0, most - 1).join("")}…`;
}

interface Share {
  key: string;
  value: number;
  tip: string;
}

/** Bars of one hundred percent, with n beside them. */
function StackedBars(props: { name: string; title: string; describe: string; caption: string; keys: readonly string[];
                              rows: { name: string; n: string; shares: Share[] }[] }) {
  const [left, bar, right, height] = [140, 330, 84, 30];
  return (
    <Chart name={props.name} title={props.title} width={left + bar + right} height={props.rows.length * height + 12}
           describe={props.describe} caption={props.caption}
           legend={
             <ul class="legend">
               {props.keys.map((key) => (
                 <li key={key}><span class="swatch" data-word={key}>{glyph(key)}</span>{words(key)}</li>
               ))}
             </ul>
           }>
      {props.rows.map((row, i) => {
        let x = left;
        return (
          <g key={row.name} transform={`translate(0 ${i * height + 4})`}>
            <text x={left - 8} y={height / 2 + 2} text-anchor="end" class="label">{shortened(row.name, 19)}</text>
            {row.shares.length === 0 && <text x={left + 4} y={height / 2 + 2} class="label faint">—</text>}
            {row.shares.map((share) => {
              const width = share.value * bar;
              const from = x;
              x += width;
              return (
                <g key={share.key} tabindex={0} role="img" aria-label={share.tip} data-tip={share.tip}>
                  <rect x={from} y={2} width={width} height={height - 8} fill={colourOf(share.key)} class="segment" />
                  {width > 18 && (
                    <text x={from + width / 2} y={height / 2 + 2} text-anchor="middle" class="segment-text" data-word={share.key}>
                      {glyph(share.key)}{width > 52 ? ` ${percent(share.value)}` : ""}
                    </text>
                  )}
                </g>
              );
            })}
            <text x={left + bar + 8} y={height / 2 + 2} class="label">{row.n}</text>
          </g>
        );
      })}
    </Chart>
  );
}

function Triage({ units, names }: { units: Table; names: string[] }) {
  const rows = names.map((name) => {
    const n = (valueOf(cellOf(units, "judged", name)) ?? 0) + (valueOf(cellOf(units, "automatic_neutral", name)) ?? 0);
    const shares = verdicts.flatMap((verdict) => {
      const value = valueOf(cellOf(units, `${verdict}_share`, name));
      if (value === null || value === 0) return [];
      const count = cellOf(units, verdict, name)?.shown ?? "—";
      const text = `${nameOfColumn(units, name)}: ${verdict} ${percent(value)} (${count} of ${n} spans)\n${definition("units", verdict)}`;
      return [{ key: verdict, value, tip: text }];
    });
    return { name: nameOfColumn(units, name), n: `n = ${n}`, shares };
  });
  return (
    <StackedBars name="triage" title="What became of spans" describe="Shares of verdicts over judged and automatic spans"
                 caption="Verdicts over judged and automatic spans. Spans that are unresolved, not judged or empty are not among them; they are counted below."
                 keys={verdicts} rows={rows} />
  );
}

function Effects({ use, names }: { use: Table; names: string[] }) {
  const rows = names.map((name) => {
    const n = cellOf(use, "acted_on", name)?.shown ?? "—";
    const shares = effects.flatMap((effect) => {
      const value = valueOf(cellOf(use, `${effect}_share`, name));
      if (value === null || value === 0) return [];
      const text = `${nameOfColumn(use, name)}: ${words(effect)} ${percent(value)} of ${n} entries acted on\n${definition("use", `${effect}_share`)}`;
      return [{ key: effect, value, tip: text }];
    });
    return { name: nameOfColumn(use, name), n: `n = ${n}`, shares };
  });
  return (
    <StackedBars name="effects" title="What came of entries that were acted on"
                 describe="Shares of effects over entries that were acted on"
                 caption="Over entries acted on. Undetermined: the record does not settle the effect." keys={effects} rows={rows} />
  );
}

function Forms({ forms }: { forms: Table }) {
  const [width, height, left, bottom, top] = [430, 320, 52, 44, 12];
  const x = scaleLinear([0, 1], [left, width - 14]);
  const y = scaleLinear([0, 1], [height - bottom, top]);
  const column = (key: string) => forms.columns.findIndex((one) => one.key === key);
  const groups = [...new Set(forms.rows.map((row) => row.group ?? ""))];
  const points = forms.rows.flatMap((row) => {
    const at = (key: string): Cell | undefined => row.cells[column(key)];
    const [tokens, benefit] = [valueOf(at("token_share")), valueOf(at("beneficial_share"))];
    if (tokens === null || benefit === null) return [];
    const name = at("form")?.shown ?? row.key;
    const text = `${visible(row.group ?? "")}: ${visible(name)} (${at("route")?.shown})\n` +
      `${at("token_share")?.shown} % of the delivered tokens, ${at("beneficial_share")?.shown} % of the beneficial entries\n` +
      `n = ${at("deliveries")?.shown} deliveries, ${at("assessed")?.shown} entries assessed`;
    return [{ name, tokens, benefit, text, group: groups.indexOf(row.group ?? "") }];
  });
  const ticks = [0, 0.25, 0.5, 0.75, 1];
  return (
    <Chart name="forms" title="Token share against benefit, by delivery form" width={width} height={height}
           describe="Share of delivered tokens across, share of beneficial entries up, a point per delivery form"
           legend={<Legend names={groups.map(visible)} />}
           caption={points.length === 0 ? "No beneficial entry: nothing to draw. The table below has all forms."
             : "Above the diagonal a form brought more of the benefit than of the tokens. Forms without a share are in the table below."}>
      {ticks.map((share) => (
        <g key={share}>
          <line x1={x(share)} x2={x(share)} y1={y(0)} y2={y(1)} class="grid" />
          <line y1={y(share)} y2={y(share)} x1={x(0)} x2={x(1)} class="grid" />
          <text x={x(share)} y={y(0) + 15} text-anchor="middle" class="tick">{share * 100}</text>
          <text x={x(0) - 6} y={y(share) + 4} text-anchor="end" class="tick">{share * 100}</text>
        </g>
      ))}
      <line x1={x(0)} y1={y(0)} x2={x(1)} y2={y(1)} class="axis" stroke-dasharray="4 4" />
      <text x={(x(0) + x(1)) / 2} y={height - 8} text-anchor="middle" class="label">share of delivered tokens, %</text>
      <text transform={`translate(13 ${(y(0) + y(1)) / 2}) rotate(-90)`} text-anchor="middle" class="label">share of beneficial entries, %</text>
      {points.map((one, i) => {
        const look = series[one.group % series.length]!;
        const leftward = x(one.tokens) > width - 150;
        const above = y(one.benefit) > height - bottom - 14;
        return (
          <g key={i} tabindex={0} role="img" aria-label={one.text} data-tip={one.text}>
            <Marker kind={look.marker} x={x(one.tokens)} y={y(one.benefit)} size={5} colour={look.colour} />
            <text x={x(one.tokens) + (leftward ? -9 : 9)} y={y(one.benefit) + (above ? -8 : one.benefit > 0.95 ? 14 : 4)}
                  text-anchor={leftward ? "end" : "start"} class="tick">{shortened(visible(one.name), 22)}</text>
          </g>
        );
      })}
    </Chart>
  );
}

function Outcomes({ success }: { success: Table }) {
  const column = (key: string) => success.columns.findIndex((one) => one.key === key);
  const [left, bar, right, height] = [140, 250, 164, 30];
  return (
    <Chart name="outcomes" title="Resolve rate and cost" width={left + bar + right} height={success.rows.length * height + 34}
           describe="Resolve rate of each configuration, with its spread over runs, and its cost per episode"
           caption="Resolved % with the standard deviation over runs, and US dollars per episode. The table below has differences to the baseline with intervals.">
      {[0, 0.25, 0.5, 0.75, 1].map((share) => (
        <g key={share}>
          <line x1={left + share * bar} x2={left + share * bar} y1={4} y2={success.rows.length * height + 6} class="grid" />
          <text x={left + share * bar} y={success.rows.length * height + 22} text-anchor="middle" class="tick">{share * 100}</text>
        </g>
      ))}
      {success.rows.map((row, i) => {
        const resolved = row.cells[column("resolved")];
        const value = valueOf(resolved);
        const cost = row.cells[column("cost_per_episode")];
        const n = row.cells[column("episodes")]?.shown;
        const deviation = resolved?.deviation ?? 0;
        const name = visible(row.cells[0]?.shown ?? row.key);
        const text = `${name}: resolved ${resolved?.shown} %, ${cost?.shown} US dollars per episode\n` +
          `${definition("success", "resolved")}\nn = ${n} episodes`;
        return (
          <g key={row.key} transform={`translate(0 ${i * height + 4})`} tabindex={0} role="img" aria-label={text} data-tip={text}>
            <rect x={0} y={0} width={left + bar + right} height={height - 4} fill="transparent" />
            <text x={left - 8} y={height / 2 + 2} text-anchor="end" class="label">{shortened(name, 19)}</text>
            {value === null ? <text x={left + 4} y={height / 2 + 2} class="label faint">—</text> : (
              <>
                <rect x={left} y={4} width={value * bar} height={height - 12} fill="var(--accent)" fill-opacity={0.75} />
                {deviation > 0 && (
                  <path d={`M${left + Math.max(0, value - deviation) * bar} ${height / 2 - 2}H${left + Math.min(1, value + deviation) * bar}`}
                        stroke="var(--text)" stroke-width={1.5} />
                )}
              </>
            )}
            <text x={left + bar + 10} y={height / 2 + 2} class="label">
              {resolved?.shown} %{cost && cost.kind !== "missing" ? ` · $${cost.shown}` : ""}
            </text>
          </g>
        );
      })}
    </Chart>
  );
}

/** What no profile contains: said in words, so that it is not overlooked. */
function LeftOut({ units, names }: { units: Table; names: string[] }) {
  const keys = ["unresolved", "not_judged", "empty", "unconsumed", "attempts_set_aside"];
  return (
    <div class="left-out">
      <h3>Not in any profile</h3>
      <ul>
        {keys.map((key) => {
          const all = names.map((name) => ({ name, cell: cellOf(units, key, name) }));
          const total = all.reduce((sum, one) => sum + (valueOf(one.cell) ?? 0), 0);
          return (
            <li key={key} data-tip={definition("units", key)} tabindex={0}>
              <strong>{total.toLocaleString("en")}</strong> {words(key)}
              {total > 0 && names.length > 1 &&
                ` (${all.filter((one) => (valueOf(one.cell) ?? 0) > 0)
                  .map((one) => `${shortened(nameOfColumn(units, one.name), 24)} ${one.cell?.shown}`).join(", ")})`}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function Utilised({ episodes }: { episodes: Columns }) {
  const flags = episodes.numbers["utilised"];
  const configurations = episodes.named["configuration"];
  if (!flags || !configurations || flags.every((flag) => Number.isNaN(flag))) return null;
  const counts = configurations.names.map(() => [0, 0] as [number, number]);
  flags.forEach((flag, row) => {
    if (Number.isNaN(flag)) return;
    const count = counts[configurations.rows[row]!]!;
    count[0] += flag;
    count[1] += 1;
  });
  return (
    <div class="left-out">
      <h3>Memory utilised</h3>
      <p class="caption">Executed tool calls hold every gold value that memory was to supply (MERIT's flag), over episodes where that is known.</p>
      <ul>
        {configurations.names.map((name, i) => {
          const [used, all] = counts[i]!;
          return all > 0 && (
            <li key={name}><bdi>{visible(name)}</bdi>: <strong>{percent(used / all)}</strong> (n = {all} episodes)</li>
          );
        })}
      </ul>
    </div>
  );
}

export function Overview({ study, episodes }: { study: Study; episodes: Columns }) {
  const made = study.tables.made;
  const all = configurationsOf(made["profile"]);
  const [first, setFirst] = useState(0);
  const names = all.slice(first, first + mostLines);
  const profile = made["profile"];
  const success = made["success"];
  const runsAt = success?.columns.findIndex((column) => column.key === "runs") ?? -1;
  const runs = (success?.rows ?? []).reduce((sum, row) => sum + (valueOf(row.cells[runsAt]) ?? 0), 0);
  return (
    <>
      <h1>Overview</h1>
      <p class="lead">
        {all.length} {all.length === 1 ? "configuration" : "configurations"}, {runs} {runs === 1 ? "run" : "runs"},{" "}
        <a href={link("episodes")}>{episodes.count.toLocaleString("en")} episodes</a>.{" "}
        {study.judge === null ? "Nothing was judged yet: verdicts and axes are empty." : (
          <>Judge <a href={link("judge")}><Name text={study.judge} /></a>, rule set {study.rules}.</>
        )}
      </p>
      {all.length > mostLines && (
        <p>
          <label>Configurations drawn{" "}
            <select value={first} onChange={(event) => setFirst(Number(event.currentTarget.value))}>
              {Array.from({ length: Math.ceil(all.length / mostLines) }, (_, i) => (
                <option key={i} value={i * mostLines}>{i * mostLines + 1} to {Math.min(all.length, (i + 1) * mostLines)}</option>
              ))}
            </select>
          </label>{" "}of {all.length}; the tables have all.
        </p>
      )}
      <section aria-label="Profiles">
        <h2>Profiles</h2>
        <div class="charts">
          {profile && <Radar profile={profile} names={names} />}
          {profile && <Heatmap profile={profile} names={names} />}
        </div>
      </section>
      <section aria-label="Outcome">
        <h2>Outcome, verdicts, effects</h2>
        <div class="charts">
          {made["success"] && <Outcomes success={{ ...made["success"], rows: made["success"].rows.slice(first, first + mostLines) }} />}
          {made["units"] && <Triage units={made["units"]} names={names} />}
          {made["use"] && <Effects use={made["use"]} names={names} />}
          {made["forms"] && <Forms forms={made["forms"]} />}
        </div>
        <div class="charts">
          {made["units"] && <LeftOut units={made["units"]} names={all} />}
          <Utilised episodes={episodes} />
        </div>
      </section>
      <section aria-label="Tables">
        <h2>Tables</h2>
        <p class="caption">As <code>memuse tables</code> prints them. Rest on a number for its definition, its n and its exact value.</p>
        {Object.entries(made).map(([name, table]) => (
          <details key={name} open={name === "success"} id={`table-${name}`}>
            <summary>{name}: {visible(table.title)}</summary>
            <TableView table={table} />
          </details>
        ))}
        {Object.entries(study.tables.lacking).map(([name, why]) => (
          <p class="caption" key={name}>Table {name}: {visible(why)}</p>
        ))}
      </section>
    </>
  );
}
