// Tables: sorted by a click on a column, copied as CSV, part names that select the part.

import { type Cell, csv } from "./csv";
import { copyButton, el, name } from "./dom";
import { number, percent } from "./numbers";
import type { Column, Scene, Table } from "./scene";

const ROWS_AT_ONCE = 100;

export function tablesOf(scene: Scene, select: (part: number) => void): HTMLElement {
  const tabs = el("div", { class: "tabs", role: "tablist", "aria-label": "Tables" });
  const section = el("section", { class: "tables", "aria-label": "Tables" }, tabs);
  const views = scene.tables.map((table) => tableView(scene, table, select));
  const buttons = scene.tables.map((table, chosen) =>
    el("button", { type: "button", role: "tab", onclick: () => show(chosen) }, table.title),
  );
  const show = (chosen: number): void => {
    views.forEach((view, i) => (view.hidden = i !== chosen));
    buttons.forEach((button, i) => button.setAttribute("aria-selected", String(i === chosen)));
  };
  tabs.append(...buttons);
  section.append(...views);
  if (views.length) show(0);
  return section;
}

function tableView(scene: Scene, table: Table, select: (part: number) => void): HTMLElement {
  const count = table.columns[0]?.values.length ?? 0;
  const order = Array.from({ length: count }, (_, row) => row);
  let [sorted, descending, limit] = [-1, false, ROWS_AT_ONCE];
  const body = el("tbody");
  const more = el("button", { type: "button", class: "more", onclick: () => fill((limit += 10 * ROWS_AT_ONCE)) });
  const headers = table.columns.map((column, index) =>
    el("th", { scope: "col", class: column.kind }, el("button", { type: "button", onclick: () => sort(index) }, column.label)),
  );
  const copied = copyButton("Copy as CSV", () =>
    csv([table.columns.map((column) => column.label), ...order.map((row) => table.columns.map((column) => cell(scene, column, row)))]),
  );

  function fill(rows: number): void {
    body.replaceChildren(...order.slice(0, rows).map((row) => rowView(scene, table.columns, row, select)));
    more.hidden = rows >= count;
    more.textContent = `Show more (${(count - rows).toLocaleString("en")} left)`;
  }

  function sort(index: number): void {
    descending = sorted === index ? !descending : ["number", "share"].includes(table.columns[index].kind);
    sorted = index;
    order.sort((a, b) => compared(cell(scene, table.columns[index], a), cell(scene, table.columns[index], b), descending) || a - b);
    headers.forEach((header, i) => header.setAttribute("aria-sort", i !== index ? "none" : descending ? "descending" : "ascending"));
    fill(limit);
  }

  fill(limit);
  const caption = [table.caption, `${count.toLocaleString("en")} ${count === 1 ? "row" : "rows"}`].filter(Boolean).join(" ");
  return el(
    "div",
    { class: "table", role: "tabpanel", "aria-label": table.title },
    el("p", { class: "table-head" }, el("span", { class: "muted" }, caption), copied),
    el("div", { class: "scroll", tabIndex: 0 }, el("table", {}, el("thead", {}, el("tr", {}, ...headers)), body), more),
  );
}

function rowView(scene: Scene, columns: Column[], row: number, select: (part: number) => void): HTMLElement {
  const cells = columns.map((column) => {
    const value = column.values[row];
    if (value === null) return el("td", { class: `${column.kind} muted` }, "–");
    if (column.kind === "part") {
      const part = value as number;
      return el("td", { class: "part" }, el("button", { type: "button", onclick: () => select(part) }, name(scene.parts.names[part])));
    }
    if (column.kind === "share") return shareCell(value as number);
    return el("td", { class: column.kind }, column.kind === "number" ? number(value as number) : name(String(value)));
  });
  return el("tr", {}, ...cells);
}

// A share with a bar behind it.
function shareCell(share: number): HTMLElement {
  const bar = el("i", { class: share > 1 ? "bar over" : "bar" });
  bar.style.width = `${Math.min(100, Math.max(0, 100 * share))}%`;
  return el("td", { class: "share" }, el("span", { class: "barred" }, bar, el("span", {}, percent(share))));
}

function cell(scene: Scene, column: Column, row: number): Cell {
  const value = column.values[row];
  return column.kind === "part" && value !== null ? scene.parts.names[value as number] : value;
}

const natural = new Intl.Collator("en", { numeric: true });

// What is not known comes last either way.
function compared(a: Cell, b: Cell, descending: boolean): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const ahead = typeof a === "number" && typeof b === "number" ? a - b : natural.compare(String(a), String(b));
  return descending ? -ahead : ahead;
}
