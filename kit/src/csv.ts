/** Without it Excel reads a file in the local code page and corrupts other scripts. */
export const byteOrderMark = '\ufeff';

/** Also quotes cells with an apostrophe, which `escapeFormula` adds: Gnumeric may read a bare one as the separator. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map((cell) => (/["',\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\r\n`;
}

/** A cell that a spreadsheet would read as a formula, also after apostrophes. */
const formula = /^'*[=+\-@\t\r\n＝＋－＠]/;
const escaped = /^'+[=+\-@\t\r\n＝＋－＠]/;

/** Prefixes formulas with an apostrophe, so that a spreadsheet does not run them. */
export function escapeFormula(text: string): string {
  return formula.test(text) ? `'${text}` : text;
}

/** Reverses `escapeFormula`. */
export function unescapeFormula(cell: string): string {
  return escaped.test(cell) ? cell.slice(1) : cell;
}
