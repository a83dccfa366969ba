// The objects of a report: docs/report-data.md.

export interface Cell {
  kind: "missing" | "text" | "count" | "number" | "percent";
  value: string | number | null;
  shown: string;
  deviation?: number;
  interval?: [number, number];
  note?: number;
}
export interface Row {
  key: string;
  group: string | null;
  cells: Cell[];
}
export interface Table {
  table: string;
  title: string;
  caption: string;
  notes: string[];
  columns: { key: string; name: string }[];
  rows: Row[];
}
export interface JudgementSet {
  id: number;
  judge: string;
  rules: string;
  accepted: number;
  unresolved: number;
  spans: number;
  sample: { size: number; seed: number; population: number; answered: number } | null;
  calls: number;
  input_tokens: number;
  cached_input_tokens: number;
  output_tokens: number;
  calls_without_tokens: number;
  cost_usd: number | null;
  calls_without_cost: number;
  returned_models: Record<string, number>;
  assesses_relevance: boolean;
  assesses_accuracy: boolean;
  effects_need_probe: boolean;
  settings: unknown;
}
export interface RefusedSpan {
  uid: string;
  configuration: string;
  run: string;
  episode: string;
  span: number;
  reason: string;
}
export interface Study {
  schema: string;
  program: string;
  rules: string;
  judge: string | null;
  set: number | null;
  sets: JudgementSet[];
  known_agreements: { with: string; entries: number; influence_kappa: number | null; effect_kappa: number | null }[];
  agreement: Table | null;
  refused: { count: number; listed: RefusedSpan[] };
  tables: { made: Record<string, Table>; lacking: Record<string, string> };
}
export interface RawColumns {
  count: number;
  uid?: string[];
  named: Record<string, { names: string[]; rows: number[] }>;
  numbers: Record<string, (number | null)[]>;
  block: (number | null)[] | null;
}

export type Part = string | { t: string; m?: number[]; q?: number[]; v?: number[] } | { cut: number };
export type Parts = Part[];

export interface Labels {
  relevance: boolean | null;
  accuracy: string | null;
  novelty: string | null;
  influence: string | null;
  effect: string | null;
  anchors: number[];
  judge: string;
}
export interface EntryPlace {
  span: number;
  entry: number;
  step: number;
  visible: boolean;
}
export interface Entry {
  entry: number;
  item: string | null;
  version: string | null;
  text: Parts;
  window: [number, number] | null;
  credit_owner: EntryPlace | null;
  labels: Labels | null;
  reason: string | null;
  quotes: number[];
  earlier_copies: EntryPlace[];
}
export interface Delivery {
  delivery: string;
  step: number | null;
  restatement: boolean;
  reason: string | null;
  route: string;
  form: string;
  entries: number;
  tokens: number;
  tokens_estimated: boolean;
}
export interface Judging {
  model: string | null;
  refused_answers: number;
  calls: number;
  input_tokens: number;
  cached_input_tokens: number;
  output_tokens: number;
  calls_without_tokens: number;
  shown: Record<string, [number, number][]>;
}
export interface Span {
  span: number;
  first_step: number;
  last_step: number;
  routing: string;
  status: string;
  verdict: string | null;
  rule: string | null;
  unresolved_reason: string | null;
  deliveries: Delivery[];
  placed: Parts | null;
  entries: Entry[];
  judging: Judging | null;
}
export interface Quote {
  span: number;
  entry: number;
  step: number | null;
  file: string | null;
  quote: string;
  value: string | null;
  supports: string;
  found: boolean;
}
export interface Rewritten {
  from: number;
  text: Parts;
}
export interface MessageLine {
  message: string;
  role: string;
  origin: string;
  first: number;
  end: number | null;
  transient?: boolean;
  text: Parts;
  rewritten?: Rewritten[];
}
export interface StepLine {
  step: number;
  response?: Parts;
  reasoning?: Parts;
  actions: { name: string; arguments: { name: string; text: Parts }[] }[];
  results: { message: string; text: Parts; rewritten?: Rewritten[] }[];
  input_tokens?: number;
  output_tokens?: number;
  cost_usd?: number;
  time?: string;
  model?: string;
}
export interface EpisodePage {
  episode: Record<string, string | number | boolean | null>;
  source_missing: string | null;
  task: Parts | null;
  spans: Span[];
  quotes: Quote[];
  unconsumed: Delivery[];
  searches: { search: string; query: Parts; step: number | null; completed: boolean; matched: number | null;
              returned: { item: string; score: number | null }[] }[] | null;
  operations: { op: string; item: string; version: string | null; text: Parts | null; after_step: number }[] | null;
  probe: { gold: string[]; stale: string[]; dependent: boolean | null; pre_satisfied: boolean | null;
           corruption: string | null } | null;
  transcript: (MessageLine | StepLine)[] | null;
}

export interface LineageEpisode {
  episode: string;
  uid: string;
  task: string;
  position: number | null;
  repository: string | null;
  resolved: boolean | null;
}
export interface LineageChange extends LineageEpisode {
  op: string;
  version: string | null;
  operation: string | null;
  after_step: number;
  source_steps: number[];
  from: string[];
}
export interface ItemPage {
  schema: string;
  configuration: string;
  run: string;
  store: string;
  item: string;
  judge: string | null;
  versions: {
    item: string;
    kin: string;
    version: string | null;
    text: string | null;
    made_by: LineageChange | null;
    parents: { version: string; item: string | null; index: number | null }[];
    replaced_by: number | null;
  }[];
  operations: LineageChange[];
  exposures: (LineageEpisode & {
    span: string;
    entry: number;
    version: string | null;
    version_index: number;
    route: string;
    form: string;
    search: string | null;
    deliveries: number;
    delivered_at: number[];
    window: [number, number] | null;
    status: string;
    verdict: string | null;
    labels: Labels | null;
    origin: { kind: string; identity: string; by_version: boolean; made_by: LineageChange | null; gap: number | null };
  })[];
  returned_by: (LineageEpisode & { search: string; step: number | null; rank: number; version: string | null;
                                   score: number | null })[];
}
