import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { columnNames, readCell } from './csv-columns.ts';
import { fail } from './errors.ts';

export interface CsvRow {
  /** The line of the file on which it begins. */
  readonly line: number;
  /** What its cells say, by column; a string says why they cannot be read. */
  readonly input: Readonly<Record<string, unknown>> | string;
}

interface Parsed {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

const mostRows = 50_000;
/** Text is parsed in pieces, so that a large file does not hold up everyone else. */
const pieceLength = 65_536;

const options = {
  bom: true,
  info: true,
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_column_count: true,
};

/** The rows of a file. One that cannot be read to its end is refused as a whole. */
export async function readCsv(text: string): Promise<CsvRow[]> {
  const rows: CsvRow[] = [];
  let header: readonly string[] | undefined;
  let line = 1;
  for await (const { record, info } of records(text)) {
    const begins = line;
    line = info.lines + 1;
    // An empty line.
    if (record.length === 1 && record[0] === '') continue;
    if (!header) header = readHeader(record);
    else rows.push({ line: begins, input: readRow(header, record) });
    if (rows.length > mostRows) throw unreadable('file', `The file has more than ${mostRows} rows; split it.`);
  }
  if (!header) throw unreadable('file', 'The file is empty.');
  return rows;
}

async function* records(text: string): AsyncGenerator<Parsed> {
  try {
    yield* Readable.from(slices(text)).pipe(parse(options)) as AsyncIterable<Parsed>;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw unreadable('file', `${error.message}.`);
  }
}

function* slices(text: string): Generator<string> {
  for (let start = 0; start < text.length; start += pieceLength) yield text.slice(start, start + pieceLength);
}

function readHeader(record: readonly string[]): string[] {
  const names = record.map((name) => name.trim().toLowerCase());
  const unknown = names.find((name) => !columnNames.includes(name));
  if (unknown !== undefined) {
    throw unreadable('header', `There is no column '${unknown}'; the columns are ${columnNames.join(', ')}.`);
  }
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw unreadable('header', `The column '${twice}' is there twice.`);
  if (!names.includes('sku')) throw unreadable('header', "The column 'sku' is missing.");
  return names;
}

function readRow(header: readonly string[], cells: readonly string[]): CsvRow['input'] {
  if (cells.length !== header.length) {
    return `The row has ${cells.length} cells and the header ${header.length}.`;
  }
  const said = header.map((name, index) => [name, readCell(name, cells[index] ?? '')] as const);
  return Object.fromEntries(said.filter(([, value]) => value !== undefined));
}

function unreadable(field: string, message: string) {
  return fail('products.unreadable_csv', {}, { errors: { [field]: [{ code: 'invalid', message }] } });
}
