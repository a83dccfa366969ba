// A table of `memuse tables`, as it is printed, with definitions and n beside every number.
import { definition } from "./definitions";
import { Name, visible } from "./text";
import type { Cell, Table } from "./types";

export function cellOf(table: Table | undefined, row: string, column: string): Cell | undefined {
  const place = table?.columns.findIndex((one) => one.key === column) ?? -1;
  return table?.rows.find((one) => one.key === row)?.cells[place];
}

export function valueOf(cell: Cell | undefined): number | null {
  return typeof cell?.value === "number" ? cell.value : null;
}

/** What the number of a row or column rests on. */
function basis(table: Table, rowKey: string, columnKey: string): string | null {
  const by: Record<string, string> = {
    profile: "profiled_spans", use: "acted_on", units: "spans", origins: "beneficial",
  };
  const row = by[table.table];
  if (row && row !== rowKey) {
    const cell = cellOf(table, row, columnKey);
    return cell && cell.kind !== "missing" ? `${cell.shown} ${row.replace(/_/g, " ")}` : null;
  }
  const column = { success: "episodes", runs: "profiled_spans", forms: "assessed", difficulty: "tasks" }[table.table];
  if (column && column !== columnKey) {
    const cell = cellOf(table, rowKey, column);
    return cell && cell.kind !== "missing" && cell.shown !== "" ? `${cell.shown} ${column.replace(/_/g, " ")}` : null;
  }
  return null;
}

function tipOf(table: Table, rowKey: string, columnKey: string, cell: Cell, byRow: boolean): string | undefined {
  const lines = [];
  const text = definition(table.table, byRow ? rowKey : columnKey);
  if (text) lines.push(text);
  if (cell.kind === "missing") lines.push("— not assessed, or nothing to compute it from.");
  const n = basis(table, rowKey, columnKey);
  if (n) lines.push(`n = ${n}`);
  if (typeof cell.value === "number" && cell.kind !== "count") lines.push(`exactly ${cell.value}`);
  if (cell.note) lines.push(table.notes[cell.note - 1] ?? "");
  return lines.length > 0 ? lines.join("\n") : undefined;
}

export function TableView({ table, id }: { table: Table; id?: string }) {
  // In tables with a column per configuration the rows have the definitions.
  const byRow = table.columns[0]?.key === "label" && table.table !== "success";
  let group: string | null = null;
  return (
    <figure class="table" id={id}>
      <figcaption>
        <strong>{visible(table.title)}</strong>
      </figcaption>
      <div class="scroll" tabindex={0} role="region" aria-label={table.title}>
        <table>
          <thead>
            <tr>
              {table.columns.map((column) => (
                <th key={column.key} scope="col" data-tip={definition(table.table, column.key)}>
                  <Name text={column.name} empty="" />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {table.rows.map((row, i) => {
              const heading = row.group !== group;
              group = row.group;
              return [
                heading && row.group !== null && (
                  <tr class="group" key={`g${i}`}>
                    <th scope="rowgroup" colSpan={table.columns.length}>
                      <Name text={row.group} />
                    </th>
                  </tr>
                ),
                <tr key={i}>
                  {row.cells.map((cell, j) =>
                    j === 0 ? (
                      <th key={j} scope="row" tabindex={byRow && definition(table.table, row.key) ? 0 : undefined}
                          data-tip={byRow ? definition(table.table, row.key) : undefined}>
                        <Name text={cell.shown} empty="" />
                      </th>
                    ) : (
                      <td key={j} class={cell.kind} data-row={row.key} data-column={table.columns[j]?.key}
                          data-tip={tipOf(table, row.key, table.columns[j]?.key ?? "", cell, byRow)}>
                        <Name text={cell.shown} empty="" />
                        {cell.note ? <sup>{cell.note}</sup> : null}
                      </td>
                    ),
                  )}
                </tr>,
              ];
            })}
          </tbody>
        </table>
      </div>
      <p class="caption">{visible(table.caption)}</p>
      {table.notes.length > 0 && (
        <ol class="notes">
          {table.notes.map((note, i) => (
            <li key={i}>{visible(note)}</li>
          ))}
        </ol>
      )}
    </figure>
  );
}
