import { type Ctx, type Failure, type Sql, sql } from '@chowk/kit';
import { recordColumns } from './columns.ts';
import { fail } from './errors.ts';
import type { CustomerRecord } from './schemas.ts';

/** 404 for a customer that does not exist, was deleted or merged. */
export async function findCustomer(ctx: Ctx, id: string, lock = sql``): Promise<CustomerRecord> {
  const customer = await ctx.db.row<CustomerRecord>(sql`
    SELECT ${recordColumns} FROM customers c WHERE id = ${id} AND deleted_at IS NULL ${lock}`);
  if (!customer) throw await missing(ctx, id);
  return customer;
}

/** As `findCustomer`, locked until the transaction ends. */
export function holdCustomer(ctx: Ctx, id: string): Promise<CustomerRecord> {
  return findCustomer(ctx, id, sql`FOR NO KEY UPDATE`);
}

/** The customer, or the one it was merged into, locked until the transaction ends; also one that was deleted. */
export async function lockCustomer(
  ctx: Ctx,
  id: string,
): Promise<{ customer: CustomerRecord; deleted: boolean } | undefined> {
  const row = await ctx.db.row<CustomerRecord & { deleted: boolean }>(sql`
    SELECT ${recordColumns}, c.deleted_at IS NOT NULL AS deleted FROM customers c WHERE id = ${id} FOR NO KEY UPDATE`);
  if (row) {
    const { deleted, ...customer } = row;
    return { customer, deleted };
  }
  const merge = await findMerge(ctx, id);
  return merge && lockCustomer(ctx, merge.merged_into);
}

/** The customer, or the one it was merged into, locked. 404 for one that does not exist or was deleted. */
export async function holdCurrent(ctx: Ctx, id: string): Promise<CustomerRecord> {
  const held = await lockCustomer(ctx, id);
  if (!held || held.deleted) throw await missing(ctx, id);
  return held.customer;
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
