import { type Ctx, columnsFor, Failure, Issues, invalid, sql, taken, violatedIndex } from '@chowk/kit';
import { addressesWithin } from './addresses.ts';
import { mask, recordColumns } from './columns.ts';
import { consentsWithin } from './consents.ts';
import { fail } from './errors.ts';
import { findByExternalId } from './external-ids.ts';
import { lockCustomer, missing } from './find.ts';
import { setMetadata } from './metadata.ts';
import { recentOrders } from './orders.ts';
import {
  addTaken,
  type Changes,
  insertCustomer,
  readChanges,
  saveCustomer,
  takenMessage,
  touchCustomer,
} from './save.ts';
import {
  type CustomerChanges,
  type CustomerDetail,
  type CustomerRecord,
  type ExternalIdKey,
  Metadata,
  type NewCustomer,
} from './schemas.ts';
import { matchSegments } from './segments.ts';

type Key = { readonly id: string };

export async function getCustomer(ctx: Ctx, key: Key): Promise<CustomerDetail> {
  const [customer] = await getCustomers(ctx, [key]);
  if (customer instanceof Failure) throw customer;
  return customer as CustomerDetail;
}

export async function getCustomers(ctx: Ctx, keys: readonly Key[]): Promise<(CustomerDetail | Failure)[]> {
  const ids = keys.map(({ id }) => id.toLowerCase());
  const [rows, orders] = await Promise.all([
    ctx.db.rows<DetailRow>(sql`
      SELECT ${recordColumns}, ${addressesWithin(ctx)} AS addresses, ${metadata} AS metadata, ${consentsWithin} AS consents
      FROM customers c WHERE id = ANY(${ids}::uuid[]) AND deleted_at IS NULL`),
    recentOrders(ctx, [...new Set(ids)]),
  ]);
  const ordersById = Map.groupBy(orders, ({ customer_id }) => customer_id);
  const customers = new Map<string, CustomerDetail>();
  for (const row of rows) {
    const recent_orders = ordersById.get(row.id) ?? [];
    customers.set(row.id, { ...mask(ctx, row), recent_orders, segments: await matchSegments(ctx, row) });
  }
  return Promise.all(ids.map((id) => customers.get(id) ?? missing(ctx, id)));
}

type DetailRow = CustomerRecord & Pick<CustomerDetail, 'addresses' | 'metadata' | 'consents'>;

/** The metadata of a row of `customers c`. */
const metadata = sql`(SELECT coalesce(json_agg(m), '[]') FROM (
  SELECT ${columnsFor(Metadata, sql`m`)} FROM customer_metadata m WHERE m.customer_id = c.id
  ORDER BY m.module_source, m.key) m)`;

export async function getByExternalId(ctx: Ctx, { platform, external_id }: ExternalIdKey): Promise<CustomerDetail> {
  const id = await findByExternalId(ctx, { platform, external_id });
  if (id === undefined) throw fail('customers.not_found', { id: `${external_id} of ${platform}` });
  return getCustomer(ctx, { id });
}

export async function checkNewCustomer(ctx: Ctx, input: Partial<NewCustomer>, issues: Issues): Promise<Changes> {
  const fields = await readChanges(ctx, input, issues);
  // Only if there are other problems to report; otherwise the insertion checks it.
  if (issues.any) await addTaken(ctx, fields, issues);
  return fields;
}

export async function createCustomer(ctx: Ctx, { metadata }: NewCustomer, fields: Changes): Promise<CustomerRecord> {
  const customer = await insertCustomer(ctx, fields);
  if (customer) {
    if (metadata) await setMetadata(ctx, customer.id, metadata);
    return mask(ctx, customer);
  }
  const issues = new Issues();
  await addTaken(ctx, fields, issues);
  throw issues.failure;
}

interface Edit {
  readonly current: CustomerRecord;
  readonly fields: Changes;
}

export async function checkChanges(
  ctx: Ctx,
  { id, ...changes }: Partial<CustomerChanges>,
  issues: Issues,
): Promise<Edit | undefined> {
  if (id === undefined) return undefined;
  const current = await lockCustomer(ctx, id);
  ctx.mustMatch(current);
  const fields = await readChanges(ctx, changes, issues, current);
  const { email = current.email, phone = current.phone } = fields;
  if (email !== current.email || phone !== current.phone) await addTaken(ctx, fields, issues, id);
  return { current, fields };
}

export async function updateCustomer(
  ctx: Ctx,
  { metadata }: CustomerChanges,
  { current, fields }: Edit,
): Promise<CustomerRecord> {
  try {
    const isChanged = metadata && (await setMetadata(ctx, current.id, metadata));
    const saved = await saveCustomer(ctx, current, fields);
    const customer = isChanged ? await touchCustomer(ctx, current.id, 'metadata') : saved;
    return mask(ctx, customer);
  } catch (error) {
    // A concurrent request has taken the value.
    const [, field] = /^customers_(email|phone)$/.exec(violatedIndex(error) ?? '') ?? [];
    throw field ? invalid({ [field]: taken(takenMessage(field)) }) : error;
  }
}
