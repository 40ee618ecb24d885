import { setImmediate } from 'node:timers/promises';
import { unescapeFormula } from './csv.ts';
import { readRecords } from './csv-records.ts';
import { invalid } from './errors.ts';
import { splitList } from './filter.ts';
import { inWords } from './in-words.ts';
import { named, type Static, type TObject, Type } from './schema.ts';

/** The columns of a file and how its cells are read. */
interface Format {
  /** The allowed columns, as in an export. */
  readonly columns: TObject;
  /** The fields that are read; other columns are ignored. */
  readonly fields: TObject;
  /** The field that identifies a row, regardless of case. */
  readonly key: string;
  /** Readers of cells whose format does not follow from the type of the field. */
  readonly cells?: Readonly<Record<string, (cell: string) => unknown>>;
}

export interface CsvRow {
  /** The line on which the row begins. */
  readonly line: number;
  /** The values of its cells, not validated. */
  readonly input: Readonly<Record<string, unknown>>;
}

const RowErrors = Type.Object({
  line: Type.Integer(),
  errors: Type.Record(Type.String(), Type.Array(Type.String()), { examples: [{ price: ['The price is required.'] }] }),
});
export type RowErrors = Static<typeof RowErrors>;

export const ImportReport = named(
  'ImportReport',
  Type.Object({
    created: Type.Integer(),
    updated: Type.Integer(),
    unchanged: Type.Integer({ description: 'Rows that are equal to their records.' }),
    failed: Type.Integer(),
    errors: Type.Array(RowErrors, { description: 'The first thousand.' }),
  }),
);
export type ImportReport = Static<typeof ImportReport>;

const maxRows = 50_000;
/** Other requests run after so many. */
const recordsAtOnce = 1_000;

/** The rows of a CSV file and the errors of unusable ones. 422 if the file cannot be parsed. */
export async function readCsv(text: string, format: Format): Promise<{ rows: CsvRow[]; errors: RowErrors[] }> {
  const rows: CsvRow[] = [];
  const errors: RowErrors[] = [];
  const lines = new Map<string, number>();
  let header: readonly string[] | undefined;
  let read = 0;
  for (const { line, cells } of readRecords(text)) {
    read += 1;
    if (read % recordsAtOnce === 0) await setImmediate();
    const isEmpty = cells.length === 1 && cells[0] === '';
    if (isEmpty) continue;
    if (!header) {
      header = readHeader(format, cells);
      continue;
    }
    const input = readRow(format, header, cells);
    const problem = typeof input === 'string' ? { row: [input] } : keyProblem(format, lines, line, input);
    if (problem) errors.push({ line, errors: problem });
    else rows.push({ line, input: input as CsvRow['input'] });
    if (rows.length + errors.length > maxRows) throw invalid({ file: `The file has more than ${maxRows} rows.` });
  }
  if (!header) throw invalid({ file: 'The file is empty.' });
  return { rows, errors };
}

function readHeader({ columns, key }: Format, cells: readonly string[]): string[] {
  const known = Object.keys(columns.properties);
  const names = cells.map((name) => name.trim().toLowerCase());
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw invalid({ header: `There is no column '${unknown}'; the columns are ${known.join(', ')}.` });
  }
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw invalid({ header: `The column '${twice}' occurs twice.` });
  if (!names.includes(key)) throw invalid({ header: `The column '${key}' is missing.` });
  return names;
}

/** The input, or a problem. */
function readRow(format: Format, header: readonly string[], cells: readonly string[]): CsvRow['input'] | string {
  if (cells.length !== header.length) return `The row has ${cells.length} cells and the header ${header.length}.`;
  const read = header.map((name, index) => [name, readCell(format, name, cells[index] ?? '')] as const);
  return Object.fromEntries(read.filter(([, value]) => value !== undefined));
}

/** A problem if the key is missing or occurs in an earlier row. */
function keyProblem({ key }: Format, lines: Map<string, number>, line: number, input: CsvRow['input']) {
  const value = input[key];
  if (typeof value !== 'string') return { [key]: [`The ${inWords(key)} is required.`] };
  const firstLine = lines.get(value.toLowerCase());
  lines.set(value.toLowerCase(), firstLine ?? line);
  return firstLine === undefined
    ? undefined
    : { [key]: [`The ${inWords(key)} ${value} is already on line ${firstLine}.`] };
}

const textIn = (cell: string) => cell.trim() || undefined;
const flags: Readonly<Record<string, boolean>> = { true: true, yes: true, 1: true, false: false, no: false, 0: false };

/** By type of the field. Invalid cells stay text, which the schema rejects. */
const byType: Readonly<Record<string, (cell: string) => unknown>> = {
  integer: (cell) => (/^[+-]?\d{1,15}$/.test(cell.trim()) ? Number(cell) : textIn(cell)),
  boolean: (cell) => flags[cell.trim().toLowerCase()] ?? textIn(cell),
  array: (cell) => splitList([cell]),
};

/** The value of a cell; `undefined` leaves the field as it is. An empty cell of a nullable field is null. */
export function readCell(
  { fields, cells = {} }: Pick<Format, 'fields' | 'cells'>,
  name: string,
  cell: string,
): unknown {
  const field = (fields.properties as Record<string, { type?: unknown }>)[name];
  if (!field) return undefined;
  const text = unescapeFormula(cell);
  const read = cells[name] ?? byType[String(field.type)];
  if (read) return read(text);
  return textIn(text) ?? ([field.type].flat().includes('null') ? null : undefined);
}
