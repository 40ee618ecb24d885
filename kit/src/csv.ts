/** Without it Excel reads a file in the local code page and corrupts other scripts. */
export const byteOrderMark = '\ufeff';

/**
 * Quotes cells where a program may split them: LibreOffice also splits at semicolons and tabs, and Gnumeric may read a bare
 * apostrophe, which `escapeFormula` adds, as the separator.
 */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map((cell) => (/["',;\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\r\n`;
}

/** The start of a cell, also for programs that expect another separator and ignore quotes. */
const start = '(?<=^|[;\\t\\r\\n])';
/** A phone number, possibly masked, which is not a formula. */
const phone = '\\+[\\d*]{4,20}(?:$|[;\\t\\r\\n])';
/** Text that a spreadsheet would read as a formula, even after apostrophes. */
const formula = `'*(?!${phone})[=+\\-@＝＋－＠]`;
const leadingBreak = "'*[\\t\\r\\n]";
const unescaped = new RegExp(`^(?=${leadingBreak})|${start}(?=${formula})`, 'g');
const escaped = new RegExp(`^'(?=${leadingBreak})|${start}'(?=${formula})`, 'g');
/** A fast test, because most cells are not formulas. */
const mayBeFormula = /^['=+\-@＝＋－＠]|[;\t\r\n]/;

/** Prefixes formulas with an apostrophe, so that a spreadsheet does not run them. */
export function escapeFormula(text: string): string {
  return mayBeFormula.test(text) ? text.replace(unescaped, "'") : text;
}

/** Reverses `escapeFormula`. */
export function unescapeFormula(cell: string): string {
  return cell.replace(escaped, '');
}
