import { type Ctx, maskPhone, type Sql, sql } from '@chowk/kit';

/** Whether the caller sees phones and street addresses. */
export function seesAll(ctx: Ctx): boolean {
  return ctx.can('customers.view_sensitive');
}

/** A customer with all there is, from a row of `customers c`: for who is about to change it, and for events. */
export const recordColumns = sql`${columns(true)}, c.notes, iso(c.anonymized_at) AS anonymized_at`;

/** A customer as lists show it, from a row of `customers c`. */
export function columns(all: boolean): Sql {
  return sql`c.id, c.external_ids, c.email, ${phone(all, sql`c.phone`)} AS phone, c.first_name, c.last_name,
    c.accepts_marketing, c.total_orders, c.total_spent::text AS total_spent,
    c.avg_order_value::text AS avg_order_value, iso(c.first_order_at) AS first_order_at,
    iso(c.last_order_at) AS last_order_at, c.tags, iso(c.created_at) AS created_at, iso(c.updated_at) AS updated_at`;
}

/** An address from a row of `customer_addresses a`. */
export function addressColumns(all: boolean): Sql {
  const hidden = (column: Sql) => (all ? column : sql`NULL::text`);
  return sql`a.id, a.customer_id, a.type, a.is_default, a.first_name, a.last_name, a.company,
    ${hidden(sql`a.address1`)} AS address1, ${hidden(sql`a.address2`)} AS address2, a.city, a.state, a.pincode, a.country,
    ${hidden(sql`a.phone`)} AS phone, iso(a.created_at) AS created_at, iso(a.updated_at) AS updated_at`;
}

/** The same as `maskPhone`, where PostgreSQL makes the answer. */
function phone(all: boolean, column: Sql): Sql {
  return all ? column : sql`regexp_replace(left(${column}, -2), '[0-9]', '*', 'g') || right(${column}, 2)`;
}

/** A record as its caller may see it. */
export function seen<Seen extends { phone: string | null }>(ctx: Ctx, record: Seen): Seen {
  return seesAll(ctx) || record.phone === null ? record : { ...record, phone: maskPhone(record.phone) };
}
