import { type Ctx, changesBetween, extend, namesOf, sql, Type } from '@chowk/kit';
import { recordColumns } from './columns.ts';
import { type CustomerRecord, NewCustomer } from './schemas.ts';

const names = namesOf(NewCustomer);

export async function insertCustomer(ctx: Ctx, fields: Partial<NewCustomer>): Promise<CustomerRecord> {
  const row = JSON.stringify({ ...fields, id: ctx.newId(), created_at: ctx.now() });
  const customer = (await ctx.db.row<CustomerRecord>(sql`
    INSERT INTO customers AS c (id, ${names}, created_at, updated_at)
    SELECT id, ${names}, created_at, created_at FROM jsonb_populate_record(NULL::customers, ${row}::jsonb)
    RETURNING ${recordColumns}`)) as CustomerRecord;
  await ctx.emit('customer.created', { customer }, { about: customer.id });
  return customer;
}

/** Writes what is different of a customer that its transaction has locked. */
export async function saveCustomer(
  ctx: Ctx,
  current: CustomerRecord,
  fields: Partial<CustomerRecord>,
): Promise<CustomerRecord> {
  const changes = changesBetween(current, fields);
  const changed = Object.keys(changes);
  if (changed.length === 0) return current;
  const customer = await writeCustomer(ctx, current.id, fields);
  ctx.audit(changes);
  await ctx.emit('customer.updated', { customer, changed }, { about: customer.id });
  return customer;
}

const written = namesOf(
  extend(NewCustomer, {
    total_orders: Type.Integer(),
    total_spent: Type.String(),
    avg_order_value: Type.String(),
    first_order_at: Type.String(),
    last_order_at: Type.String(),
  }),
);

/** Fields that are not given stay as they are. */
export async function writeCustomer(ctx: Ctx, id: string, fields: Partial<CustomerRecord>): Promise<CustomerRecord> {
  return (await ctx.db.row<CustomerRecord>(sql`
    UPDATE customers c SET (${written}, updated_at) = (
      SELECT ${written}, ${ctx.now()}::timestamptz FROM jsonb_populate_record(c, ${JSON.stringify(fields)}::jsonb))
    WHERE id = ${id} RETURNING ${recordColumns}`)) as CustomerRecord;
}
