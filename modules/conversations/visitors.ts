import { type Ctx, type JobTypes, job, Nullable, type Static, sql, Timestamp, Type, Uuid } from '@chowk/kit';
import { withAttachments } from './attachments.ts';
import { messageColumns } from './columns.ts';
import { lockConversation } from './conversations.ts';
import { emitUpdated, mailId, planDelivery, sendMessage } from './delivery.ts';
import { firstName, withAuthors } from './people.ts';
import type { MessageRecord } from './schemas.ts';

/* What a visitor of a web page, who is not signed in, sees of a conversation. */

export const VisitorMessage = Type.Object({
  id: Uuid,
  direction: Type.Enum(['inbound', 'outbound']),
  body: Type.String(),
  author: Nullable(Type.String({ description: 'The first name of the member of the team.' })),
  sent_at: Timestamp,
  attachments: Type.Array(
    Type.Object({
      file_name: Type.String(),
      size: Type.Integer(),
      url: Nullable(Type.String({ description: 'For a day.' })),
    }),
  ),
});
type VisitorMessage = Static<typeof VisitorMessage>;

const maxMessages = 100;
const linkSeconds = 86_400;

/** The latest messages, or those after one that the visitor has; oldest first. */
export async function listForVisitor(
  ctx: Ctx,
  { conversation_id, after }: { conversation_id: string; after?: string },
): Promise<VisitorMessage[]> {
  const isNewer = sql`coalesce((m.sent_at, m.id) > (
    SELECT sent_at, id FROM conversation_messages WHERE id = ${after ?? null} AND conversation_id = ${conversation_id}), true)`;
  const records = await ctx.db.rows<MessageRecord>(sql`
    SELECT ${messageColumns} FROM conversation_messages m
    WHERE conversation_id = ${conversation_id} AND is_for_visitor AND ${isNewer}
    ORDER BY m.sent_at DESC, m.id DESC LIMIT ${maxMessages}`);
  const messages = await withAttachments(ctx, await withAuthors(ctx, records.reverse()));
  const links = await linkFiles(
    ctx,
    messages.flatMap(({ attachments }) => attachments.map(({ id }) => id)),
  );
  return messages.map(({ id, direction, body, user, sent_at, attachments }) => ({
    id,
    direction: direction as VisitorMessage['direction'],
    body,
    author: user && firstName(user.name),
    sent_at,
    attachments: attachments.map((file) => ({
      file_name: file.file_name,
      size: file.size,
      url: links.get(file.id) ?? null,
    })),
  }));
}

async function linkFiles(ctx: Ctx, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await ctx.db.rows<{ id: string; file_id: string; file_name: string }>(sql`
    SELECT id, file_id, file_name FROM conversation_attachments WHERE id = ANY(${ids}::uuid[]) AND file_id IS NOT NULL`);
  const links = new Map<string, string>();
  for (const { id, file_id, file_name } of rows) {
    links.set(id, await ctx.files.link(file_id, { fileName: file_name, seconds: linkSeconds }));
  }
  return links;
}

/** Mails a reply that the visitor has not got before leaving. */
async function mailUnseen(ctx: Ctx, { message_id }: { message_id: string }): Promise<void> {
  const isUnseen = sql`id = ${message_id} AND delivery_status IN ('queued', 'sent') AND external_id IS NULL`;
  await ctx.tx(async (tx) => {
    const found = await tx.db.row<{ id: string }>(
      sql`SELECT conversation_id AS id FROM conversation_messages WHERE ${isUnseen}`,
    );
    if (!found) return;
    const conversation = await lockConversation(tx, found);
    const message = await tx.db.row<MessageRecord>(
      sql`SELECT ${messageColumns} FROM conversation_messages m WHERE ${isUnseen}`,
    );
    const plan = message && (await planDelivery(tx, conversation));
    if (!plan || plan.channel === null) return;
    const delivery = await sendMessage(tx, conversation, message, plan);
    const { delivery_status, delivery_reason } = delivery;
    const external_id = plan.channel === 'email' ? `email:${mailId(tx, message_id)}` : null;
    await tx.db.run(sql`
      UPDATE conversation_messages SET delivery_status = ${delivery_status}, delivery_reason = ${delivery_reason},
        external_id = ${external_id} WHERE id = ${message_id}`);
    await emitUpdated(tx, { ...message, ...delivery });
  });
}

export const visitorJobs = {
  'conversations.mail_unseen': job({
    data: Type.Object({ message_id: Uuid }),
    retries: [10, 60, 600],
    run: mailUnseen,
  }),
};

declare module '@chowk/kit/catalogue' {
  interface Jobs extends JobTypes<typeof visitorJobs> {}
}
