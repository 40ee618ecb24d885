import { type Answer, and, type Ctx, download, inert, type Sql, sql } from '@chowk/kit';
import { columns } from './columns.ts';
import { conditions } from './filters.ts';
import { type Row, withPeople } from './people.ts';
import type { Conversation, ExportQuery } from './schemas.ts';

/** As many at a time: their customers are asked for together. */
const batchSize = 500;

const nameOf = ({ customer }: Conversation) => [customer?.first_name, customer?.last_name].filter(Boolean).join(' ');

const csvColumns: Readonly<Record<string, (row: Conversation) => string>> = {
  id: ({ id }) => id,
  channel: ({ channel }) => channel,
  subject: ({ subject }) => inert(subject),
  status: ({ status }) => status,
  customer_id: ({ customer_id }) => customer_id,
  customer_name: (row) => inert(nameOf(row)),
  customer_email: ({ customer }) => inert(customer?.email ?? ''),
  customer_phone: ({ customer }) => inert(customer?.phone ?? ''),
  assignee_id: ({ assignee_id }) => String(assignee_id ?? ''),
  assignee_name: ({ assignee }) => inert(assignee?.name ?? ''),
  message_count: ({ message_count }) => String(message_count),
  last_message: ({ last_message }) => inert(last_message?.excerpt ?? ''),
  last_message_at: ({ last_message_at }) => last_message_at,
  created_at: ({ created_at }) => created_at,
  updated_at: ({ updated_at }) => updated_at,
};

/** Every conversation that the filters find, the newest first. */
export async function exportConversations(ctx: Ctx, { format, ...filters }: ExportQuery): Promise<Answer> {
  return download(ctx, {
    name: 'conversations',
    format,
    rows: inBatches(ctx, await conditions(ctx, filters)),
    columns: csvColumns,
  });
}

/** No connection is held between two batches: what is asked of other modules in between needs one, too. */
async function* inBatches(ctx: Ctx, filters: readonly Sql[]): AsyncGenerator<Conversation> {
  for (let last: string | undefined; ; ) {
    const rows: Row[] = await ctx.db.rows<Row>(sql`
      SELECT ${columns} FROM conversations c
      WHERE ${last === undefined ? sql`true` : sql`c.id < ${last}`} ${and(filters)}
      ORDER BY c.id DESC LIMIT ${batchSize}`);
    yield* await withPeople(ctx, rows);
    last = rows.at(-1)?.id;
    if (rows.length < batchSize) return;
  }
}
