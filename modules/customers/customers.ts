import { type Ctx, Failure, Issues, invalid, sql, taken } from '@chowk/kit';
import { addressesOf } from './addresses.ts';
import { mask, recordColumns } from './columns.ts';
import { fail } from './errors.ts';
import { readChanges, takenMessage } from './fields.ts';
import { holdCustomer, missing } from './find.ts';
import { metadataOf } from './metadata.ts';
import { recentOrders } from './orders.ts';
import { insertCustomer, saveCustomer } from './save.ts';
import type { CustomerChanges, CustomerDetail, CustomerRecord, ExternalIdKey, NewCustomer } from './schemas.ts';
import { segmentsOf } from './segments.ts';

type Key = { readonly id: string };

export async function getCustomer(ctx: Ctx, key: Key): Promise<CustomerDetail> {
  const [customer] = await getCustomers(ctx, [key]);
  if (customer instanceof Failure) throw customer;
  return customer as CustomerDetail;
}

export async function getCustomers(ctx: Ctx, keys: readonly Key[]): Promise<(CustomerDetail | Failure)[]> {
  const ids = keys.map(({ id }) => id.toLowerCase());
  const rows = await ctx.db.rows<CustomerRecord>(sql`
    SELECT ${recordColumns} FROM customers c WHERE id = ANY(${ids}::uuid[]) AND deleted_at IS NULL`);
  const found = new Map((await complete(ctx, rows)).map((customer) => [customer.id, customer]));
  return Promise.all(ids.map((id) => found.get(id) ?? missing(ctx, id)));
}

async function complete(ctx: Ctx, customers: readonly CustomerRecord[]): Promise<CustomerDetail[]> {
  const ids = customers.map(({ id }) => id);
  const [addresses, metadata] = await Promise.all([addressesOf(ctx, ids), metadataOf(ctx, ids)]);
  return Promise.all(
    customers.map(async (customer) => ({
      ...mask(ctx, customer),
      addresses: addresses.filter(({ customer_id }) => customer_id === customer.id),
      recent_orders: await recentOrders(ctx, customer),
      segments: await segmentsOf(ctx, customer),
      metadata: metadata.filter(({ customer_id }) => customer_id === customer.id),
    })),
  );
}

/** The oldest, where several customers have it. */
export async function getByExternalId(ctx: Ctx, { platform, external_id }: ExternalIdKey): Promise<CustomerDetail> {
  const key = JSON.stringify({ [platform]: external_id });
  const customer = await ctx.db.row<Key>(sql`
    SELECT id FROM customers WHERE external_ids @> ${key}::jsonb AND deleted_at IS NULL ORDER BY created_at, id LIMIT 1`);
  if (!customer) throw fail('customers.not_found', { id: `${platform} ${external_id}` });
  return getCustomer(ctx, customer);
}

export async function createCustomer(ctx: Ctx, input: NewCustomer): Promise<CustomerRecord> {
  const issues = new Issues();
  const fields = await readChanges(ctx, input, issues);
  issues.throwIfAny();
  return mask(ctx, await namingTaken(() => ctx.tx((tx) => insertCustomer(tx, fields))));
}

export async function updateCustomer(ctx: Ctx, { id, ...changes }: CustomerChanges): Promise<CustomerRecord> {
  const update = async (tx: Ctx) => {
    const current = await holdCustomer(tx, id);
    tx.mustMatch(current);
    const issues = new Issues();
    const fields = await readChanges(tx, changes, issues, current);
    issues.throwIfAny();
    return saveCustomer(tx, current, fields);
  };
  return mask(ctx, await namingTaken(() => ctx.tx(update)));
}

/** The unique indexes decide who was first; the others learn which field is taken. */
async function namingTaken<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const { code, constraint } = error as { code?: unknown; constraint?: unknown };
    if (code !== '23505') throw error;
    if (constraint === 'customers_email') throw invalid({ email: taken(takenMessage('email')) });
    if (constraint === 'customers_phone') throw invalid({ phone: taken(takenMessage('phone')) });
    throw error;
  }
}
