/** A plain value of a cell. Money is a decimal text, as in the API. */
export type Value = string | number | bigint | boolean | null | undefined;

/** The characters with which spreadsheets begin a formula, as ASCII and as full-width characters. */
const formula = /^\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]/;
const number = /^-?\d+(\.\d+)?$/;

/** Returns a value as text: "" for none. */
export const textOf = (value: Value): string => (value === null || value === undefined ? "" : String(value));

/**
 * Returns a cell of a CSV file (RFC 4180). A text that a spreadsheet would run as a formula gets an apostrophe in
 * front; it may come from a client, such as the name of a model. Control characters become blanks.
 */
export function csvCell(value: Value): string {
  // eslint-disable-next-line no-control-regex
  const text = textOf(value).replace(/[\u0000-\u001f\u007f-\u009f]/g, " ");
  const safe = formula.test(text) && !number.test(text) ? `'${text}` : text;
  return /[",]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/**
 * Returns a CSV file with a header line. It begins with a byte order mark, without which some spreadsheets misread it.
 */
export const csvOf = (header: readonly string[], rows: readonly (readonly Value[])[]): string =>
  `\uFEFF${[header, ...rows].map((row) => `${row.map(csvCell).join(",")}\r\n`).join("")}`;
