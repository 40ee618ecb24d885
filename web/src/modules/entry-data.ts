import type { Client, ConsoleAction, ConsoleContent, ConsoleField } from '@chowk/client';
import { localTime, parseLocalTime } from '../time/times.ts';

/* What is read and sent for the entries of modules, apart from React. */

/** A row or a record. */
export type Row = Readonly<Record<string, unknown>>;
export interface IdentifiedRow {
  readonly id: string;
  readonly row: Row;
}

type Fields = Readonly<Record<string, unknown>>;

/** The rows of a list, or the record as the only row. */
export async function readContent(
  client: Client,
  { route, key, is_paged, is_list }: ConsoleContent,
  input: Fields,
): Promise<{ readonly rows: readonly IdentifiedRow[]; readonly total: number }> {
  const body = (await client.send(route, input)) as Record<string, unknown> & { pagination?: { total?: number } };
  const found = key === null ? body : body[key];
  const rows = (is_list ? found : [found]) as readonly Row[];
  return {
    // A row without an id is known by its place.
    rows: rows.map((row, index) => ({ id: String(row.id ?? index), row })),
    total: is_paged ? (body.pagination?.total ?? rows.length) : rows.length,
  };
}

/** The customer or the order of a section, as the field that the action takes. */
export function parentInput({ parent }: Pick<ConsoleContent, 'parent'>, id: string | undefined): Fields {
  return parent === null || id === undefined ? {} : { [parent]: id };
}

/** The input of an action from the texts of its form. With a row, only what was changed. */
export function actionInput(
  { fields }: Pick<ConsoleAction, 'fields'>,
  typed: Readonly<Record<string, string | undefined>>,
  row: Row | undefined,
): Fields {
  const values = fields.map((field) => [field, fieldValue(field, typed[field.name])] as const);
  const sent = values.filter(([field, value]) =>
    row ? fieldText(field, row[field.name]) !== (typed[field.name] ?? '') : value !== null,
  );
  return Object.fromEntries(sent.map(([{ name }, value]) => [name, value]));
}

/** What is not a number is sent as it is, and refused with a reason. */
function fieldValue({ kind }: ConsoleField, text: string | undefined): unknown {
  if (kind === 'boolean') return text !== undefined;
  const typed = (text ?? '').trim();
  if (typed === '') return null;
  if (kind === 'time') return parseLocalTime(typed);
  return kind === 'number' && Number.isFinite(Number(typed)) ? Number(typed) : typed;
}

/** What is in the field of a form for a value of a row. */
export function fieldText({ kind }: ConsoleField, value: unknown): string {
  if (kind === 'boolean') return value === true ? 'on' : '';
  if (value === null || value === undefined) return '';
  return kind === 'time' ? localTime(String(value)) : String(value);
}
