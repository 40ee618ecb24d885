import { invalid } from './errors.ts';

export interface CsvRecord {
  /** The line on which it begins. */
  readonly line: number;
  readonly cells: readonly string[];
}

const maxCells = 1_000;
const unquoted = /[^",\r\n]*/y;
const lineBreak = /\r\n|\r|\n/g;

/** The records of a CSV text (RFC 4180); that of an empty line has one empty cell. Throws 422 where quotes are wrong. */
export function* readRecords(text: string): Generator<CsvRecord> {
  let at = text.startsWith('\ufeff') ? 1 : 0;
  let line = 1;
  while (at < text.length) {
    const record = { line, cells: [] as string[] };
    for (;;) {
      const cell = text[at] === '"' ? readQuoted(text, at, line) : readUnquoted(text, at);
      record.cells.push(cell.text);
      if (record.cells.length > maxCells) throw problem(line, `there are more than ${maxCells} cells`);
      at = cell.end;
      line += cell.breaks;
      if (text[at] !== ',') break;
      at += 1;
    }
    if (text[at] === '"') throw problem(line, 'a quote in a cell must be doubled, and the cell enclosed in quotes');
    if (at < text.length && text[at] !== '\r' && text[at] !== '\n') {
      throw problem(line, 'a comma or the end of the line must follow a closing quote');
    }
    at += text.startsWith('\r\n', at) ? 2 : 1;
    line += 1;
    yield record;
  }
}

interface Cell {
  readonly text: string;
  /** Where it ends in the file. */
  readonly end: number;
  /** The line breaks in it. */
  readonly breaks: number;
}

function readUnquoted(text: string, start: number): Cell {
  unquoted.lastIndex = start;
  unquoted.test(text);
  const end = unquoted.lastIndex;
  return { text: text.slice(start, end), end, breaks: 0 };
}

function readQuoted(text: string, start: number, line: number): Cell {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && text[end + 1] === '"') end = text.indexOf('"', end + 2);
  if (end === -1) throw problem(line, 'the quote that opens a cell is not closed');
  const cell = text.slice(start + 1, end).replaceAll('""', '"');
  return { text: cell, end: end + 1, breaks: cell.match(lineBreak)?.length ?? 0 };
}

function problem(line: number, what: string) {
  return invalid({ file: `Line ${line}: ${what}.` });
}
