import { type Ctx, invalid, sql } from '@chowk/kit';
import { recordColumns } from './columns.ts';
import { fail } from './errors.ts';
import { tellCreated } from './events.ts';
import { normalizePhone } from './phone.ts';
import type { CustomerRecord } from './schemas.ts';

/** Who has ordered, or written, as told from outside. The first of id, phone and email decides. */
export interface Identity {
  readonly id?: string | undefined;
  readonly phone?: string | undefined;
  readonly email?: string | undefined;
  readonly first_name?: string | undefined;
  readonly last_name?: string | undefined;
}

/**
 * The customer that is meant: the one with the id, else with the phone, else with the email, else a new one. One that
 * exists stays as it is. It is locked until the transaction ends: it can be neither merged nor deleted meanwhile.
 */
export function resolveCustomer(ctx: Ctx, identity: Identity): Promise<CustomerRecord> {
  return ctx.tx(async (tx) => {
    const { id, first_name, last_name } = identity;
    if (id !== undefined) return (await lockLiving(tx, id)) ?? refuse(id);
    const phone = await readPhone(tx, 'customer.phone', identity.phone);
    const email = readEmail(identity.email);
    const attributes = { phone, email, first_name: first_name?.trim() || 'Guest', last_name: last_name?.trim() ?? '' };
    if (phone !== undefined) return findOrCreate(tx, 'phone', phone, attributes);
    if (email !== undefined) return findOrCreate(tx, 'email', email, attributes);
    return (await insert(tx, attributes)) as CustomerRecord;
  });
}

interface Attributes {
  readonly phone: string | undefined;
  readonly email: string | undefined;
  readonly first_name: string;
  readonly last_name: string;
}

/** Of many at once one creates; the others wait for it and find what it has made. */
async function findOrCreate(
  ctx: Ctx,
  by: 'phone' | 'email',
  value: string,
  attributes: Attributes,
): Promise<CustomerRecord> {
  const column = by === 'phone' ? sql`c.phone` : sql`c.email`;
  for (;;) {
    const found = await ctx.db.row<CustomerRecord>(sql`
      SELECT ${recordColumns} FROM customers c WHERE ${column} = ${value} AND deleted_at IS NULL FOR NO KEY UPDATE`);
    if (found) return found;
    const made = await insert(ctx, attributes);
    if (made) return made;
    // Somebody else has the other address of the two: this one is told apart by the one that decides.
    const other = by === 'phone' ? 'email' : undefined;
    if (other && attributes[other] !== undefined && !(await isTaken(ctx, by, value))) {
      attributes = { ...attributes, [other]: undefined };
    }
  }
}

/** Nothing is made where the phone or the email is taken. */
async function insert(ctx: Ctx, { phone, email, first_name, last_name }: Attributes) {
  const now = ctx.now();
  const customer = await ctx.db.row<CustomerRecord>(sql`
    INSERT INTO customers AS c (id, phone, email, first_name, last_name, created_at, updated_at)
    VALUES (${ctx.newId()}, ${phone ?? null}, ${email ?? null}, ${first_name}, ${last_name}, ${now}, ${now})
    ON CONFLICT DO NOTHING RETURNING ${recordColumns}`);
  if (customer) await tellCreated(ctx, customer);
  return customer;
}

async function isTaken(ctx: Ctx, by: 'phone' | 'email', value: string): Promise<boolean> {
  const column = by === 'phone' ? sql`phone` : sql`email`;
  const row = await ctx.db.row(sql`SELECT FROM customers WHERE ${column} = ${value} AND deleted_at IS NULL`);
  return row !== undefined;
}

async function lockLiving(ctx: Ctx, id: string): Promise<CustomerRecord | undefined> {
  const held = await lockCustomer(ctx, id);
  return held && !held.deleted ? held.customer : undefined;
}

/** The customer, or whom it has become by merging, locked until the transaction ends; also one that was deleted. */
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

/** The customer itself, locked until the transaction ends. 404 for one that is not there, deleted or merged. */
export async function holdCustomer(ctx: Ctx, id: string): Promise<CustomerRecord> {
  const customer = await ctx.db.row<CustomerRecord>(sql`
    SELECT ${recordColumns} FROM customers c WHERE id = ${id} AND deleted_at IS NULL FOR NO KEY UPDATE`);
  if (!customer) throw await missing(ctx, id);
  return customer;
}

/** The same for who only looks. */
export async function findCustomer(ctx: Ctx, id: string): Promise<CustomerRecord> {
  const customer = await ctx.db.row<CustomerRecord>(sql`
    SELECT ${recordColumns} FROM customers c WHERE id = ${id} AND deleted_at IS NULL`);
  if (!customer) throw await missing(ctx, id);
  return customer;
}

function findMerge(ctx: Ctx, id: string): Promise<{ merged_into: string } | undefined> {
  return ctx.db.row<{ merged_into: string }>(sql`SELECT merged_into FROM customer_merges WHERE id = ${id}`);
}

/** 404 for a customer that is not there, with whom it has become if it was merged. */
export async function missing(ctx: Ctx, id: string) {
  const merge = await findMerge(ctx, id);
  if (!merge) return fail('customers.not_found', { id });
  return fail('customers.merged', { id, ...merge }, { body: merge });
}

async function readPhone(ctx: Ctx, field: string, text: string | undefined): Promise<string | undefined> {
  if (text === undefined || text.trim() === '') return undefined;
  const { 'general.country': country } = await ctx.settings();
  const phone = normalizePhone(text, country);
  if (phone === undefined) throw invalid({ [field]: ['The phone must be a phone number, such as +91 98765 43210.'] });
  return phone;
}

function readEmail(text: string | undefined): string | undefined {
  return text?.trim().toLowerCase() || undefined;
}

function refuse(id: string): never {
  throw invalid({ 'customer.id': [`There is no customer ${id}.`] });
}
