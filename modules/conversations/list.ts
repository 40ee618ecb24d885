import {
  byTime,
  type Ctx,
  counter,
  eitherByUnion,
  equals,
  filter,
  isAmong,
  isShortWord,
  list,
  readCounters,
  type Sql,
  search,
  splitWords,
  sql,
  Type,
  UserId,
  Uuid,
} from '@chowk/kit';
import { columns, hasFailed, isUnread } from './columns.ts';
import { withPeople } from './people.ts';
import { Channel, Conversation, type ConversationCounts, Status } from './schemas.ts';

const statuses: readonly Status[] = Status.enum;

export const conversationList = list({
  name: 'conversations',
  row: Conversation,
  from: sql`conversations c`,
  alias: sql`c`,
  columns,
  filters: {
    status: equals(Status, sql`c.status`),
    channel: equals(Channel, sql`c.channel`),
    assignee_id: equals(UserId, sql`c.assignee_id`),
    unassigned: filter(Type.Boolean(), (value) =>
      value ? sql`c.assignee_id IS NULL` : sql`c.assignee_id IS NOT NULL`,
    ),
    unread: filter(
      Type.Boolean({ description: 'Those with a message of the customer since you last looked.' }),
      (value, ctx) => (value ? isUnread(ctx) : sql`NOT ${isUnread(ctx)}`),
    ),
    failed: filter(Type.Boolean({ description: 'Those with a message that could not be delivered.' }), (value) =>
      value ? hasFailed : sql`NOT ${hasFailed}`,
    ),
    customer_id: equals(Uuid, sql`c.customer_id`),
    snoozed: filter(Type.Boolean(), (value) => (value ? sql`c.is_snoozed` : sql`NOT c.is_snoozed`)),
    has_attachment: filter(Type.Boolean(), (value) => (value ? sql`c.has_attachment` : sql`NOT c.has_attachment`)),
    search: search(
      "Words in the subject, in a message or note, or in the customer's name or email.",
      sql`c.subject_key`,
      async (text, ctx) => [
        ...isAmong(sql`c.customer_id`, await ctx.bus.callIfInstalled('customers.findMatching', { text })),
        ...inMessages(text),
      ],
      eitherByUnion(sql`c.id`, sql`conversations c WHERE true`),
    ),
  },
  sorts: { last_message_at: byTime(sql`c.last_message_at`), created_at: byTime(sql`c.created_at`) },
  total: (_ctx, { status, ...others }) => {
    if (Object.keys(others).length > 0) return undefined;
    return counter(...(status ? [status] : statuses).map((name) => `conversations.${name}`));
  },
  complete: withPeople,
  csvFields: [
    'id',
    'channel',
    'subject',
    'status',
    'customer_id',
    'customer_name',
    'customer_email',
    'customer_phone',
    'assignee_id',
    'assignee_name',
    'message_count',
    'last_message',
    'last_message_at',
    'created_at',
    'updated_at',
  ],
  csv: {
    customer_name: ({ customer }) => [customer?.first_name, customer?.last_name].filter(Boolean).join(' '),
    customer_email: ({ customer }) => customer?.email,
    customer_phone: ({ customer }) => customer?.phone,
    assignee_name: ({ assignee }) => assignee?.name,
    last_message: ({ last_message }) => last_message?.excerpt,
  },
});

/** All words occur in one message, each at least as the beginning of a word. Short ones alone would find too many. */
function inMessages(text: string): Sql[] {
  const words = splitWords(text);
  if (words.every(isShortWord)) return [];
  return [
    sql`c.id = ANY(ARRAY(
    SELECT DISTINCT m.conversation_id FROM conversation_messages m
    WHERE message_words(m.body) @@ (SELECT message_query(${words.join(' ')}))))`,
  ];
}

/** From counters for all conversations, counted for one customer. */
export async function countConversations(
  ctx: Ctx,
  { customer_id }: { customer_id?: string },
): Promise<ConversationCounts> {
  if (customer_id === undefined) return readCounters(ctx, 'conversations', statuses);
  const rows = await ctx.db.rows<{ status: Status; count: number }>(
    sql`SELECT status, count(*) AS count FROM conversations WHERE customer_id = ${customer_id} GROUP BY status`,
  );
  const counts = { open: 0, pending: 0, closed: 0 };
  for (const { status, count } of rows) counts[status] = count;
  return { total: counts.open + counts.pending + counts.closed, counts };
}
