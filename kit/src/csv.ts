/** Excel takes a file without it for the local code page and spoils every name that is not in Latin letters. */
export const byteOrderMark = '\ufeff';

/** Cells with an apostrophe are quoted too: Gnumeric may take a bare one, which `escapeFormula` sets often, for the separator. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map((cell) => (/["',\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\r\n`;
}

/** A cell that a spreadsheet would take for a formula, also behind apostrophes that are there already. */
const formula = /^'*[=+\-@\t\r\n＝＋－＠]/;
const guarded = /^'+[=+\-@\t\r\n＝＋－＠]/;

/** A cell of somebody's own text: an apostrophe in front keeps a spreadsheet from running it. */
export function escapeFormula(text: string): string {
  return formula.test(text) ? `'${text}` : text;
}

/** The text that `escapeFormula` has made the cell of. */
export function unescapeFormula(cell: string): string {
  return guarded.test(cell) ? cell.slice(1) : cell;
}
