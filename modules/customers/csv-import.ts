import { isDeepStrictEqual } from 'node:util';
import { type Ctx, type ImportReport, invalid, readCsv, sql } from '@chowk/kit';
import { recordColumns } from './columns.ts';
import { addressColumns, csvFormat } from './csv-columns.ts';
import { findByExternalId } from './external-ids.ts';
import { notifyImported } from './notify-team.ts';
import { readPhone } from './phone.ts';
import { CustomerItem, type CustomerRecord } from './schemas.ts';

type CsvFile = Parameters<typeof readCsv>[0];
type CsvRow = Awaited<ReturnType<typeof readCsv>>['rows'][number];
type RowErrors = ImportReport['errors'][number];
type Counts = Record<'created' | 'updated' | 'unchanged', number>;
type BatchReport = Counts & { readonly errors: RowErrors[] };

/** Rows that a preview changes and undoes in one transaction. */
const batchSize = 200;
const maxErrors = 1_000;
/** Each row takes a few statements. */
const maxRows = 10_000;

/** Creates or updates a customer for each row, as requests of their own do. Invalid rows change nothing. */
export async function importCustomers(ctx: Ctx, file: CsvFile): Promise<ImportReport> {
  const report = await inBatches(file, (rows) => importRows(ctx, rows));
  await notifyImported(ctx, report);
  return report;
}

/** Imports and undoes it, so that the report is that of the import. */
export function previewImport(ctx: Ctx, file: CsvFile): Promise<ImportReport> {
  return inBatches(file, async (rows) => {
    let report: BatchReport | undefined;
    const undo = new Error('the preview is undone');
    await ctx
      .tx(async (tx) => {
        report = await importRows(tx, rows);
        throw undo;
      })
      .catch((error) => {
        if (error !== undo) throw error;
      });
    return report as BatchReport;
  });
}

async function inBatches(file: CsvFile, run: (rows: CsvRow[]) => Promise<BatchReport>): Promise<ImportReport> {
  const { rows: all, errors } = await readCsv(file, csvFormat);
  if (all.length > maxRows) throw invalid({ file: `The file has more than ${maxRows} rows. Divide it.` });
  const { rows, repeated } = withoutRepeated(all);
  errors.push(...repeated);
  const counts: Counts = { created: 0, updated: 0, unchanged: 0 };
  for (let start = 0; start < rows.length; start += batchSize) {
    const report = await run(rows.slice(start, start + batchSize));
    for (const name of ['created', 'updated', 'unchanged'] as const) counts[name] += report[name];
    errors.push(...report.errors);
  }
  const listed = errors.sort((a, b) => a.line - b.line).slice(0, maxErrors);
  return { ...counts, failed: errors.length, errors: listed };
}

/** Each customer is in one row. */
function withoutRepeated(rows: readonly CsvRow[]): { rows: CsvRow[]; repeated: RowErrors[] } {
  const lines = new Map<string, number>();
  const repeated: RowErrors[] = [];
  const kept = rows.filter(({ line, input }) => {
    for (const field of ['id', 'email', 'phone']) {
      const key = `${field} ${String(input[field]).toLowerCase()}`;
      const first = input[field] === undefined ? undefined : lines.get(key);
      if (first !== undefined) {
        repeated.push({ line, errors: { [field]: [`The ${field} ${input[field]} is already on line ${first}.`] } });
        return false;
      }
      lines.set(key, line);
    }
    return true;
  });
  return { rows: kept, repeated };
}

type Fields = Record<string, unknown>;

