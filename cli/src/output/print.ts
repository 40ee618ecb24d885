import type { CommandInput } from '../command.ts';
import type { Environment } from '../environment.ts';
import { ExitError, exitCodes } from '../exit.ts';
import type { RecordFields } from './cells.ts';
import { isScalar } from './cells.ts';
import { columns as knownColumns } from './columns.ts';
import { formatDetails, scalarColumns } from './details.ts';
import { plainText } from './plain-text.ts';
import { createStyle } from './style.ts';
import { writeTable } from './table.ts';

type Options = CommandInput['options'];

export function wantsJson(options: Options): boolean {
  return Boolean(options.json) || options.jq !== undefined;
}

/** JSON that a terminal cannot take for commands. */
export function formatJson(value: unknown, indent = 2): string {
  const text = JSON.stringify(value, null, indent) ?? 'null';
  return text.replace(/[\u007f-\u009f]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`);
}

export async function printJson({ stdout }: Environment, options: Options, value: unknown): Promise<void> {
  stdout.write(`${options.jq === undefined ? formatJson(value) : await applyFilter(value, String(options.jq))}\n`);
}

/** Strings are printed without quotes, as `gh` does. */
async function applyFilter(value: unknown, filter: string): Promise<string> {
  const { raw } = await import('jq-wasm/inline');
  const { stdout, stderr, exitCode } = await raw(JSON.stringify(value), filter, ['-r']);
  if (exitCode === 0) return plainText(stdout);
  throw new ExitError(exitCodes.usage, `--jq: ${stderr.trim()}`);
}

export interface ListOptions {
  /** The field of the response that has the records. */
  readonly key: string | undefined;
  readonly hasTitles?: boolean;
}

export function printList(
  environment: Environment,
  options: Options,
  values: readonly unknown[],
  { key = '', hasTitles = true }: ListOptions,
): void {
  const { stdout, stderr, now } = environment;
  if (values.length === 0) {
    if (hasTitles && stdout.isTerminal && !options.quiet) stderr.write('Nothing found.\n');
    return;
  }
  const records = values.map((value) => (isScalar(value) ? { value } : value)) as RecordFields[];
  const known = knownColumns[key]?.filter((column) => records.some((record) => hasField(record, column))) ?? [];
  const columns = known.length > 1 ? known : scalarColumns(records);
  writeTable(records, { columns, output: stdout, style: createStyle(environment, options), now: now(), hasTitles });
}

function hasField(record: RecordFields, column: string): boolean {
  const [first = ''] = column.slice(column.indexOf('=') + 1).split(/[.+]/);
  return record[first] !== undefined;
}

export function printRecord(environment: Environment, options: Options, record: RecordFields): void {
  const { stdout, now } = environment;
  stdout.write(formatDetails(record, { output: stdout, style: createStyle(environment, options), now: now() }));
}
