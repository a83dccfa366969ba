// What all charts share: their frame with a way to save them, and the looks of series, verdicts and effects.
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";

/** Colours that can be told apart with any colour vision (Okabe and Ito), as variables of the style sheet; every series
 *  has a dash pattern and a marker too. */
export const series = Array.from({ length: 8 }, (_, i) => ({
  colour: `var(--series-${i})`,
  dash: ["", "6 3", "2 3", "8 3 2 3", "1 3", "10 4", "4 2 1 2", "3 6"][i]!,
  marker: ["circle", "square", "diamond", "triangle", "down", "cross", "plus", "ring"][i]!,
}));

export function Marker({ kind, x, y, size = 4, colour }: { kind: string; x: number; y: number; size?: number; colour: string }) {
  const s = size;
  const paths: Record<string, string> = {
    circle: `M${-s} 0a${s} ${s} 0 1 0 ${2 * s} 0a${s} ${s} 0 1 0 ${-2 * s} 0`,
    ring: `M${-s} 0a${s} ${s} 0 1 0 ${2 * s} 0a${s} ${s} 0 1 0 ${-2 * s} 0`,
    square: `M${-s} ${-s}h${2 * s}v${2 * s}h${-2 * s}z`,
    diamond: `M0 ${-s * 1.3}L${s * 1.3} 0L0 ${s * 1.3}L${-s * 1.3} 0z`,
    triangle: `M0 ${-s * 1.2}L${s * 1.15} ${s}H${-s * 1.15}z`,
    down: `M0 ${s * 1.2}L${s * 1.15} ${-s}H${-s * 1.15}z`,
    cross: `M${-s} ${-s}L${s} ${s}M${s} ${-s}L${-s} ${s}`,
    plus: `M0 ${-s}V${s}M${-s} 0H${s}`,
  };
  const open = kind === "ring" || kind === "cross" || kind === "plus";
  return (
    <path d={paths[kind] ?? paths["circle"]} transform={`translate(${x} ${y})`} fill={open ? "none" : colour}
          stroke={open ? colour : "var(--surface)"} stroke-width={open ? 1.8 : 0.8} />
  );
}

export const verdicts = ["beneficial", "mixed", "harmful", "undetermined", "neutral"] as const;
export const effects = ["improved", "no_effect", "harmed", "undetermined"] as const;

const glyphs: Record<string, string> = {
  beneficial: "▲", improved: "▲", harmful: "▼", harmed: "▼", mixed: "◆", undetermined: "?", neutral: "·", no_effect: "■",
  unresolved: "!", not_judged: "…", empty: "○", automatic: "·",
};

export const glyph = (word: string) => glyphs[word] ?? "·";
export const colourOf = (word: string) => `var(--${word.replace(/_/g, "-")}, var(--muted))`;
export const words = (key: string) => key.replace(/_/g, " ");

/** A verdict, an effect or a status as a badge: sign, word and colour. */
export function Badge({ word }: { word: string }) {
  return (
    <span class="badge" data-word={word}>
      <span aria-hidden="true">{glyph(word)}</span> {words(word)}
    </span>
  );
}

const styled = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "opacity", "fill-opacity",
                "stroke-opacity", "font-family", "font-size", "font-weight", "text-anchor", "dominant-baseline"];

/** The picture with all that the style sheet gives it, on the page's background. */
export function standAlone(svg: SVGSVGElement): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const from = [svg, ...svg.querySelectorAll("*")];
  const to = [copy, ...copy.querySelectorAll("*")];
  from.forEach((element, i) => {
    const style = getComputedStyle(element);
    const target = to[i]!;
    for (const name of styled) target.setAttribute(name, style.getPropertyValue(name));
    for (const name of ["class", "style", "tabindex", "data-tip", "role", "href"]) target.removeAttribute(name);
  });
  const box = svg.viewBox.baseVal;
  const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const [name, value] of Object.entries({ x: box.x, y: box.y, width: box.width, height: box.height })) {
    ground.setAttribute(name, String(value));
  }
  ground.setAttribute("fill", getComputedStyle(document.body).backgroundColor);
  copy.insertBefore(ground, copy.firstChild);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", String(box.width));
  copy.setAttribute("height", String(box.height));
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(copy)}\n`;
}

export function save(name: string, text: string, type: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const anchor = document.createElement("a");
  anchor.href = address;
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

export function Chart(props: {
  name: string;
  title: string;
  width: number;
  height: number;
  describe: string;
  children: ComponentChildren;
  legend?: ComponentChildren;
  caption?: string;
  wide?: boolean;
}) {
  const svg = useRef<SVGSVGElement>(null);
  return (
    <figure class={props.wide ? "chart wide" : "chart"}>
      <figcaption>
        <strong>{props.title}</strong>
        <button type="button" class="quiet" onClick={() => svg.current && save(`${props.name}.svg`, standAlone(svg.current), "image/svg+xml")}
                aria-label={`Save SVG: ${props.title}`}>
          Save SVG
        </button>
      </figcaption>
      <div class="scroll" tabindex={props.wide ? 0 : undefined} role={props.wide ? "region" : undefined}
           aria-label={props.wide ? props.title : undefined}>
        <svg ref={svg} viewBox={`0 0 ${props.width} ${props.height}`} width={props.width} height={props.height}
             role="group" aria-label={props.describe}>
          {props.children}
        </svg>
      </div>
      {props.legend}
      {props.caption && <p class="caption">{props.caption}</p>}
    </figure>
  );
}

export function Legend({ names }: { names: string[] }) {
  return (
    <ul class="legend">
      {names.map((name, i) => {
        const look = series[i % series.length]!;
        return (
          <li key={name}>
            <svg width="34" height="12" aria-hidden="true">
              <line x1="1" x2="33" y1="6" y2="6" stroke={look.colour} stroke-width="2" stroke-dasharray={look.dash} />
              <Marker kind={look.marker} x={17} y={6} colour={look.colour} />
            </svg>
            <bdi>{name}</bdi>
          </li>
        );
      })}
    </ul>
  );
}
