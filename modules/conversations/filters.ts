import { containsWords, type Sql, sql, wordsOf } from '@chowk/kit';
import type { Filters, Order } from './schemas.ts';

/** The order of `conversations c`; ids decide between equals, so that pages neither overlap nor leave anything out. */
export function orderBy({ sort_by, sort_order }: Order): Sql {
  const column = sort_by === 'created_at' ? sql`c.created_at` : sql`c.last_message_at`;
  return sort_order === 'asc' ? sql`${column} ASC, c.id ASC` : sql`${column} DESC, c.id DESC`;
}

/** What the filters ask of `conversations c`, one condition each. */
export function conditions({ status, channel, assignee_id, unassigned, customer_id, search }: Filters): Sql[] {
  return [
    ...(status === undefined ? [] : [sql`c.status = ${status}`]),
    ...(channel === undefined ? [] : [sql`c.channel = ${channel}`]),
    ...(assignee_id === undefined ? [] : [sql`c.assignee_id = ${assignee_id}`]),
    ...(unassigned === undefined ? [] : [unassigned ? sql`c.assignee_id IS NULL` : sql`c.assignee_id IS NOT NULL`]),
    ...(customer_id === undefined ? [] : [sql`c.customer_id = ${customer_id}`]),
    ...(search === undefined ? [] : containsWords(sql`c.subject_key`, wordsOf(search), { once: true })),
  ];
}
