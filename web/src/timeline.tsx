// One episode as a picture: steps across, a lane per span.
import { scaleLinear } from "d3-scale";
import { Chart, colourOf, glyph, words } from "./chart";
import { shortened } from "./overview";
import { visible } from "./text";
import type { EpisodePage, Entry, Span } from "./types";

const mostLanes = 60;

/** What an anchored step shows: the effect of an entry that was acted on, else how far its influence went. */
export function useOf(entry: Entry): string {
  if (entry.labels?.influence !== "acted_on") return entry.labels?.influence ?? "undetermined";
  return entry.labels.effect ?? "undetermined";
}

const isWeaker = (use: string) => use === "referenced" || use === "selected";

interface Anchor {
  step: number;
  use: string;
  entry: Entry;
}

function anchorsOf(span: Span): Anchor[] {
  return span.entries.flatMap((entry) =>
    (entry.labels?.anchors ?? []).map((step) => ({ step, use: useOf(entry), entry })));
}

function spanTip(span: Span): string {
  const form = span.deliveries[0]?.form ?? "";
  const lines = [
    `S${span.span}: ${words(span.verdict ?? span.status)}`,
    `${visible(form)}, ${span.deliveries.length} ${span.deliveries.length === 1 ? "delivery" : "deliveries"}`,
    `first read at step ${span.first_step}${span.last_step > span.first_step ? `, in the input until step ${span.last_step}` : ""}`,
  ];
  for (const anchor of anchorsOf(span)) lines.push(`step ${anchor.step}: E${anchor.entry.entry} ${isWeaker(anchor.use) ? "" : "acted on, "}${words(anchor.use)}`);
  return lines.join("\n");
}

export function Timeline(props: { page: EpisodePage; selected: number | undefined; onSpan: (span: number) => void;
                                  onStep: (step: number) => void }) {
  const { page, selected } = props;
  const steps = Math.max(1, Number(page.episode["steps"] ?? 1));
  const interesting = (span: Span) => (span.verdict && span.verdict !== "neutral" ? 0 : 1);
  const spans = page.spans.length <= mostLanes ? page.spans
    : [...page.spans].sort((a, b) => interesting(a) - interesting(b) || a.span - b.span).slice(0, mostLanes)
      .sort((a, b) => a.span - b.span);
  const [left, right, top, lane] = [150, 120, 34, 24];
  const inner = Math.max(420, Math.min(3200, steps * 18));
  const width = left + inner + right;
  const height = top + Math.max(1, spans.length) * lane + 34;
  const x = scaleLinear([0.5, steps + 0.5], [left, left + inner]);
  const bottom = top + Math.max(1, spans.length) * lane;
  const resolved = page.episode["resolved"];
  const outcome = resolved === true ? "✓ resolved" : resolved === false ? "✗ failed" : "? unknown";
  return (
    <Chart name={`timeline-${String(page.episode["episode"]).replace(/[^A-Za-z0-9._-]/g, "_").slice(0, 60)}`} title="Timeline" wide
           width={width} height={height} describe={`Timeline of ${steps} steps and ${page.spans.length} spans`}
           legend={
             <ul class="legend">
               <li><svg width="30" height="12" aria-hidden="true"><rect x="1" y="3" width="28" height="6" class="window" /></svg>credit window</li>
               <li><svg width="30" height="12" aria-hidden="true"><line x1="1" x2="29" y1="6" y2="6" class="visible-line" /></svg>in the input</li>
               <li><svg width="14" height="12" aria-hidden="true"><path d="M2 2h10l-5 8z" class="first" /></svg>first read</li>
               <li><svg width="14" height="12" aria-hidden="true"><circle cx="7" cy="6" r="3.5" class="again" /></svg>delivered again</li>
               {["improved", "harmed", "no_effect", "undetermined"].map((word) => (
                 <li key={word}><span class="swatch" data-word={word}>{glyph(word)}</span>acted on, {words(word)}</li>
               ))}
               <li><svg width="14" height="12" aria-hidden="true"><rect x="3" y="2" width="8" height="8" class="again" /></svg>referenced or selected</li>
             </ul>
           }
           {...(spans.length < page.spans.length
             ? { caption: `${spans.length} of ${page.spans.length} spans are drawn, those that were not neutral first; all are in the list below.` } : {})}>
      {x.ticks(Math.min(steps, Math.floor(inner / 46))).filter((step) => Number.isInteger(step) && step >= 1).map((step) => (
        <g key={step}>
          <line x1={x(step)} x2={x(step)} y1={top - 4} y2={bottom} class="grid" />
          <text x={x(step)} y={top - 10} text-anchor="middle" class="tick">{step}</text>
        </g>
      ))}
      <text x={left - 8} y={top - 10} text-anchor="end" class="tick">step</text>
      {spans.length === 0 && <text x={left + 8} y={top + 15} class="label faint">nothing was delivered</text>}
      {spans.map((span, i) => {
        const y = top + i * lane + lane / 2;
        const word = span.verdict ?? span.status;
        return (
          <g key={span.span} class={selected === span.span ? "lane selected" : "lane"} tabindex={0} role="button"
             aria-pressed={selected === span.span} data-tip={spanTip(span)} data-span={span.span}
             onClick={() => props.onSpan(span.span)}
             onKeyDown={(event) => {
               if (event.key !== "Enter" && event.key !== " ") return;
               event.preventDefault();
               props.onSpan(span.span);
             }}>
            <rect x={0} y={y - lane / 2} width={width} height={lane} class="lane-ground" />
            <text x={left - 8} y={y + 4} text-anchor="end" class="label">
              {shortened(`S${span.span} ${visible(span.deliveries[0]?.form ?? "")}`, 20)}
            </text>
            {span.entries.map((entry) => entry.window && (
              <rect key={entry.entry} x={x(entry.window[0] - 0.5)} y={y - 6} height={12} class="window"
                    width={x(entry.window[1] + 0.5) - x(entry.window[0] - 0.5)} />
            ))}
            <line x1={x(span.first_step)} x2={x(span.last_step)} y1={y} y2={y} class="visible-line" />
            {span.deliveries.map((delivery, d) => delivery.step !== null && (
              delivery.restatement
                ? <circle key={d} cx={x(delivery.step)} cy={y} r={3.2} class="again" />
                : <path key={d} d={`M${x(delivery.step) - 5} ${y - 8}h10l-5 8z`} class="first" />
            ))}
            {anchorsOf(span).map((anchor, a) => (isWeaker(anchor.use) ? (
              <rect key={a} x={x(anchor.step) - 4.5} y={y - 4.5} width={9} height={9} class="again" />
            ) : (
              <g key={a}>
                <circle cx={x(anchor.step)} cy={y} r={8} fill={colourOf(anchor.use)} class="anchor" />
                <text x={x(anchor.step)} y={y + 4} text-anchor="middle" class="anchor-text" data-word={anchor.use}>{glyph(anchor.use)}</text>
              </g>
            )))}
            <text x={left + inner + 10} y={y + 4} class="label verdict" data-word={word}>{glyph(word)} {words(word)}</text>
          </g>
        );
      })}
      <line x1={left} x2={left + inner} y1={bottom} y2={bottom} class="axis" />
      <text x={left + inner} y={bottom + 20} text-anchor="end" class="label">outcome: {outcome}</text>
    </Chart>
  );
}
