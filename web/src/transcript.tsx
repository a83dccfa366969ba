// What the model saw and did, in the order of the trace.
import { memo } from "preact/compat";
import { Name, Text, type MarkHandlers, visible } from "./text";
import type { MessageLine, Parts, Rewritten, StepLine } from "./types";

function Rewrites({ versions, on }: { versions: Rewritten[] | undefined; on: MarkHandlers }) {
  return (
    <>
      {versions?.map((version, i) => (
        <div key={i} class="rewritten">
          <span class="faint">rewritten, seen so from step {version.from}</span>
          <Text parts={version.text} on={on} />
        </div>
      ))}
    </>
  );
}

function Message({ line, on }: { line: MessageLine; on: MarkHandlers }) {
  const seen = line.end === null ? `from step ${line.first}` : line.end <= line.first ? "never" : `steps ${line.first}–${line.end - 1}`;
  return (
    <article class={`message ${line.origin}`}>
      <header>
        <strong>{line.origin === line.role ? line.role : `${line.role} · ${line.origin}`}</strong>
        <span class="faint"> <Name text={line.message} /> · in the input {seen}{line.transient ? " · transient" : ""}</span>
      </header>
      <Text parts={line.text} on={on} />
      <Rewrites versions={line.rewritten} on={on} />
    </article>
  );
}

function Step({ line, on }: { line: StepLine; on: MarkHandlers }) {
  const facts = [
    line.input_tokens !== undefined && `${line.input_tokens.toLocaleString("en")} tokens in`,
    line.output_tokens !== undefined && `${line.output_tokens.toLocaleString("en")} out`,
    line.cost_usd !== undefined && `$${line.cost_usd.toFixed(4)}`,
    line.model && visible(line.model),
    line.time && visible(line.time),
  ].filter(Boolean);
  return (
    <article class="step" id={`step-${line.step}`} data-step={line.step}>
      <header>
        <strong>Step {line.step}</strong>
        <span class="faint"> {facts.join(" · ")}</span>
      </header>
      {line.reasoning && (
        <details class="reasoning" open={line.reasoning.some((part) => typeof part !== "string" && "q" in part)}>
          <summary>reasoning</summary>
          <Text parts={line.reasoning} on={on} />
        </details>
      )}
      {line.response && <Text parts={line.response} on={on} />}
      {line.actions.map((action, i) => (
        <div key={i} class="action">
          <span class="faint">action</span> <code><Name text={action.name} /></code>
          {action.arguments.map((argument, j) => (
            <div key={j} class="argument">
              {argument.name !== "" && <span class="faint"><Name text={argument.name} /></span>}
              <Text parts={argument.text} on={on} />
            </div>
          ))}
        </div>
      ))}
      {line.results.map((result, i) => (
        <div key={i} class="result">
          <span class="faint">result <Name text={result.message} /></span>
          <Text parts={result.text} on={on} />
          <Rewrites versions={result.rewritten} on={on} />
        </div>
      ))}
    </article>
  );
}

export const Transcript = memo(function Transcript(
  { task, lines, on }: { task: Parts | null; lines: (MessageLine | StepLine)[]; on: MarkHandlers }) {
  return (
    <div class="transcript">
      {task && <article class="message task"><header><strong>Task</strong></header><Text parts={task} on={on} /></article>}
      {lines.map((line, i) =>
        "step" in line ? <Step key={i} line={line} on={on} /> : <Message key={i} line={line} on={on} />)}
    </div>
  );
});
