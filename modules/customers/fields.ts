import { type Ctx, canViewSensitive, type Issues, maskPhone, sql } from '@chowk/kit';
import { findCustomer } from './find.ts';
import { normalizePhone, phoneProblem } from './phone.ts';
import type { CustomerChanges, NewCustomer } from './schemas.ts';

type Changes = Partial<NewCustomer>;

const identifying = ['email', 'phone', 'first_name'] as const;

/** The changes as they are stored; adds to `issues` what is wrong with them that no schema can say. */
export async function readChanges(ctx: Ctx, changes: Changes, issues: Issues, current?: NewCustomer): Promise<Changes> {
  const fields = { ...changes };
  if (changes.external_ids) {
    const trimmed = Object.entries(changes.external_ids).map(([platform, id]) => [platform.trim(), id]);
    fields.external_ids = Object.fromEntries(trimmed);
  }
  if (changes.phone) {
    const phone = isMasked(ctx, changes.phone, current) ? current?.phone : await readPhone(ctx, changes.phone);
    if (phone) fields.phone = phone;
    else issues.add('phone', phoneProblem);
  }
  const next: Changes = { ...current, ...fields };
  const wasIdentified = !current || identifying.some((name) => current[name]);
  if (wasIdentified && !identifying.some((name) => next[name] || issues.has(name))) {
    for (const name of identifying) issues.add(name, 'Give at least an email, a phone or a first name.', 'required');
  }
  return fields;
}

/** A form of a caller who may not see the phone sends back what it was shown, and does not mean to change it. */
function isMasked(ctx: Ctx, phone: string, current: NewCustomer | undefined): boolean {
  return Boolean(current?.phone) && !canViewSensitive(ctx) && phone === maskPhone(current?.phone as string);
}

async function readPhone(ctx: Ctx, text: string): Promise<string | undefined> {
  const { 'general.country': country } = await ctx.settings();
  return normalizePhone(text, country);
}

export async function explainCustomer(
  ctx: Ctx,
  { id, ...changes }: Partial<CustomerChanges>,
  issues: Issues,
): Promise<void> {
  const current = id === undefined ? undefined : await findCustomer(ctx, id);
  const { email, phone } = await readChanges(ctx, changes, issues, current);
  const others = sql`FROM customers WHERE deleted_at IS NULL AND id IS DISTINCT FROM ${id ?? null}::uuid`;
  const taken = await ctx.db.rows<{ field: 'email' | 'phone' }>(sql`
    SELECT 'email' AS field ${others} AND email = ${email ?? null}
    UNION ALL SELECT 'phone' ${others} AND phone = ${phone ?? null}`);
  for (const { field } of taken) issues.add(field, takenMessage(field), 'taken');
}

export function takenMessage(field: 'email' | 'phone'): string {
  return `Another customer has this ${field}.`;
}
