import { type Ctx, type Static, sql, Type, UserId, Uuid } from '@chowk/kit';
import type { Message } from './schemas.ts';

/** What is sent over other channels than the console. */
export type Sendable = Pick<Message, 'type' | 'title' | 'body' | 'action_url' | 'action_label' | 'data'>;

const Recipient = Type.Object({
  /** The id of the notification. */
  id: Uuid,
  user_id: UserId,
  /** Whether it is listed in the console. */
  is_stored: Type.Boolean(),
});
export type Recipient = Static<typeof Recipient>;

/** The data of jobs that send a notification. The message is sealed: queues are not in the tenant's database. */
export const Delivery = { message: Type.String(), recipients: Type.Array(Recipient) };

export function sealMessage(ctx: Ctx, message: Sendable): string {
  const { type, title, body, action_url, action_label, data } = message;
  return ctx.secrets.seal('message', JSON.stringify({ type, title, body, action_url, action_label, data }));
}

export function openMessage(ctx: Ctx, sealed: string): Sendable {
  return JSON.parse(ctx.secrets.open('message', sealed)) as Sendable;
}

/** Leaves out those who have read or deleted the notification meanwhile. */
export async function unreadAmong<One extends Recipient>(ctx: Ctx, recipients: readonly One[]): Promise<One[]> {
  const stored = recipients.filter(({ is_stored }) => is_stored).map(({ id }) => id);
  const rows = await ctx.db.rows<{ id: string }>(sql`
    SELECT id FROM notifications WHERE id = ANY(${stored}::uuid[]) AND read_at IS NULL`);
  const unread = new Set(rows.map(({ id }) => id));
  return recipients.filter(({ id, is_stored }) => !is_stored || unread.has(id));
}
