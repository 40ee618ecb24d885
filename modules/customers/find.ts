import { type Ctx, type Failure, type Sql, sql } from '@chowk/kit';
import { recordColumns } from './columns.ts';
import { fail } from './errors.ts';
import type { CustomerRecord } from './schemas.ts';

interface Found {
  readonly customer: CustomerRecord;
  readonly deleted: boolean;
}

async function find(ctx: Ctx, id: string, lock: Sql): Promise<Found | undefined> {
  const row = await ctx.db.row<CustomerRecord & { deleted: boolean }>(sql`
    SELECT ${recordColumns}, c.deleted_at IS NOT NULL AS deleted FROM customers c WHERE id = ${id} ${lock}`);
  if (!row) return undefined;
  const { deleted, ...customer } = row;
  return { customer, deleted };
}

/** The customer, also a deleted one; 404 for one that does not exist or was merged. */
export async function findAny(ctx: Ctx, id: string, lock: Sql): Promise<Found> {
  const found = await find(ctx, id, lock);
  if (!found) throw await missing(ctx, id);
  return found;
}

/** 404 for a customer that does not exist, was deleted or merged. */
export async function findCustomer(ctx: Ctx, id: string, lock = sql``): Promise<CustomerRecord> {
  const { customer, deleted } = await findAny(ctx, id, lock);
  if (deleted) throw await missing(ctx, id);
  return customer;
}

/** As `findCustomer`, locked until the transaction ends. */
export function lockCustomer(ctx: Ctx, id: string): Promise<CustomerRecord> {
  return findCustomer(ctx, id, sql`FOR NO KEY UPDATE`);
}

/** The customer, also a deleted one, or the one it was merged into, locked until the transaction ends. */
export async function lockCurrent(ctx: Ctx, id: string): Promise<Found | undefined> {
  const found = await find(ctx, id, sql`FOR NO KEY UPDATE`);
  if (found) return found;
  const merge = await findMerge(ctx, id);
  return merge && lockCurrent(ctx, merge.merged_into);
}

/** The id, or that of the customer it was merged into. */
export function currentId(id: string): Sql {
  return sql`coalesce((SELECT merged_into FROM customer_merges WHERE id = ${id}), ${id})`;
}

function findMerge(ctx: Ctx, id: string): Promise<{ merged_into: string } | undefined> {
  return ctx.db.row<{ merged_into: string }>(sql`SELECT merged_into FROM customer_merges WHERE id = ${id}`);
}

/** 404, with the customer that it was merged into if it was. */
export async function missing(ctx: Ctx, id: string): Promise<Failure> {
  const merge = await findMerge(ctx, id);
  if (!merge) return fail('customers.not_found', { id });
  return fail('customers.merged', { id, ...merge }, { body: merge });
}
