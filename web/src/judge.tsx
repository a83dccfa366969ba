// Who judged, with what, at what cost, how far it agrees with others, and what was refused.
import { episodeLink } from "./route";
import { TableView } from "./table";
import { Name, visible } from "./text";
import type { JudgementSet, Study } from "./types";

function settingText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function SetView({ set, chosen }: { set: JudgementSet; chosen: boolean }) {
  const facts: [string, string][] = [
    ["Rule set", set.rules],
    ["Spans", `${set.accepted.toLocaleString("en")} answered, ${set.unresolved.toLocaleString("en")} unresolved, of ${set.spans.toLocaleString("en")} to judge`],
    ["Calls", set.calls.toLocaleString("en")],
    ["Tokens", set.calls === 0 ? "—" : set.calls_without_tokens === set.calls ? "not counted by the endpoint" : `${set.input_tokens.toLocaleString("en")} in (${set.cached_input_tokens.toLocaleString("en")} cached), ${set.output_tokens.toLocaleString("en")} out${set.calls_without_tokens > 0 ? `; ${set.calls_without_tokens} calls without a count` : ""}`],
    ["Cost", set.cost_usd === null ? (set.calls === 0 ? "none" : "not known") : `$${set.cost_usd.toFixed(4)}${set.calls_without_cost > 0 ? `; ${set.calls_without_cost} calls without a cost` : ""}`],
    ["Assesses", ["novelty", "influence", "effect", set.assesses_relevance && "relevance", set.assesses_accuracy && "accuracy"].filter(Boolean).join(", ") + (set.effects_need_probe ? "; effects only in episodes with a probe" : "")],
  ];
  if (set.sample) facts.push(["Sample", `${set.sample.answered} of ${set.sample.size} answered, drawn from ${set.sample.population} with seed ${set.sample.seed}`]);
  const models = Object.entries(set.returned_models);
  if (models.length > 0) facts.push(["Models that answered", models.map(([model, spans]) => `${model} (${spans} spans)`).join(", ")]);
  const settings = set.settings !== null && typeof set.settings === "object" ? Object.entries(set.settings) : [];
  return (
    <article class="entry">
      <header><h2>#{set.id} <Name text={set.judge} /> {chosen && <span class="badge">in use here</span>}</h2></header>
      <dl class="facts">
        {facts.map(([name, value]) => <div key={name}><dt>{name}</dt><dd><Name text={value} /></dd></div>)}
      </dl>
      {settings.length > 0 && (
        <details>
          <summary>Settings and hashes ({settings.length})</summary>
          <dl class="facts">
            {settings.map(([name, value]) => <div key={name}><dt><Name text={name} /></dt><dd><code>{visible(settingText(value))}</code></dd></div>)}
          </dl>
        </details>
      )}
    </article>
  );
}

export function Judge({ study }: { study: Study }) {
  return (
    <>
      <h1>Judge</h1>
      {study.sets.length === 0 && <p class="empty">Nothing was judged yet. Run <code>memuse judge</code>, or <code>memuse label</code> for labels by hand.</p>}
      {study.sets.map((set) => <SetView key={set.id} set={set} chosen={set.id === study.set} />)}
      <h2>Agreement</h2>
      {study.agreement ? <TableView table={study.agreement} /> : (
        <p class="empty">{study.sets.length < 2 ? "There is one set of answers; a second one, or labels by people, would tell how far it can be trusted."
          : "More sets than are compared here: see memuse agree."}</p>
      )}
      <h2>Refused answers</h2>
      {study.refused.count === 0 ? <p class="empty">No span was left unresolved.</p> : (
        <>
          <p>{study.refused.count.toLocaleString("en")} spans have no accepted answer{study.refused.listed.length < study.refused.count ? `; the first ${study.refused.listed.length} are listed` : ""}.</p>
          <ul>
            {study.refused.listed.map((one, i) => (
              <li key={i}>
                <a href={episodeLink(one.uid, one.span)}><Name text={`${one.configuration}/${one.run}/${one.episode}`} /> S{one.span}</a>: {visible(one.reason)}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
