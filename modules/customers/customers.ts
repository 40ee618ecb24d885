import { type Ctx, invalid, sql } from '@chowk/kit';
import { addressesOf } from './addresses.ts';
import { recordColumns, seen } from './columns.ts';
import { tellCreated, tellUpdated } from './events.ts';
import { findCustomer, holdCustomer } from './identity.ts';
import { listMetadata } from './metadata.ts';
import { recentOrders } from './orders.ts';
import { applyChanges, blank, changedFields, type Fields, isSomebody, nobody } from './rules.ts';
import type { CustomerDetail, CustomerInput, CustomerRecord } from './schemas.ts';
import { segmentsOf } from './segments.ts';

export async function showCustomer(ctx: Ctx, { id }: { id: string }): Promise<CustomerDetail> {
  const customer = await findCustomer(ctx, id);
  const [addresses, recent_orders, segments, metadata] = await Promise.all([
    addressesOf(ctx, customer),
    recentOrders(ctx, customer),
    segmentsOf(ctx, customer),
    listMetadata(ctx, customer.id),
  ]);
  return { ...seen(ctx, customer), addresses, recent_orders, segments, metadata };
}

export async function createCustomer(ctx: Ctx, input: CustomerInput): Promise<CustomerRecord> {
  const fields = await applyChanges(ctx, blank, input);
  if (!isSomebody(fields)) throw nobody();
  const customer = await namingTaken(() =>
    ctx.tx(async (tx) => {
      const made = await insertCustomer(tx, fields);
      await tellCreated(tx, made);
      return made;
    }),
  );
  return seen(ctx, customer);
}

export async function updateCustomer(ctx: Ctx, { id }: { id: string }, input: CustomerInput): Promise<CustomerRecord> {
  const customer = await namingTaken(() =>
    ctx.tx(async (tx) => {
      const current = await holdCustomer(tx, id);
      const fields = await applyChanges(tx, current, input);
      if (isSomebody(current) && !isSomebody(fields)) throw nobody();
      const changed = changedFields(current, fields);
      if (changed.length === 0) return current;
      const saved = await saveCustomer(tx, current.id, fields);
      await tellUpdated(tx, saved, changed);
      return saved;
    }),
  );
  return seen(ctx, customer);
}

async function insertCustomer(ctx: Ctx, fields: Fields): Promise<CustomerRecord> {
  const { external_ids, email, phone, first_name, last_name, accepts_marketing, tags, notes } = fields;
  const now = ctx.now();
  return (await ctx.db.row<CustomerRecord>(sql`
    INSERT INTO customers AS c (id, external_ids, email, phone, first_name, last_name, accepts_marketing, tags, notes,
      created_at, updated_at)
    VALUES (${ctx.newId()}, ${JSON.stringify(external_ids)}, ${email}, ${phone}, ${first_name}, ${last_name},
      ${accepts_marketing}, ${tags}, ${notes}, ${now}, ${now})
    RETURNING ${recordColumns}`)) as CustomerRecord;
}

async function saveCustomer(ctx: Ctx, id: string, fields: Fields): Promise<CustomerRecord> {
  const { external_ids, email, phone, first_name, last_name, accepts_marketing, tags, notes } = fields;
  return (await ctx.db.row<CustomerRecord>(sql`
    UPDATE customers c SET external_ids = ${JSON.stringify(external_ids)}, email = ${email}, phone = ${phone},
      first_name = ${first_name}, last_name = ${last_name}, accepts_marketing = ${accepts_marketing}, tags = ${tags},
      notes = ${notes}, updated_at = ${ctx.now()}
    WHERE id = ${id} RETURNING ${recordColumns}`)) as CustomerRecord;
}

/** The unique indexes decide who was first, however many come at once; the others are told which field is taken. */
async function namingTaken<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const { code, constraint } = error as { code?: unknown; constraint?: unknown };
    if (code !== '23505') throw error;
    if (constraint === 'customers_email') throw invalid({ email: ['Another customer has this email.'] });
    if (constraint === 'customers_phone') throw invalid({ phone: ['Another customer has this phone.'] });
    throw error;
  }
}
