// Texts of traces and judges. Everything stands in text nodes; what could fool the eye is made visible.
import { useState } from "preact/hooks";
import type { Part, Parts } from "./types";

// Control characters but tab and line feed, bidirectional controls, and separators that browsers break lines at.
const hidden =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g;

export function visible(text: string): string {
  return text.replace(hidden, (c) => {
    const code = c.charCodeAt(0);
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
  });
}

/** A name on one line. */
export function Name({ text, empty = "—" }: { text: string | null | undefined; empty?: string }) {
  return <bdi>{text === null || text === undefined || text === "" ? empty : visible(text).replace(/[\n\t]/g, " ")}</bdi>;
}

export function plain(parts: Parts): string {
  return parts.map((part) => (typeof part === "string" ? part : "t" in part ? part.t : "")).join("");
}

const units = ["bytes", "kB", "MB", "GB"];
export function bytes(count: number): string {
  let unit = 0;
  while (count >= 1000 && unit + 1 < units.length) {
    count /= 1000;
    ++unit;
  }
  return `${unit === 0 ? count : count.toFixed(count < 10 ? 1 : 0)} ${units[unit]}`;
}

/** `begins`: spans of memory that the part before was not of. */
function MarkedPart({ part, on, begins }: { part: Exclude<Part, string>; on: MarkHandlers; begins: number[] }) {
  if ("cut" in part) {
    return <span class="cut" title="left out of this page">[… {bytes(part.cut)} left out …]</span>;
  }
  const spans = part.m ?? [];
  const quotes = part.q ?? [];
  const classes = [spans.length > 0 && "memory", begins.length > 0 && "begins", quotes.length > 0 && "quoted", part.v && "value"].filter(Boolean);
  const selected = on.span !== undefined && spans.includes(on.span);
  const content = (
    <mark class={`${classes.join(" ")}${selected ? " selected" : ""}`} data-q={quotes.length > 0 ? quotes.join(" ") : undefined}
          data-m={spans.length > 0 ? spans.join(" ") : undefined} tabindex={quotes.length > 0 ? -1 : undefined}>
      {visible(part.t)}
    </mark>
  );
  if (begins.length === 0) return content;
  return (
    <>
      {begins.map((span) => (
        <button key={span} class="tag" type="button" onClick={() => on.openSpan?.(span)}
                title={span === 0 ? "delivered, never in an input" : `memory of span S${span}`}>
          {span === 0 ? "unread" : `S${span}`}
        </button>
      ))}
      {content}
    </>
  );
}

export interface MarkHandlers {
  span?: number | undefined;
  openSpan?: (span: number) => void;
}

const folded = 6000;
const foldedMark = 20000;

/** A text with its marks; a very long one is folded until it is asked for or something in it is looked at. */
export function Text({ parts, on = {} }: { parts: Parts; on?: MarkHandlers }) {
  const [open, setOpen] = useState(false);
  let budget = open ? Infinity : folded;
  const out = [];
  let hiddenBytes = 0;
  let before: number[] = [];
  for (const [i, part] of parts.entries()) {
    const spans = typeof part !== "string" && "t" in part ? (part.m ?? []) : [];
    const begins = spans.filter((span) => !before.includes(span));
    before = spans;
    const length = typeof part === "string" ? part.length : "t" in part ? part.t.length : 0;
    const marked = typeof part !== "string" && "t" in part && (part.q || part.m);
    if (budget <= 0 && !marked) {
      hiddenBytes += length;
      continue;
    }
    if (typeof part !== "string" && "t" in part && part.t.length > foldedMark && !open) {
      out.push(<MarkedPart key={i} part={{ ...part, t: part.t.slice(0, foldedMark) }} on={on} begins={begins} />);
      hiddenBytes += part.t.length - foldedMark;
    } else if (typeof part !== "string") {
      out.push(<MarkedPart key={i} part={part} on={on} begins={begins} />);
    } else if (length > budget) {
      out.push(visible(part.slice(0, budget)));
      hiddenBytes += length - budget;
    } else {
      out.push(visible(part));
    }
    if (hiddenBytes > 0 && marked) out.push(" ");
    budget -= length;
  }
  return (
    <div class="text" dir="auto">
      {parts.length === 0 ? <span class="faint">(empty)</span> : out}
      {hiddenBytes > 0 && (
        <button type="button" class="more" onClick={() => setOpen(true)}>
          show {hiddenBytes.toLocaleString("en")} more characters
        </button>
      )}
    </div>
  );
}
