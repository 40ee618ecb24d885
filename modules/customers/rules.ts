import { isDeepStrictEqual } from 'node:util';
import { type Ctx, distinct, type FieldErrors, invalid, maskPhone, Type } from '@chowk/kit';
import { seesAll } from './columns.ts';
import { normalizePhone } from './phone.ts';
import { type CustomerInput, type CustomerRecord, Email } from './schemas.ts';

/** What a merchant decides about a customer, in the form in which it is kept. */
export type Fields = Pick<CustomerRecord, keyof CustomerInput>;

export const blank: Fields = {
  external_ids: {},
  email: null,
  phone: null,
  first_name: null,
  last_name: null,
  accepts_marketing: false,
  tags: [],
  notes: null,
};

/** A customer with changes applied that its schema accepts; 422 for what is wrong that no schema can say. */
export async function applyChanges(ctx: Ctx, current: Fields, input: CustomerInput): Promise<Fields> {
  const { 'general.country': country } = input.phone ? await ctx.settings() : {};
  const { email, external_ids, ...others } = input;
  const phone = isShown(ctx, current, input) ? undefined : input.phone;
  const fields = { ...pick(current), ...tidy(others) };
  const errors: FieldErrors = {};
  if (email !== undefined) {
    fields.email = email?.trim().toLowerCase() || null;
    if (fields.email) Object.assign(errors, ctx.check(EmailOnly, { email: fields.email }));
  }
  if (phone !== undefined) {
    fields.phone = phone?.trim() ? (normalizePhone(phone, country) ?? null) : null;
    if (phone?.trim() && !fields.phone) errors.phone = ['The phone must be a phone number, such as +91 98765 43210.'];
  }
  if (external_ids !== undefined) {
    const entries = Object.entries(external_ids).map(([platform, id]) => [platform.trim(), id.trim()] as const);
    fields.external_ids = Object.fromEntries(entries);
    for (const [platform, id] of entries) {
      if (!platform || !id) errors[`external_ids.${platform}`] = ['An external id and its platform must not be empty.'];
    }
  }
  if (Object.keys(errors).length > 0) throw invalid(errors);
  return fields;
}

/** Who does not see the phone sends back what is shown of it, and does not mean to change it. */
function isShown(ctx: Ctx, { phone }: Fields, input: CustomerInput): boolean {
  return phone !== null && !seesAll(ctx) && input.phone === maskPhone(phone);
}

/** Whether there is anything to tell the customer by; an anonymized one has nothing. */
export function isSomebody({ email, phone, first_name }: Fields): boolean {
  return email !== null || phone !== null || Boolean(first_name);
}

export function nobody() {
  const message = 'Give at least an email, a phone or a first name.';
  return invalid({ email: [message], phone: [message], first_name: [message] });
}

/** The names of the fields in which the second differs. */
export function changedFields<Record extends object>(current: Record, next: Partial<Record>): string[] {
  const names = Object.keys(next) as (keyof Record & string)[];
  return names.filter((name) => !isDeepStrictEqual(current[name], next[name]));
}

const EmailOnly = Type.Object({ email: Email });

function tidy({ first_name, last_name, tags, notes, accepts_marketing }: CustomerInput): Partial<Fields> {
  return {
    ...(first_name !== undefined && { first_name: first_name?.trim() || null }),
    ...(last_name !== undefined && { last_name: last_name?.trim() || null }),
    ...(tags !== undefined && { tags: distinct(tags) }),
    ...(notes !== undefined && { notes: notes?.trim() ? notes : null }),
    ...(accepts_marketing !== undefined && { accepts_marketing }),
  };
}

/** The fields alone of a record that has more. */
function pick(record: Fields): Fields {
  const { external_ids, email, phone, first_name, last_name, accepts_marketing, tags, notes } = record;
  return { external_ids, email, phone, first_name, last_name, accepts_marketing, tags, notes };
}
