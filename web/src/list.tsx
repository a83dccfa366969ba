// A long list: only the rows in sight are in the document. Used for episodes and items.
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from "@tanstack/virtual-core";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";
import type { Sorting } from "./columns";

export interface ListColumn {
  key: string;
  title: string;
  width: string;
  numeric?: boolean;
  tip?: string;
  cell: (row: number) => ComponentChildren;
}

const rowHeight = 34;

export function List(props: {
  label: string;
  rows: Uint32Array;
  columns: ListColumn[];
  sorting: Sorting;
  onSort: (key: string) => void;
  href: (row: number) => string;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const [current, setCurrent] = useState(0);
  // The row that is to have the focus as soon as it is in the document: scrolling takes its time.
  const wanted = useRef<number | null>(null);
  const virtualizer = useRef<Virtualizer<HTMLDivElement, Element> | undefined>(undefined);
  const count = props.rows.length;
  const options = {
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => redraw(0),
    initialRect: { width: 800, height: 600 },
  };
  virtualizer.current ??= new Virtualizer(options);
  virtualizer.current.setOptions(options);
  useLayoutEffect(() => virtualizer.current!._didMount(), []);
  useLayoutEffect(() => virtualizer.current!._willUpdate());
  useLayoutEffect(() => {
    if (wanted.current === null) return;
    const link = scroller.current?.querySelector<HTMLElement>(`[data-index="${wanted.current}"] a`);
    if (!link) return;
    wanted.current = null;
    link.focus({ preventScroll: true });
  });
  useLayoutEffect(() => {
    setCurrent(0);
    scroller.current?.scrollTo({ top: 0 });
  }, [props.rows]);

  const focusRow = (row: number) => {
    const next = Math.max(0, Math.min(count - 1, row));
    setCurrent(next);
    wanted.current = next;
    virtualizer.current!.scrollToIndex(next, { align: "auto" });
    redraw(0);
  };
  const onKey = (event: KeyboardEvent) => {
    const steps: Record<string, number> = {
      ArrowDown: current + 1, ArrowUp: current - 1, PageDown: current + 15, PageUp: current - 15, Home: 0, End: count - 1,
    };
    const target = steps[event.key];
    if (target === undefined) return;
    event.preventDefault();
    focusRow(target);
  };
  const template = props.columns.map((column) => column.width).join(" ");
  const least = "62rem";
  return (
    <div class="list" role="table" aria-label={props.label} aria-rowcount={count + 1}>
      <div class="list-scroll" ref={scroller} onKeyDown={onKey} style={{ height: `min(70vh, ${(count + 2) * rowHeight}px)` }}>
        <div class="list-row list-head" role="row" aria-rowindex={1} style={{ gridTemplateColumns: template, minWidth: least }}>
          {props.columns.map((column) => {
            const on = props.sorting.key === column.key;
            return (
              <div key={column.key} role="columnheader" class={column.numeric ? "numeric" : undefined}
                   aria-sort={on ? (props.sorting.descending ? "descending" : "ascending") : "none"}>
                <button type="button" onClick={() => props.onSort(column.key)} data-tip={column.tip}>
                  {column.title}
                  <span aria-hidden="true">{on ? (props.sorting.descending ? " ↓" : " ↑") : ""}</span>
                </button>
              </div>
            );
          })}
        </div>
        <div role="rowgroup" style={{ height: `${virtualizer.current.getTotalSize()}px`, position: "relative", minWidth: least }}>
          {virtualizer.current.getVirtualItems().map((item) => {
            const row = props.rows[item.index];
            if (row === undefined) return null;
            return (
              <div key={item.key} class="list-row" role="row" aria-rowindex={item.index + 2} data-index={item.index}
                   style={{ gridTemplateColumns: template, transform: `translateY(${item.start}px)`, height: `${rowHeight}px` }}
                   onClick={(event) => {
                     if (!(event.target instanceof Element) || event.target.closest("a")) return;
                     if (window.getSelection()?.toString() === "") location.hash = props.href(row);
                   }}>
                {props.columns.map((column, i) => (
                  <div key={column.key} role="cell" class={column.numeric ? "numeric" : undefined}>
                    {i === 0 ? (
                      <a href={props.href(row)} tabindex={item.index === current ? 0 : -1} onFocus={() => setCurrent(item.index)}>
                        {column.cell(row)}
                      </a>
                    ) : column.cell(row)}
                  </div>
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}
