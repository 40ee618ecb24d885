import { type Ctx, containsWords, join, type Sql, sql, wordsOf } from '@chowk/kit';
import type { Filters, Order } from './schemas.ts';

/** The order of `conversations c`; ids decide between equals, so that pages neither overlap nor leave anything out. */
export function orderBy({ sort_by, sort_order }: Order): Sql {
  const column = sort_by === 'created_at' ? sql`c.created_at` : sql`c.last_message_at`;
  return sort_order === 'asc' ? sql`${column} ASC, c.id ASC` : sql`${column} DESC, c.id DESC`;
}

/** What the filters ask of `conversations c`, one condition each. */
export async function conditions(ctx: Ctx, filters: Filters): Promise<Sql[]> {
  const { status, channel, assignee_id, unassigned, customer_id, search } = filters;
  return [
    ...(status === undefined ? [] : [sql`c.status = ${status}`]),
    ...(channel === undefined ? [] : [sql`c.channel = ${channel}`]),
    ...(assignee_id === undefined ? [] : [sql`c.assignee_id = ${assignee_id}`]),
    ...(unassigned === undefined ? [] : [unassigned ? sql`c.assignee_id IS NULL` : sql`c.assignee_id IS NOT NULL`]),
    ...(customer_id === undefined ? [] : [sql`c.customer_id = ${customer_id}`]),
    ...(search === undefined ? [] : await contains(ctx, search)),
  ];
}

/** Every word is somewhere in the subject, or all of it finds the customer. */
async function contains(ctx: Ctx, text: string): Promise<Sql[]> {
  const own = containsWords(sql`c.subject_key`, wordsOf(text), { once: true });
  const customers = await ctx.helpers('customers');
  const ids = (await customers?.matching({ text })) ?? [];
  return ids.length === 0 ? own : [sql`((${join(own, ' AND ')}) OR c.customer_id = ANY(${ids}::uuid[]))`];
}
