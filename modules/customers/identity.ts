import { type Ctx, Issues, NullableEmail, NullableLine, sql, Type, Uuid } from '@chowk/kit';
import { recordColumns } from './columns.ts';
import { currentId, lockCurrent } from './find.ts';
import { phoneProblem, readPhone } from './phone.ts';
import { insertCustomer } from './save.ts';
import type { CustomerRecord } from './schemas.ts';

/** The first of id, phone and email identifies the customer. */
interface Identity {
  readonly id?: string | undefined;
  readonly phone?: string | null | undefined;
  readonly email?: string | null | undefined;
  readonly first_name?: string | null | undefined;
  readonly last_name?: string | null | undefined;
}

export async function findOrCreate(ctx: Ctx, identity: Identity): Promise<CustomerRecord> {
  const issues = new Issues();
  const { id, phone = null, email = null } = await readIdentity(ctx, identity, issues);
  issues.throwIfAny();
  if (id !== undefined) {
    const found = await lockCurrent(ctx, id);
    if (found && !found.isDeleted) return found.customer;
    addUnknown(issues, id);
    throw issues.failure;
  }
  const names = { first_name: identity.first_name?.trim() || 'Guest', last_name: identity.last_name?.trim() ?? '' };
  return findOrInsert(ctx, { phone, email, ...names });
}

export async function checkIdentity(ctx: Ctx, identity: Identity): Promise<Issues['errors']> {
  const issues = new Issues();
  const { id } = await readIdentity(ctx, identity, issues);
  if (id !== undefined) {
    const customer = await ctx.db.row(sql`
      SELECT FROM customers WHERE id = ${currentId(id)} AND deleted_at IS NULL`);
    if (!customer) addUnknown(issues, id);
  }
  return issues.errors;
}

function addUnknown(issues: Issues, id: string): void {
  issues.add('customer.id', `There is no customer ${id}.`, 'unknown');
}

const Key = Type.Object({
  id: Type.Optional(Uuid),
  phone: Type.Optional(NullableLine(32)),
  email: Type.Optional(NullableEmail),
});

/** The values as they are stored, without invalid ones, which are added to `issues`. */
async function readIdentity(ctx: Ctx, { id, phone, email }: Identity, issues: Issues): Promise<Identity> {
  // An id makes phone and email irrelevant.
  const key: Record<string, string | null | undefined> = id === undefined ? { phone, email } : { id };
  for (const [field, list] of Object.entries(ctx.check(Key, key) ?? {})) {
    for (const { message, code } of list) issues.add(`customer.${field}`, message, code);
    delete key[field];
  }
  if (!key.phone) return key as Identity;
  const normalized = await readPhone(ctx, key.phone);
  if (normalized === undefined) issues.add('customer.phone', phoneProblem);
  return { ...key, phone: normalized };
}

type Guest = Pick<CustomerRecord, 'phone' | 'email' | 'first_name' | 'last_name'>;

/** If concurrent calls have the same phone or email, one inserts the customer; the others wait and find it. */
async function findOrInsert(ctx: Ctx, guest: Guest): Promise<CustomerRecord> {
  const { phone, email } = guest;
  const isSame = phone ? sql`c.phone = ${phone}` : sql`c.email = ${email}`;
  const find = () =>
    ctx.db.row<CustomerRecord>(sql`
      SELECT ${recordColumns} FROM customers c WHERE ${isSame} AND deleted_at IS NULL FOR NO KEY UPDATE`);
  const insert = () => insertCustomer(ctx, guest);
  const customer = (await find()) ?? (await insert()) ?? (await find());
  // A customer with another phone has the email, so the new one is created without it.
  return customer ?? findOrInsert(ctx, phone ? { ...guest, email: null } : guest);
}
