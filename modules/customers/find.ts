import { type Ctx, type Failure, type Sql, sql } from '@chowk/kit';
import { recordColumns } from './columns.ts';
import { fail } from './errors.ts';
import type { CustomerRecord } from './schemas.ts';

interface Found {
  readonly customer: CustomerRecord;
  readonly isDeleted: boolean;
}

async function find(ctx: Ctx, id: string, lock: Sql): Promise<Found | undefined> {
  const row = await ctx.db.row<CustomerRecord & { isDeleted: boolean }>(sql`
    SELECT ${recordColumns}, c.deleted_at IS NOT NULL AS "isDeleted" FROM customers c WHERE id = ${id} ${lock}`);
  if (!row) return undefined;
  const { isDeleted, ...customer } = row;
  return { customer, isDeleted };
}

/** The customer, even if it is deleted. 404 if it does not exist or was merged. */
export async function findAny(ctx: Ctx, id: string, lock: Sql): Promise<Found> {
  const found = await find(ctx, id, lock);
  if (!found) throw await missing(ctx, id);
  return found;
}

/** 404 if the customer does not exist, is deleted or was merged. */
export async function findCustomer(ctx: Ctx, id: string, lock = sql``): Promise<CustomerRecord> {
  const { customer, isDeleted } = await findAny(ctx, id, lock);
  if (isDeleted) throw await missing(ctx, id);
  return customer;
}

/** As `findCustomer`, locked until the transaction ends. */
export function lockCustomer(ctx: Ctx, id: string): Promise<CustomerRecord> {
  return findCustomer(ctx, id, sql`FOR NO KEY UPDATE`);
}

/** The customer, even if it is deleted, or the one it was merged into; locked until the transaction ends. */
export async function lockCurrent(ctx: Ctx, id: string): Promise<Found | undefined> {
  const found = await find(ctx, id, sql`FOR NO KEY UPDATE`);
  if (found) return found;
  const merge = await findMerge(ctx, id);
  return merge && lockCurrent(ctx, merge.merged_into);
}

/** As `lockCurrent`; 404 if the customer does not exist or is deleted. */
export async function lockActive(ctx: Ctx, id: string): Promise<CustomerRecord> {
  const found = await lockCurrent(ctx, id);
  if (!found || found.isDeleted) throw await missing(ctx, id);
  return found.customer;
}

/** The id, or the id of the customer it was merged into. */
export function currentId(id: string): Sql {
  return sql`coalesce((SELECT merged_into FROM customer_merges WHERE id = ${id}), ${id})`;
}

function findMerge(ctx: Ctx, id: string): Promise<{ merged_into: string } | undefined> {
  return ctx.db.row<{ merged_into: string }>(sql`SELECT merged_into FROM customer_merges WHERE id = ${id}`);
}

/** 404, with `merged_into` if the customer was merged. */
export async function missing(ctx: Ctx, id: string): Promise<Failure> {
  const merge = await findMerge(ctx, id);
  if (!merge) return fail('customers.not_found', { id });
  return fail('customers.merged', { id, ...merge }, { body: merge });
}
