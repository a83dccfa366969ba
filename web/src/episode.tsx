// One episode: timeline, spans with all that speaks for their verdicts, transcript.
import { useEffect, useLayoutEffect, useMemo, useState } from "preact/hooks";
import { Badge, words } from "./chart";
import { type Columns, numberAt } from "./columns";
import type { Data } from "./data";
import { Outcome, rowsOf } from "./episodes";
import { episodeLink, itemLink, link, type Route } from "./route";
import { bytes, type MarkHandlers, Name, plain, Text, visible } from "./text";
import { Timeline } from "./timeline";
import { Transcript } from "./transcript";
import type { Entry, EpisodePage, Judging, Labels, Parts, Quote, Span } from "./types";

const signalWords: [keyof Labels, string][] = [
  ["relevance", "relevance"], ["accuracy", "accuracy"], ["novelty", "novelty"], ["influence", "influence"], ["effect", "effect"],
];

function labelText(value: unknown): string {
  if (value === null || value === undefined) return "—";
  if (value === true) return "relevant";
  if (value === false) return "not relevant";
  return words(String(value));
}

/** Goes to a quote in the transcript and marks it for a moment. */
function showQuote(number: number): void {
  const target = document.querySelector<HTMLElement>(`.transcript [data-q~="${number}"]`);
  if (!target) return;
  for (let at: HTMLElement | null = target; at; at = at.parentElement) {
    if (at instanceof HTMLDetailsElement) at.open = true;
  }
  document.querySelectorAll(".found").forEach((one) => one.classList.remove("found"));
  document.querySelectorAll(`.transcript [data-q~="${number}"]`).forEach((one) => one.classList.add("found"));
  target.scrollIntoView({ block: "center", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  target.focus({ preventScroll: true });
}

export function showStep(step: number): void {
  document.getElementById(`step-${step}`)?.scrollIntoView({ block: "start" });
}

function QuoteLine({ number, quote }: { number: number; quote: Quote }) {
  const place = quote.file !== null ? visible(quote.file) : quote.step === 0 ? "the task" : `step ${quote.step}`;
  const cut = quote.value && quote.quote.includes(quote.value) ? quote.quote.indexOf(quote.value) : -1;
  return (
    <li>
      <span class="faint">{words(visible(quote.supports))}, {place}: </span>
      <q dir="auto">
        {cut < 0 ? visible(quote.quote) : (
          <>
            {visible(quote.quote.slice(0, cut))}
            <mark class="quoted value">{visible(quote.value!)}</mark>
            {visible(quote.quote.slice(cut + quote.value!.length))}
          </>
        )}
      </q>{" "}
      {quote.found ? (
        <button type="button" class="link" onClick={() => showQuote(number)}>show the line</button>
      ) : (
        <span class="faint">(not in the transcript of this page)</span>
      )}
    </li>
  );
}

function EntryView({ page, entry, span }: { page: EpisodePage; entry: Entry; span: Span }) {
  const episode = page.episode;
  const item = entry.item !== null && itemLink(String(episode["configuration"]), String(episode["run"]), String(episode["store"]), entry.item);
  return (
    <article class="entry" aria-label={`Entry ${entry.entry} of span ${span.span}`}>
      <header>
        <strong>E{entry.entry}</strong>{" "}
        {item ? <a href={item}><Name text={entry.item} /></a> : <span class="faint">no item id</span>}
        {entry.version !== null && <span class="faint"> version <Name text={entry.version} /></span>}
        <span class="faint">
          {" · "}
          {entry.window ? `credit window: steps ${entry.window[0]}–${entry.window[1]}`
            : entry.credit_owner ? `no credit window of its own: that of S${entry.credit_owner.span} E${entry.credit_owner.entry} is open`
            : "no credit window"}
        </span>
      </header>
      <Text parts={entry.text} />
      {entry.labels ? (
        <dl class="labels">
          {signalWords.map(([key, title]) => (
            <div key={key}>
              <dt>{title}</dt>
              <dd data-word={String(entry.labels![key] ?? "")}>{labelText(entry.labels![key])}</dd>
            </div>
          ))}
          {entry.labels.anchors.length > 0 && (
            <div>
              <dt>at step</dt>
              <dd>
                {entry.labels.anchors.map((step) => (
                  <button key={step} type="button" class="link" onClick={() => showStep(step)}>{step}</button>
                ))}
              </dd>
            </div>
          )}
        </dl>
      ) : <p class="faint">No labels: {span.status === "unresolved" ? "every answer was refused" : words(span.status)}.</p>}
      {entry.reason && <p class="reason" dir="auto">{visible(entry.reason)}</p>}
      {entry.quotes.length > 0 && (
        <ul class="quotes">
          {entry.quotes.map((number) => <QuoteLine key={number} number={number} quote={page.quotes[number]!} />)}
        </ul>
      )}
      {entry.earlier_copies.length > 0 && (
        <p class="faint">
          Shown before:{" "}
          {entry.earlier_copies.map((copy, i) => (
            <span key={i}>{i > 0 && ", "}<a href={episodeLink(String(episode["uid"]), copy.span)}>S{copy.span} E{copy.entry}</a> at step {copy.step}{copy.visible ? " (still in the input)" : ""}</span>
          ))}
        </p>
      )}
    </article>
  );
}

function Ledger({ judging }: { judging: Judging }) {
  const files = Object.entries(judging.shown);
  return (
    <details>
      <summary>What the judge read: {files.length} evidence {files.length === 1 ? "file" : "files"}, {judging.calls} calls</summary>
      <p class="faint">
        model {judging.model ? visible(judging.model) : "not told"}, {judging.calls > 0 && judging.calls_without_tokens === judging.calls
          ? "tokens not counted by the endpoint" : <>{judging.input_tokens.toLocaleString("en")} tokens in
        ({judging.cached_input_tokens.toLocaleString("en")} cached), {judging.output_tokens.toLocaleString("en")} out</>}
        {judging.refused_answers > 0 && `, ${judging.refused_answers} answers refused`}
      </p>
      <ul class="ledger">
        {files.map(([file, ranges]) => (
          <li key={file}>
            <code>{visible(file)}</code>{" "}
            <span class="faint">
              {bytes(ranges.reduce((sum, [begin, end]) => sum + end - begin, 0))} in {ranges.length}{" "}
              {ranges.length === 1 ? "range" : "ranges"}: {ranges.slice(0, 6).map(([begin, end]) => `${begin}–${end}`).join(", ")}
              {ranges.length > 6 ? " …" : ""}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}

function SpanView({ page, span, onClose }: { page: EpisodePage; span: Span; onClose: () => void }) {
  const deliveries = span.deliveries;
  return (
    <section class="span" aria-label={`Span ${span.span}`} id="span-panel" tabindex={-1}>
      <header class="span-head">
        <h2>Span S{span.span} <Badge word={span.verdict ?? span.status} /></h2>
        <button type="button" class="quiet" onClick={onClose} aria-label="Close the span">✕</button>
      </header>
      {span.rule && <p>{visible(span.rule)}</p>}
      {span.unresolved_reason && <p class="warning">Unresolved: {visible(span.unresolved_reason)}</p>}
      <p class="faint">
        {deliveries.map((delivery, i) => (
          <span key={i}>
            {i > 0 && "; "}
            {delivery.restatement ? "again " : ""}step {delivery.step ?? "—"}: <Name text={delivery.form} /> (<Name text={delivery.route} />,{" "}
            {delivery.tokens_estimated ? "about " : ""}{delivery.tokens.toLocaleString("en")} tokens, <Name text={delivery.delivery} />)
          </span>
        ))}
      </p>
      {span.placed && (
        <details open={span.entries.length === 0}>
          <summary>Placed text</summary>
          <Text parts={span.placed} />
        </details>
      )}
      {span.entries.map((entry) => <EntryView key={entry.entry} page={page} entry={entry} span={span} />)}
      {span.judging && <Ledger judging={span.judging} />}
    </section>
  );
}

function Facts({ page }: { page: EpisodePage }) {
  const e = page.episode;
  const known = (value: unknown) => value !== null && value !== undefined && value !== "";
  const facts: [string, string][] = [
    ["Configuration", String(e["configuration"])], ["Run", String(e["run"])], ["Task", String(e["task_id"])],
    ["Position", known(e["position"]) ? String(e["position"]) : "—"], ["Repository", known(e["repo"]) ? String(e["repo"]) : "—"],
    ["Model", known(e["model"]) ? String(e["model"]) : "—"], ["Steps", String(e["steps"])],
    ["Input known", String(e["visibility"])], ["Deliveries known", words(String(e["delivery_grade"]))],
    ["Agent calls", `${e["agent_calls"]}, ${Number(e["agent_input_tokens"]).toLocaleString("en")} tokens in, ${Number(e["agent_output_tokens"]).toLocaleString("en")} out${Number(e["agent_calls_without_tokens"]) > 0 ? ` (${e["agent_calls_without_tokens"]} calls without a count)` : ""}`],
    ["Source", `${e["source_path"]}${Number(e["source_line"]) > 0 ? `, line ${e["source_line"]}` : ""} (${e["source_format"]})`],
  ];
  if (known(e["outcome_source"])) facts.push(["Outcome by", String(e["outcome_source"])]);
  if (known(e["reward"])) facts.push(["Reward", String(e["reward"])]);
  if (page.probe) facts.push(["Gold values", page.probe.gold.length > 0 ? page.probe.gold.join(" · ") : "—"]);
  if (page.probe && page.probe.stale.length > 0) facts.push(["Stale values", page.probe.stale.join(" · ")]);
  return (
    <dl class="facts">
      {facts.map(([name, value]) => <div key={name}><dt>{name}</dt><dd><Name text={value} /></dd></div>)}
    </dl>
  );
}

function SpanList({ page, selected, onSpan }: { page: EpisodePage; selected: number | undefined; onSpan: (span: number) => void }) {
  if (page.spans.length === 0) return <p class="empty">Nothing was delivered in this episode{page.unconsumed.length > 0 ? " that an input ever showed" : ""}.</p>;
  return (
    <ul class="span-list" aria-label="Spans">
      {page.spans.map((span) => (
        <li key={span.span}>
          <button type="button" aria-pressed={selected === span.span} onClick={() => onSpan(span.span)}>
            <strong>S{span.span}</strong> <Badge word={span.verdict ?? span.status} />{" "}
            <span class="faint">step {span.first_step}{span.last_step > span.first_step ? `–${span.last_step}` : ""}, <Name text={span.deliveries[0]?.form} />, {span.entries.length} {span.entries.length === 1 ? "entry" : "entries"}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

function howMany(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

function MemoryEvents({ page }: { page: EpisodePage }) {
  const searches = page.searches ?? [];
  const operations = page.operations ?? [];
  if (searches.length + operations.length + page.unconsumed.length === 0) return null;
  return (
    <details class="events">
      <summary>
        Memory events: {howMany(searches.length, "search", "searches")}, {howMany(operations.length, "operation")},{" "}
        {howMany(page.unconsumed.length, "delivery", "deliveries")} never in an input
      </summary>
      <ul>
        {searches.map((search, i) => (
          <li key={`s${i}`}>
            <strong>search</strong> <Name text={search.search} /> {search.step !== null && `for step ${search.step}`}{" "}
            <Text parts={search.query} />
            <span class="faint">
              {search.completed ? `returned ${search.returned.length}${search.matched !== null ? ` of ${search.matched}` : ""}` : "not completed"}
              {search.returned.length > 0 && ": "}
              {search.returned.slice(0, 20).map((hit, j) => <span key={j}>{j > 0 && ", "}<Name text={hit.item} />{hit.score !== null && ` (${hit.score})`}</span>)}
            </span>
          </li>
        ))}
        {operations.map((operation, i) => (
          <li key={`o${i}`}>
            <strong>{operation.op}</strong> <Name text={operation.item} /> {operation.version && <span class="faint">version <Name text={operation.version} /></span>}{" "}
            <span class="faint">after step {operation.after_step}</span>
            {operation.text && <Text parts={operation.text} />}
          </li>
        ))}
        {page.unconsumed.map((delivery, i) => (
          <li key={`u${i}`}>
            <strong>never in an input</strong> <Name text={delivery.delivery} /> (<Name text={delivery.form} />): <Name text={delivery.reason} />
          </li>
        ))}
      </ul>
    </details>
  );
}

/** The episodes before and after this one in the list as it was filtered last. */
function neighbours(all: Columns, uid: string): [string | undefined, string | undefined] {
  let query = "";
  try {
    query = sessionStorage.getItem("memuse-filter") ?? "";
  } catch {
    // Pages from disk may be without storage.
  }
  const rows = rowsOf(all, new URLSearchParams(query));
  const at = rows.findIndex((row) => all.uid[row] === uid);
  const uidAt = (place: number) => (at >= 0 && rows[place] !== undefined ? all.uid[rows[place]!] : undefined);
  return [uidAt(at - 1), uidAt(at + 1)];
}

export function EpisodeView({ data, all, route }: { data: Data; all: Columns; route: Route }) {
  const uid = route.parts[0] ?? "";
  const [page, setPage] = useState<EpisodePage | null | undefined>(undefined);
  const [fault, setFault] = useState("");
  const selected = route.query.has("span") ? Number(route.query.get("span")) : undefined;
  const row = useMemo(() => all.uid.indexOf(uid), [all, uid]);
  const [before, after] = useMemo(() => neighbours(all, uid), [all, uid]);

  useEffect(() => {
    let current = true;
    setPage(undefined);
    setFault("");
    data.episode(uid, all.block?.[row] ?? null).then(
      (found) => current && setPage(found),
      (error: unknown) => current && setFault(error instanceof Error ? error.message : String(error)));
    return () => { current = false; };
  }, [data, uid, row]);

  const openSpan = (span: number) => {
    location.hash = episodeLink(uid, span);
    requestAnimationFrame(() => requestAnimationFrame(() => document.getElementById("span-panel")?.focus({ preventScroll: true })));
  };
  // Before anything is painted, as in main.tsx.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || document.querySelector("dialog[open]")) return;
      if (event.key === "[" && before) location.hash = episodeLink(before);
      else if (event.key === "]" && after) location.hash = episodeLink(after);
      else if (event.key === "Escape" && selected !== undefined) location.hash = episodeLink(uid);
      else if ((event.key === "n" || event.key === "p") && page && page.spans.length > 0) {
        const at = page.spans.findIndex((span) => span.span === selected);
        const next = event.key === "n" ? at + 1 : at < 0 ? page.spans.length - 1 : at - 1;
        const span = page.spans[Math.max(0, Math.min(page.spans.length - 1, next))];
        if (span) openSpan(span.span);
      }
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  });
  const on: MarkHandlers = useMemo(() => ({ span: selected, openSpan: (span: number) => { if (span > 0) openSpan(span); } }), [selected, uid]);

  if (row < 0) return <><h1>Episode</h1><p class="empty">This study has no episode with the address <Name text={uid} />. <a href={link("episodes")}>All episodes</a></p></>;
  const span = page?.spans.find((one) => one.span === selected);
  return (
    <>
      <nav class="crumbs" aria-label="Episodes">
        <a href={link("episodes", [], storedFilter())}>Episodes</a>
        {before ? <a href={episodeLink(before)} rel="prev" title="[">← previous</a> : <span class="faint">← previous</span>}
        {after ? <a href={episodeLink(after)} rel="next" title="]">next →</a> : <span class="faint">next →</span>}
      </nav>
      <h1><Name text={all.named["episode"]?.names[all.named["episode"].rows[row]!]} /> <Outcome resolved={numberAt(all, "resolved", row)} /></h1>
      {fault !== "" && <p class="warning" role="alert">This episode cannot be shown: {visible(fault)}</p>}
      {page === undefined && fault === "" && <p class="empty" role="status">Loading …</p>}
      {page === null && (
        <p class="warning">
          The details of this episode are not in this file, which was kept small. Write it with a larger <code>--max-mb</code>, or use{" "}
          <code>memuse view</code>.
        </p>
      )}
      {page && (
        <>
          <Facts page={page} />
          <Timeline page={page} selected={selected} onSpan={openSpan} onStep={showStep} />
          <div class={span ? "split" : "split alone"}>
            <div class="side">
              {span ? <SpanView page={page} span={span} onClose={() => { location.hash = episodeLink(uid); }} /> : null}
              <h2>Spans</h2>
              <SpanList page={page} selected={selected} onSpan={openSpan} />
              <MemoryEvents page={page} />
            </div>
            <div class="main">
              <h2>Transcript</h2>
              {data.textLimit !== null && (
                <p class="caption">
                  Longer texts were shortened to {data.textLimit} bytes, with memory and quotes kept; <code>memuse view</code> shows all of it.
                </p>
              )}
              {page.transcript ? <Transcript task={taskAlone(page)} lines={page.transcript} on={on} /> : (
                <p class="warning">No transcript: {visible(page.source_missing ?? "the source could not be read again")}</p>
              )}
            </div>
          </div>
        </>
      )}
    </>
  );
}

/** The task, unless a message of the transcript is the same text. */
function taskAlone(page: EpisodePage): Parts | null {
  if (!page.task || page.task.length === 0) return null;
  const task = plain(page.task);
  const repeats = page.transcript?.some((line) => "origin" in line && line.origin === "task" && plain(line.text) === task);
  return repeats ? null : page.task;
}

export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement || target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement;
}

export function storedFilter(): Record<string, string> {
  try {
    return Object.fromEntries(new URLSearchParams(sessionStorage.getItem("memuse-filter") ?? ""));
  } catch {
    return {};
  }
}
