import { assignments, type Ctx, changesBetween, columnNames, type Issues, maskDigits, sql } from '@chowk/kit';
import { canViewSensitive, recordColumns } from './columns.ts';
import { addTakenIds } from './external-ids.ts';
import { phoneProblem, readPhone } from './phone.ts';
import { type CustomerChanges, CustomerFields, type CustomerRecord, maxExternalIds } from './schemas.ts';

export type Changes = Partial<CustomerFields>;
type SentChanges = Omit<CustomerChanges, 'id'>;

const identifying = ['email', 'phone', 'first_name'] as const;

/** The changes as they are stored; adds problems that the schema cannot express to `issues`. */
export async function readChanges(
  ctx: Ctx,
  { external_ids, metadata: _, ...changes }: SentChanges,
  issues: Issues,
  current?: CustomerRecord,
): Promise<Changes> {
  const fields: Changes = { ...changes };
  if (external_ids) {
    fields.external_ids = mergeExternalIds(current, external_ids, issues);
    await addTakenIds(ctx, current, fields.external_ids, issues);
  }
  if (changes.phone) {
    const phone = isMasked(ctx, changes.phone, current) ? current?.phone : await readPhone(ctx, changes.phone);
    if (phone) fields.phone = phone;
    else issues.add('phone', phoneProblem);
  }
  const next: Changes = { ...current, ...fields };
  const wasIdentified = !current || identifying.some((name) => current[name]);
  if (wasIdentified && !identifying.some((name) => next[name] || issues.has(name))) {
    for (const name of identifying)
      issues.add(name, 'At least an email, a phone or a first name is required.', 'required');
  }
  return fields;
}

/** By platform: null removes an id. */
function mergeExternalIds(
  current: CustomerFields | undefined,
  changes: NonNullable<SentChanges['external_ids']>,
  issues: Issues,
): CustomerFields['external_ids'] {
  const merged = new Map(Object.entries(current?.external_ids ?? {}));
  for (const [platform, id] of Object.entries(changes)) {
    if (id === null) merged.delete(platform.trim());
    else merged.set(platform.trim(), id);
  }
  if (merged.size > maxExternalIds)
    issues.add('external_ids', `A customer has at most ${maxExternalIds} external ids.`, 'too_many');
  return Object.fromEntries(merged);
}

/** A user who cannot see the phone sends it back masked, which does not change it. */
function isMasked(ctx: Ctx, phone: string, current: CustomerFields | undefined): boolean {
  return Boolean(current?.phone) && !canViewSensitive(ctx) && phone === maskDigits(current?.phone as string);
}

/** Adds the fields that another customer has to the issues. */
export async function addTaken(
  ctx: Ctx,
  { email = null, phone = null }: Changes,
  issues: Issues,
  id: string | null = null,
): Promise<void> {
  const others = sql`FROM customers WHERE deleted_at IS NULL AND id IS DISTINCT FROM ${id}::uuid`;
  const taken = await ctx.db.rows<{ field: string }>(sql`
    SELECT 'email' AS field ${others} AND email = ${email} UNION ALL SELECT 'phone' ${others} AND phone = ${phone}`);
  for (const { field } of taken) issues.add(field, takenMessage(field), 'taken');
}

export function takenMessage(field: string): string {
  return `Another customer has this ${field}.`;
}

const names = columnNames(CustomerFields);
const defaults = { external_ids: {}, accepts_marketing: false, tags: [] };

/** `undefined` if a customer with this email or phone exists. */
export async function insertCustomer(ctx: Ctx, fields: Changes): Promise<CustomerRecord | undefined> {
  const row = JSON.stringify({ ...defaults, ...fields, id: ctx.newId(), created_at: ctx.now() });
  const customer = await ctx.db.row<CustomerRecord>(sql`
    INSERT INTO customers AS c (id, ${names}, created_at, updated_at)
    SELECT id, ${names}, created_at, created_at FROM jsonb_populate_record(NULL::customers, ${row}::jsonb)
    ON CONFLICT DO NOTHING RETURNING ${recordColumns}`);
  if (customer?.accepts_marketing) await insertConsent(ctx, customer, 'creation');
  if (customer) await ctx.emit('customer.created', { customer });
  return customer;
}

/** Writes the changed fields of a locked customer, with audit entry and event. */
export async function saveCustomer(
  ctx: Ctx,
  current: CustomerRecord,
  fields: Partial<CustomerRecord>,
  /** How the customer's consent was changed. */
  source = 'update',
): Promise<CustomerRecord> {
  const changes = changesBetween(current, fields);
  const changed = Object.keys(changes);
  if (changed.length === 0) return current;
  const customer = await writeCustomer(ctx, current.id, fields);
  if ('accepts_marketing' in changes) await insertConsent(ctx, customer, source);
  ctx.audit(changes);
  await ctx.emit('customer.updated', { customer, changed });
  return customer;
}

async function insertConsent(
  ctx: Ctx,
  { id, accepts_marketing }: Pick<CustomerRecord, 'id' | 'accepts_marketing'>,
  source: string,
): Promise<void> {
  await ctx.db.run(sql`
    INSERT INTO customer_consents (id, customer_id, accepts_marketing, source, user_id, created_at)
    VALUES (${ctx.newId()}, ${id}, ${accepts_marketing}, ${source}, ${ctx.userId ?? null}, ${ctx.now()})`);
}

/** Writes these fields and `updated_at`. */
export async function writeCustomer(ctx: Ctx, id: string, fields: Partial<CustomerRecord>): Promise<CustomerRecord> {
  return (await ctx.db.row<CustomerRecord>(sql`
    UPDATE customers c SET ${assignments({ ...fields, updated_at: ctx.now() })}
    WHERE id = ${id} RETURNING ${recordColumns}`)) as CustomerRecord;
}

/** Reports a change of rows that belong to a locked customer. */
export async function touchCustomer(ctx: Ctx, id: string, changed: string): Promise<CustomerRecord> {
  const customer = await writeCustomer(ctx, id, {});
  await ctx.emit('customer.updated', { customer, changed: [changed] });
  return customer;
}
