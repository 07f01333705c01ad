// Rows as spreadsheets read them.

export type Cell = string | number | null;

export function csv(rows: Cell[][]): string {
  return rows.map((row) => row.map(quoted).join(",")).join("\r\n");
}

// A text that a spreadsheet would take for a formula gets a quote in front.
function quoted(value: Cell): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
