import { setImmediate } from 'node:timers/promises';
import { unescapeFormula } from './csv.ts';
import { readRecords } from './csv-records.ts';
import { invalid } from './errors.ts';
import { splitList } from './filter.ts';
import { inWords } from './in-words.ts';
import { Default, named, type Static, type TObject, Type } from './schema.ts';

/** The columns of a file and how its cells are read. */
interface Format {
  /** The allowed columns, as in an export. */
  readonly columns: TObject;
  /** The fields that are read; other columns are ignored. */
  readonly fields: TObject;
  /** The field that identifies a row, regardless of case. Absent: rows have no such field. */
  readonly key?: string;
  /** Readers of cells whose format does not follow from the type of the field. */
  readonly cells?: Readonly<Record<string, (cell: string) => unknown>>;
  /** The formats of other programs, which are recognized by their columns. */
  readonly foreign?: readonly ForeignFormat[];
}

interface ForeignFormat {
  /** Columns, in lower case, that only files of this format have together. */
  readonly recognizedBy: readonly string[];
  /** The rows by own columns; cells of other columns are ignored. */
  convert(rows: readonly RawRow[]): readonly RawRow[];
}

interface RawRow {
  readonly line: number;
  /** By the name of the column, in lower case. */
  readonly cells: Readonly<Record<string, string>>;
}

/** How a request says what the columns of its file are. */
const options = {
  mapping: Type.Optional(
    Type.Record(Type.String({ maxLength: 200 }), Type.String({ maxLength: 100 }), {
      maxProperties: 100,
      description: 'Maps columns of the file to fields. An empty value ignores the column.',
      examples: [{ 'Item number': 'sku' }],
    }),
  ),
  unknown_columns: Default(
    Type.Enum(['refuse', 'ignore'], { description: 'What to do with other columns.' }),
    'refuse',
  ),
};

function fileInput(example: string) {
  return Type.Object({ csv: Type.String({ examples: [example] }), ...options });
}
type CsvFile = Static<ReturnType<typeof fileInput>>;

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

/**
 * The rows of a CSV file and the errors of unusable ones. 422 if the file cannot be parsed. `readCsv.input` is the input of an
 * action that imports files.
 */
export const readCsv = Object.assign(readFile, { input: fileInput });

async function readFile(file: CsvFile, format: Format): Promise<{ rows: CsvRow[]; errors: RowErrors[] }> {
  const { raw, errors } = await readRaw(file, format);
  const rows: CsvRow[] = [];
  const lines = new Map<string, number>();
  for (const { line, cells } of raw) {
    const input = readRow(format, cells);
    const problem = keyProblem(format, lines, line, input);
    if (problem) errors.push({ line, errors: problem });
    else rows.push({ line, input });
  }
  return { rows, errors };
}

/** The rows by own columns. */
async function readRaw(
  { csv, ...choices }: CsvFile,
  format: Format,
): Promise<{ raw: readonly RawRow[]; errors: RowErrors[] }> {
  const raw: RawRow[] = [];
  const errors: RowErrors[] = [];
  let header: Header | undefined;
  let read = 0;
  for (const { line, cells } of readRecords(csv)) {
    read += 1;
    if (read % recordsAtOnce === 0) await setImmediate();
    const isEmpty = cells.length === 1 && cells[0] === '';
    if (isEmpty) continue;
    if (!header) {
      header = readHeader(format, cells, choices);
      continue;
    }
    const { names } = header;
    const problem = `The row has ${cells.length} cells and the header ${names.length}.`;
    if (cells.length !== names.length) errors.push({ line, errors: { row: [problem] } });
    else raw.push({ line, cells: Object.fromEntries(names.map((name, index) => [name, cells[index] ?? ''])) });
    if (raw.length + errors.length > maxRows) throw invalid({ file: `The file has more than ${maxRows} rows.` });
  }
  if (!header) throw invalid({ file: 'The file is empty.' });
  return { raw: convert(raw, header), errors };
}

/** Columns that the request maps replace those of the format. */
function convert(raw: readonly RawRow[], { foreign, mapped }: Header): readonly RawRow[] {
  if (!foreign) return raw;
  const byLine = new Map(raw.map(({ line, cells }) => [line, cells]));
  return foreign.convert(raw).map(({ line, cells }) => {
    const own = mapped.map((name) => [name, byLine.get(line)?.[name] ?? '']);
    return { line, cells: { ...cells, ...Object.fromEntries(own) } };
  });
}

interface Header {
  /** The name of each column, in lower case, or that of the column that it is mapped to. */
  readonly names: readonly string[];
  readonly foreign: ForeignFormat | undefined;
  /** The columns that the request maps others to. */
  readonly mapped: readonly string[];
}

function readHeader(
  { columns, key, foreign = [] }: Format,
  cells: readonly string[],
  { mapping = {}, unknown_columns }: Omit<CsvFile, 'csv'>,
): Header {
  const known = Object.keys(columns.properties);
  const targets = readMapping(mapping, known);
  const sent = cells.map((name) => name.trim().toLowerCase());
  const absent = [...targets.keys()].find((name) => !sent.includes(name));
  if (absent !== undefined) throw invalid({ mapping: `The file has no column '${absent}'.` });
  const other = foreign.find(({ recognizedBy }) => recognizedBy.every((name) => sent.includes(name)));
  const names = sent.map(
    (name, index) => targets.get(name) ?? (known.includes(name) || other ? name : `${index} ${name}`),
  );
  const unknown = sent.find((name, index) => !targets.has(name) && names[index] !== name);
  if (unknown !== undefined && unknown_columns === 'refuse') {
    throw invalid({ header: `There is no column '${unknown}'; the columns are ${known.join(', ')}.` });
  }
  const twice = names.find((name, index) => name !== '' && names.indexOf(name) !== index);
  if (twice !== undefined) throw invalid({ header: `The column '${twice}' occurs twice.` });
  if (!other && key !== undefined && !names.includes(key)) throw invalid({ header: `The column '${key}' is missing.` });
  return { names, foreign: other, mapped: [...targets.values()].filter(Boolean) };
}

/** By column of the file, in lower case. */
function readMapping(mapping: Readonly<Record<string, string>>, known: readonly string[]): Map<string, string> {
  const entries = Object.entries(mapping).map(([from, to]) => [from, to.trim().toLowerCase()] as const);
  const wrong = entries.find(([, to]) => to !== '' && !known.includes(to));
  if (wrong) {
    const [from, to] = wrong;
    throw invalid({ [`mapping.${from}`]: `There is no column '${to}'; the columns are ${known.join(', ')}.` });
  }
  return new Map(entries.map(([from, to]) => [from.trim().toLowerCase(), to]));
}

function readRow(format: Format, cells: RawRow['cells']): CsvRow['input'] {
  const read = Object.entries(cells).map(([name, cell]) => [name, readCell(format, name, cell)] as const);
  return Object.fromEntries(read.filter(([, value]) => value !== undefined));
}

/** A problem if the key is missing or occurs in an earlier row. */
function keyProblem({ key }: Format, lines: Map<string, number>, line: number, input: CsvRow['input']) {
  if (key === undefined) return undefined;
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
