import { type Ctx, type FieldErrors, Issues, NullableEmail, NullableLine, sql, Type, Uuid } from '@chowk/kit';
import { recordColumns } from './columns.ts';
import { currentId, lockCurrent } from './find.ts';
import { phoneProblem, readPhone } from './phone.ts';
import { insertCustomer } from './save.ts';
import type { CustomerRecord } from './schemas.ts';

/** Who ordered or wrote. The first of id, phone and email decides. */
interface Identity {
  readonly id?: string | undefined;
  readonly phone?: string | null | undefined;
  readonly email?: string | null | undefined;
  readonly first_name?: string | null | undefined;
  readonly last_name?: string | null | undefined;
}

/**
 * The customer with the id, else with the phone, else with the email, else a new one called Guest. An existing one stays
 * as it is. It is locked until the transaction ends. 422 names `customer.id`, `customer.phone` and `customer.email`.
 */
export function findOrCreate(ctx: Ctx, identity: Identity): Promise<CustomerRecord> {
  return ctx.tx(async (tx) => {
    const issues = new Issues();
    const { id, phone = null, email = null } = await readIdentity(tx, identity, issues);
    issues.throwIfAny();
    if (id !== undefined) {
      const found = await lockCurrent(tx, id);
      if (found && !found.deleted) return found.customer;
      addUnknown(issues, id);
      throw issues.failure;
    }
    const names = { first_name: identity.first_name?.trim() || 'Guest', last_name: identity.last_name?.trim() ?? '' };
    return findOrInsert(tx, { phone, email, ...names });
  });
}

/** What `findOrCreate` would refuse, without creating anything: for a caller's `explain`. */
export async function problems(ctx: Ctx, { customer }: { readonly customer: Identity }): Promise<FieldErrors> {
  const issues = new Issues();
  const { id } = await readIdentity(ctx, customer, issues);
  const isKnown = (known: string) =>
    ctx.db.row(sql`SELECT FROM customers WHERE id = ${currentId(known)} AND deleted_at IS NULL`);
  if (id !== undefined && !(await isKnown(id))) addUnknown(issues, id);
  return issues.errors;
}

function addUnknown(issues: Issues, id: string): void {
  issues.add('customer.id', `There is no customer ${id}.`, 'unknown');
}

const Given = Type.Object({
  id: Type.Optional(Uuid),
  phone: Type.Optional(NullableLine(32)),
  email: Type.Optional(NullableEmail),
});

/** What decides, as it is stored; what is wrong is left out and added to `issues`. */
async function readIdentity(ctx: Ctx, { id, phone, email }: Identity, issues: Issues): Promise<Identity> {
  // With an id, phone and email do not matter.
  const given: Record<string, string | null | undefined> = id === undefined ? { phone, email } : { id };
  for (const [field, list] of Object.entries(ctx.check(Given, given) ?? {})) {
    for (const { message, code } of list) issues.add(`customer.${field}`, message, code);
    delete given[field];
  }
  if (!given.phone) return given as Identity;
  const normalized = await readPhone(ctx, given.phone);
  if (normalized === undefined) issues.add('customer.phone', phoneProblem);
  return { ...given, phone: normalized };
}

type Guest = Pick<CustomerRecord, 'phone' | 'email' | 'first_name' | 'last_name'>;

/** Of many at once one creates; the others wait for it and find what it has made. */
async function findOrInsert(ctx: Ctx, guest: Guest): Promise<CustomerRecord> {
  const { phone, email } = guest;
  const is = phone ? sql`c.phone = ${phone}` : sql`c.email = ${email}`;
  const find = () =>
    ctx.db.row<CustomerRecord>(sql`
      SELECT ${recordColumns} FROM customers c WHERE ${is} AND deleted_at IS NULL FOR NO KEY UPDATE`);
  const insert = () => insertCustomer(ctx, guest, sql`ON CONFLICT DO NOTHING`);
  const customer = (await find()) ?? (await insert()) ?? (await find());
  // Another customer has the email: the phone decides, so this one goes without.
  return customer ?? findOrInsert(ctx, phone ? { ...guest, email: null } : guest);
}
