import { type Ctx, columnsFor, maskDigits, type Sql, sql } from '@chowk/kit';
import { Address, Customer, CustomerRecord } from './schemas.ts';

/** Whether the user may see whole phones and street addresses. */
export function canViewSensitive(ctx: Ctx): boolean {
  return ctx.can('customers.view_sensitive');
}

/** All fields, from a row of `customers c`. */
export const recordColumns = columnsFor(CustomerRecord, sql`c`);

const unmasked = columnsFor(Customer, sql`c`);
const masked = columnsFor(Customer, sql`c`, {
  phone: sql`regexp_replace(left(c.phone, -2), '[0-9]', '*', 'g') || right(c.phone, 2)`,
});

/** A customer as the user may see it in lists. */
export function columns(ctx: Ctx): Sql {
  return canViewSensitive(ctx) ? unmasked : masked;
}

const hidden = sql`NULL::text`;
/** All fields, from a row of `customer_addresses a`. */
export const addressColumns = columnsFor(Address, sql`a`);
const hiddenFields = { address1: hidden, address2: hidden, phone: hidden };
const maskedAddressColumns = columnsFor(Address, sql`a`, hiddenFields);

const isoTimes = { created_at: sql`iso(a.created_at)`, updated_at: sql`iso(a.updated_at)` };
export const addressJson = columnsFor(Address, sql`a`, isoTimes);
export const maskedAddressJson = columnsFor(Address, sql`a`, { ...isoTimes, ...hiddenFields });

export function visibleAddressColumns(ctx: Ctx): Sql {
  return canViewSensitive(ctx) ? addressColumns : maskedAddressColumns;
}

/** A record as the user may see it. */
export function mask<Row extends { phone: string | null }>(ctx: Ctx, row: Row): Row {
  return canViewSensitive(ctx) || row.phone === null ? row : { ...row, phone: maskDigits(row.phone) };
}