async function importRows(ctx: Ctx, rows: readonly CsvRow[]): Promise<BatchReport> {
  const outcomes: (keyof Counts)[] = [];
  const items = rows.map((row, index) => ({ ...splitRow(row), index }));
  const results = await ctx.performEach(items, {
    mode: 'each',
    plan: async (tx, { fields, index }) => {
      const existing = await findExisting(tx, fields);
      const { id: _, ...own } = fields;
      if (existing && !(await isChanged(tx, existing, own))) {
        outcomes[index] = 'unchanged';
        return { id: existing.id };
      }
      outcomes[index] = existing ? 'updated' : 'created';
      return existing
        ? { action: 'customers.update', input: { ...own, id: existing.id } }
        : { action: 'customers.create', input: own };
    },
  });
  const imported = results.flatMap(({ id, index }) => (id === undefined ? [] : [{ id, index }]));
  const addresses = imported.flatMap(({ id, index }) => {
    const { address } = items[index] as (typeof items)[number];
    return address ? [{ id, index, address }] : [];
  });
  const added = await ctx.performEach(addresses, { mode: 'each', plan: planAddress });
  const failed = [
    ...results.flatMap(({ index, error }) => (error ? [{ index, error }] : [])),
    ...added.flatMap(({ index, error }) => (error ? [{ index: addresses[index]?.index ?? 0, error }] : [])),
  ];
  const counts: Counts = { created: 0, updated: 0, unchanged: 0 };
  for (const { index } of imported) counts[outcomes[index] as keyof Counts] += 1;
  return {
    ...counts,
    errors: failed.map(({ index, error }) => ({
      line: rows[index]?.line ?? 0,
      errors: error.errors ?? { row: [error.message] },
    })),
  };
}

function splitRow({ input }: CsvRow) {
  const entries = Object.entries(input);
  const isAddress = ([name]: [string, unknown]) => Object.hasOwn(addressColumns, name);
  const address: Fields = Object.fromEntries(entries.filter((entry) => isAddress(entry) && entry[1] !== null));
  const fields: Fields = Object.fromEntries(entries.filter((entry) => !isAddress(entry)));
  return { fields, address: Object.keys(address).length > 0 ? address : undefined };
}

/** By id, external id, email or phone, in this order. */
async function findExisting(ctx: Ctx, fields: Fields): Promise<CustomerRecord | undefined> {
  const valid: Fields = { ...fields };
  for (const name of Object.keys(ctx.check(CustomerItem, valid) ?? {})) delete valid[name.split('.')[0] as string];
  const { id = null, external_ids, email = null, phone } = valid as Partial<CustomerRecord>;
  for (const [platform, external_id] of Object.entries(external_ids ?? {})) {
    const found = await findByExternalId(ctx, { platform, external_id });
    if (found !== undefined) return findBy(ctx, { id: found, email: null, phone: null });
  }
  return findBy(ctx, { id, email, phone: phone ? ((await readPhone(ctx, phone)) ?? null) : null });
}

function findBy(
  ctx: Ctx,
  { id, email, phone }: { id: string | null; email: string | null; phone: string | null },
): Promise<CustomerRecord | undefined> {
  return ctx.db.row<CustomerRecord>(sql`
    WITH found AS MATERIALIZED (
      SELECT id, 1 AS rank FROM customers WHERE id = ${id}::uuid AND deleted_at IS NULL
      UNION ALL SELECT id, 2 FROM customers WHERE email = ${email} AND deleted_at IS NULL
      UNION ALL SELECT id, 3 FROM customers WHERE phone = ${phone} AND deleted_at IS NULL)
    SELECT ${recordColumns} FROM customers c WHERE id = (SELECT id FROM found ORDER BY rank LIMIT 1)`);
}

async function isChanged(ctx: Ctx, existing: CustomerRecord, fields: Fields): Promise<boolean> {
  const next: Fields = { ...fields };
  // A wrong value is a change, which the update refuses.
  if (ctx.check(CustomerItem, next)) return true;
  if (typeof next.phone === 'string') next.phone = await readPhone(ctx, next.phone);
  if (next.external_ids) next.external_ids = { ...existing.external_ids, ...(next.external_ids as object) };
  return Object.entries(next).some(
    ([name, value]) => !isDeepStrictEqual(value, existing[name as keyof CustomerRecord]),
  );
}

/** An address that the customer has already is not added again. */
async function planAddress(ctx: Ctx, { id, address }: { readonly id: string; readonly address: Fields }) {
  const sent = Object.fromEntries(Object.keys(addressColumns).map((name) => [name, address[name] ?? null]));
  const known = await ctx.db.row(sql`
    SELECT FROM customer_addresses a WHERE customer_id = ${id}
      AND to_jsonb(a) @> jsonb_strip_nulls(${JSON.stringify(sent)}::jsonb) LIMIT 1`);
  return known ? { id } : { action: 'customers.addAddress', input: { ...address, id } };
}
