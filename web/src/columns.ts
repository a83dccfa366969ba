// The lists of a report as columns: filtering and sorting without an object per row.
import type { RawColumns } from "./types";

export interface NamedColumn {
  names: string[];
  /** The same in lower case, for searching. */
  lower: string[];
  rows: Uint32Array;
  /** Place of each name in alphabetical order. */
  order: Uint32Array;
}

export interface Columns {
  count: number;
  uid: string[];
  named: Record<string, NamedColumn>;
  /** NaN: not known. */
  numbers: Record<string, Float64Array>;
  block: (number | null)[] | null;
}

const collator = new Intl.Collator("en", { numeric: true });

export function columns(raw: RawColumns): Columns {
  const named: Record<string, NamedColumn> = {};
  for (const [name, column] of Object.entries(raw.named)) {
    const places = column.names.map((_, i) => i).sort((a, b) => collator.compare(column.names[a]!, column.names[b]!));
    const order = new Uint32Array(places.length);
    places.forEach((code, place) => (order[code] = place));
    named[name] = { names: column.names, lower: column.names.map((one) => one.toLowerCase()), rows: Uint32Array.from(column.rows), order };
  }
  const numbers: Record<string, Float64Array> = {};
  for (const [name, column] of Object.entries(raw.numbers)) {
    numbers[name] = Float64Array.from(column, (value) => (value === null ? NaN : value));
  }
  return { count: raw.count, uid: raw.uid ?? [], named, numbers, block: raw.block };
}

export function nameAt(all: Columns, column: string, row: number): string {
  const named = all.named[column];
  return named ? (named.names[named.rows[row]!] ?? "") : "";
}

export function numberAt(all: Columns, column: string, row: number): number {
  return all.numbers[column]?.[row] ?? NaN;
}

export interface Filter {
  /** Words that must all stand in one of the names of the row. */
  text: string;
  /** Named column → wanted name. */
  equal: Record<string, string>;
  /** Number column → wanted: "some" for above 0, "known"/"unknown", or a number. */
  number: Record<string, string>;
}

/** For each word, which names hold it. */
function holding(column: NamedColumn, word: string): Uint8Array {
  const hits = new Uint8Array(column.lower.length);
  for (let i = 0; i < hits.length; ++i) if (column.lower[i]!.includes(word)) hits[i] = 1;
  return hits;
}

function accepts(value: number, wanted: string): boolean {
  if (wanted === "some") return value > 0;
  if (wanted === "none") return value === 0;
  if (wanted === "unknown") return Number.isNaN(value);
  if (wanted === "known") return !Number.isNaN(value);
  return value === Number(wanted);
}

/** The rows that pass, ascending. */
export function filtered(all: Columns, filter: Filter): Uint32Array {
  const out = new Uint32Array(all.count);
  const words = filter.text.toLowerCase().split(/\s+/).filter((word) => word !== "");
  const named = Object.values(all.named);
  const hits = words.map((word) => named.map((column) => holding(column, word)));
  const equal: [Uint32Array, number][] = [];
  for (const [name, wanted] of Object.entries(filter.equal)) {
    const column = all.named[name];
    if (wanted !== "" && column) equal.push([column.rows, column.names.indexOf(wanted)]);
  }
  const number: [Float64Array, string][] = [];
  for (const [name, wanted] of Object.entries(filter.number)) {
    const column = all.numbers[name];
    if (wanted !== "" && column) number.push([column, wanted]);
  }
  // Plain loops: this runs for every row at every key stroke.
  const rowsOf = named.map((column) => column.rows);
  const passes = (row: number): boolean => {
    for (const [rows, code] of equal) if (rows[row] !== code) return false;
    for (const [values, wanted] of number) if (!accepts(values[row]!, wanted)) return false;
    for (const ofWord of hits) {
      let found = false;
      for (let i = 0; i < rowsOf.length && !found; ++i) found = ofWord[i]![rowsOf[i]![row]!] === 1;
      if (!found) return false;
    }
    return true;
  };
  let count = 0;
  for (let row = 0; row < all.count; ++row) if (passes(row)) out[count++] = row;
  return out.subarray(0, count);
}

export interface Sorting {
  key: string;
  descending: boolean;
}

/** Harm first: then mixed, beneficial, undetermined, unresolved; otherwise the order of the study. */
const interest = ["harmful", "mixed", "beneficial", "undetermined", "unresolved"];

export function sorted(all: Columns, rows: Uint32Array, sorting: Sorting): Uint32Array {
  const out = rows.slice();
  if (sorting.key === "study") return sorting.descending ? out.reverse() : out;
  const direction = sorting.descending ? -1 : 1;
  if (sorting.key === "interest") {
    const keys = interest.map((name) => all.numbers[name] ?? new Float64Array(all.count));
    return out.sort((a, b) => {
      for (const key of keys) {
        if (key[a] !== key[b]) return key[b]! - key[a]!;
      }
      return a - b;
    });
  }
  const named = all.named[sorting.key];
  if (named) return out.sort((a, b) => direction * (named.order[named.rows[a]!]! - named.order[named.rows[b]!]!) || a - b);
  const numbers = all.numbers[sorting.key];
  if (!numbers) return out;
  // What is not known comes last, whichever way the rest is sorted.
  return out.sort((a, b) => {
    const [x, y] = [numbers[a]!, numbers[b]!];
    if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(x)) - Number(Number.isNaN(y)) || a - b;
    return direction * (x - y) || a - b;
  });
}
