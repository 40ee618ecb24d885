import { type Ctx, type FieldErrors, Issues, NullableEmail, NullableLine, sql, Type, Uuid } from '@chowk/kit';
import { recordColumns } from './columns.ts';
import { currentId, lockCustomer } from './find.ts';
import { normalizePhone, phoneProblem } from './phone.ts';
import type { CustomerRecord } from './schemas.ts';

/** Who ordered or wrote. The first of id, phone and email decides. */
export interface Identity {
  readonly id?: string | undefined;
  readonly phone?: string | null | undefined;
  readonly email?: string | null | undefined;
  readonly first_name?: string | null | undefined;
  readonly last_name?: string | null | undefined;
}

/**
 * The customer with the id, else with the phone, else with the email, else a new one. An existing one stays as it is. It
 * is locked until the transaction ends: it can be neither merged nor deleted meanwhile.
 */
export function resolveCustomer(ctx: Ctx, identity: Identity): Promise<CustomerRecord> {
  return ctx.tx(async (tx) => {
    const issues = new Issues();
    const { id, phone, email } = await readIdentity(tx, identity, issues);
    issues.throwIfAny();
    if (id !== undefined) {
      const held = await lockCustomer(tx, id);
      if (held && !held.deleted) return held.customer;
      addUnknown(issues, id);
      throw issues.failure;
    }
    const { first_name, last_name } = identity;
    const attributes = { phone, email, first_name: first_name?.trim() || 'Guest', last_name: last_name?.trim() ?? '' };
    if (phone) return findOrCreate(tx, 'phone', phone, attributes);
    if (email) return findOrCreate(tx, 'email', email, attributes);
    return (await insertGuest(tx, attributes)) as CustomerRecord;
  });
}

/** What is wrong with an identity, by the names it has as the `customer` of another input. */
export async function identityProblems(ctx: Ctx, identity: Identity): Promise<FieldErrors> {
  const issues = new Issues();
  const { id } = await readIdentity(ctx, identity, issues);
  if (id !== undefined && !(await exists(ctx, id))) addUnknown(issues, id);
  return issues.errors;
}

async function exists(ctx: Ctx, id: string): Promise<boolean> {
  const row = await ctx.db.row(sql`SELECT FROM customers WHERE id = ${currentId(id)} AND deleted_at IS NULL`);
  return row !== undefined;
}

const Given = Type.Object({
  id: Type.Optional(Uuid),
  phone: Type.Optional(NullableLine(32)),
  email: Type.Optional(NullableEmail),
});

/** What decides, in the form in which it is stored. With an id, phone and email do not matter. */
async function readIdentity(ctx: Ctx, { id, phone, email }: Identity, issues: Issues): Promise<Identity> {
  const given: Identity = id === undefined ? { phone, email } : { id };
  const wrong = ctx.check(Given, given) ?? {};
  for (const [field, list] of Object.entries(wrong)) {
    for (const { message, code } of list) issues.add(`customer.${field}`, message, code);
  }
  if (issues.any) return wrong.id ? {} : given;
  if (!given.phone) return given;
  const { 'general.country': country } = await ctx.settings();
  const normalized = normalizePhone(given.phone, country);
  if (normalized === undefined) issues.add('customer.phone', phoneProblem);
  return { ...given, phone: normalized };
}

function addUnknown(issues: Issues, id: string): void {
  issues.add('customer.id', `There is no customer ${id}.`, 'unknown');
}

interface Attributes {
  readonly phone: string | null | undefined;
  readonly email: string | null | undefined;
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
  const is = by === 'phone' ? sql`c.phone = ${value}` : sql`c.email = ${value}`;
  const find = () =>
    ctx.db.row<CustomerRecord>(sql`
      SELECT ${recordColumns} FROM customers c WHERE ${is} AND deleted_at IS NULL FOR NO KEY UPDATE`);
  for (;;) {
    const customer = (await find()) ?? (await insertGuest(ctx, attributes)) ?? (await find());
    if (customer) return customer;
    // Another customer has the email: the phone decides, so this one goes without.
    if (by === 'phone') attributes = { ...attributes, email: null };
  }
}

/** Nothing is made where the phone or the email is taken. */
async function insertGuest(ctx: Ctx, { phone, email, first_name, last_name }: Attributes) {
  const now = ctx.now();
  const customer = await ctx.db.row<CustomerRecord>(sql`
    INSERT INTO customers AS c (id, phone, email, first_name, last_name, created_at, updated_at)
    VALUES (${ctx.newId()}, ${phone ?? null}, ${email ?? null}, ${first_name}, ${last_name}, ${now}, ${now})
    ON CONFLICT DO NOTHING RETURNING ${recordColumns}`);
  if (customer) await ctx.emit('customer.created', { customer }, { about: customer.id });
  return customer;
}
