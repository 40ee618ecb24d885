import type { Output } from '../environment.ts';
import { formatColumn, label, type RecordFields } from './cells.ts';
import type { Style } from './style.ts';
import { textWidth, truncate } from './text-width.ts';

const gap = 2;
const minWidth = 12;

export interface TableOptions {
  readonly columns: readonly string[];
  readonly output: Output;
  readonly style: Style;
  readonly now: Date;
  /** Spaces before each line. */
  readonly indent?: number;
  /** No line of titles, for the pages of a list after the first. */
  readonly hasTitles?: boolean;
}

/** On a terminal a table that fits its width; else lines of values separated by tabs, for programs. */
export function writeTable(records: readonly RecordFields[], options: TableOptions): void {
  const { output } = options;
  output.write(output.isTerminal ? alignedTable(records, options) : tabTable(records, options.columns));
}

function tabTable(records: readonly RecordFields[], columns: readonly string[]): string {
  const line = (record: RecordFields) => columns.map((column) => formatColumn(record, column)).join('\t');
  return records.map((record) => `${line(record)}\n`).join('');
}

export function alignedTable(
  records: readonly RecordFields[],
  { columns, output, style, now, indent = 0, hasTitles = true }: TableOptions,
): string {
  const rows = records.map((record) => columns.map((column) => formatColumn(record, column, now)));
  const all = columns.map((column, index) => ({
    index,
    title: label(column).toUpperCase(),
    isStatus: /status|severity|outcome/.test(column),
    isNumber: records.length > 0 && rows.every((row) => /^(-?[\d.]+( [A-Z]{3})?)?$/.test(row[index] as string)),
    // An id that is cut off is of no use.
    isFixed: /(^|[._])(id|hash|code|key|order_number|at)$/.test(column),
    isEmpty: records.length > 0 && rows.every((row) => row[index] === ''),
    width: 0,
  }));
  const shown = fit(
    all
      .filter(({ isEmpty }) => !isEmpty)
      .map((column) => {
        const widths = rows.map((row) => textWidth(row[column.index] as string));
        const width = Math.max(column.title.length, ...widths);
        return { ...column, width: column.isFixed ? width : Math.min(width, output.columns) };
      }),
    output.columns - indent,
  );
  const line = (cells: readonly string[]) => `${' '.repeat(indent)}${cells.join(' '.repeat(gap)).trimEnd()}\n`;
  const lines = rows.map((row) =>
    line(
      shown.map(({ index, width, isNumber, isStatus }) => {
        const text = truncate(row[index] as string, width);
        const padding = ' '.repeat(width - textWidth(text));
        if (isNumber) return padding + text;
        return (isStatus ? style.status(text) : text) + padding;
      }),
    ),
  );
  const titles = shown.map(({ title, width, isNumber }) => {
    const text = truncate(title, width);
    return style.paint(isNumber ? text.padStart(width) : text.padEnd(width), 'dim');
  });
  return (hasTitles ? [line(titles), ...lines] : lines).join('');
}

interface Fitted {
  readonly width: number;
  readonly isFixed: boolean;
  readonly isNumber: boolean;
}

/** Narrows the widest columns, and leaves out the last ones if that does not suffice. */
function fit<Column extends Fitted>(columns: readonly Column[], room: number): Column[] {
  const result = columns.map((column) => ({ ...column }));
  const total = () => result.reduce((sum, { width }) => sum + width + gap, -gap);
  while (total() > room) {
    const flexible = result.filter(({ width, isFixed, isNumber }) => !isFixed && !isNumber && width > minWidth);
    const widest = flexible.sort((one, other) => other.width - one.width)[0];
    if (widest) Object.assign(widest, { width: widest.width - 1 });
    else if (result.length > 1) return fit(columns.slice(0, -1), room);
    else break;
  }
  return result;
}
