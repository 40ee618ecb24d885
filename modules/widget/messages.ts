import { type Ctx, type Issues, inTransaction, sql, type Upload } from '@chowk/kit';
import type { SeenMessage, SentMessage, SessionKey, UpdateQuery, Updates } from './schemas.ts';
import { countMessage, type Session, useSession } from './sessions.ts';

export function checkMessage(_ctx: Ctx, { body, file }: Partial<SentMessage>, issues: Issues): void {
  if (!body?.trim() && !file) issues.add('body', 'Write a message or choose a file.', 'required');
}

export async function sendMessage(
  ctx: Ctx,
  { token, id, body = '', email, file }: SentMessage,
): Promise<{ id: string }> {
  const session = await useSession(ctx, token);
  const attachment_ids = file ? [await storeFile(ctx, file)] : [];
  return ctx.tx(async (tx) => {
    const current = await countMessage(tx, session);
    // The shop has proved the address of an identified visitor; what the page says does not replace it.
    const address = current.subject === null ? (email ?? current.email) : current.email;
    const received = await tx.bus.call('conversations.receive', {
      channel: 'webchat',
      external_id: `widget:${session.id}:${id}`,
      customer: { ...(address !== null && { email: address }), first_name: current.name ?? 'Visitor' },
      contact: address,
      ...(current.conversation_id !== null && { conversation_id: current.conversation_id }),
      // A visitor may enter another person’s address, and must not see that person’s conversation.
      is_separate: true,
      subject: describe(current, address),
      body: body.trim(),
      attachment_ids,
    });
    await tx.db.run(sql`
      UPDATE widget_sessions SET conversation_id = ${received.conversation_id}, customer_id = ${received.customer_id},
        email = ${address} WHERE id = ${session.id}`);
    return { id: received.message_id };
  });
}

function describe({ subject }: Session, email: string | null): string {
  return subject === null && email !== null ? 'Chat (address not verified)' : 'Chat';
}

async function storeFile(ctx: Ctx, file: Upload): Promise<string> {
  const content = Buffer.concat(await Array.fromAsync(file.stream() as AsyncIterable<Buffer>));
  return ctx.bus.call('conversations.storeAttachment', { file_name: file.fileName, content });
}

/** The messages after one that the visitor has. What is handed over counts as delivered. */
export async function listUpdates(ctx: Ctx, { token, after }: UpdateQuery): Promise<Updates> {
  const { conversation_id } = await useSession(ctx, token);
  if (conversation_id === null) return { messages: [] };
  const key = { conversation_id, ...(after !== undefined && { after }) };
  const messages = await ctx.bus.call('conversations.listForVisitor', key);
  const last = messages.findLast(({ direction }) => direction === 'outbound');
  if (last) await record(ctx, { conversation_id, message_id: last.id, status: 'delivered' });
  return { messages };
}

export async function markSeen(ctx: Ctx, { token, message_id }: SeenMessage): Promise<void> {
  const { conversation_id } = await useSession(ctx, token);
  if (conversation_id !== null) await record(ctx, { conversation_id, message_id, status: 'read' });
}

async function record(
  ctx: Ctx,
  seen: { conversation_id: string; message_id: string; status: 'delivered' | 'read' },
): Promise<void> {
  await ctx.bus.call('conversations.recordSeen', seen);
}

/** Members of the team who have the conversation open see it. */
export async function showTyping(ctx: Ctx, { token }: SessionKey): Promise<void> {
  const { conversation_id } = await useSession(ctx, token);
  if (conversation_id === null) return;
  await ctx.broadcast(`presence-conversations.${conversation_id}`, 'widget.typing', { conversation_id });
}

/** The visitor sees that a member of the team is typing. */
export async function announceTyping(
  ctx: Ctx,
  { conversation_id, author }: { conversation_id: string; author: string },
): Promise<void> {
  await announce(ctx, conversation_id, 'typing', { author });
}

async function announce(ctx: Ctx, conversationId: string, event: string, data: object): Promise<void> {
  const sessions = await ctx.db.rows<{ channel: string }>(sql`
    SELECT channel FROM widget_sessions WHERE conversation_id = ${conversationId} AND expires_at > ${ctx.now()}`);
  for (const { channel } of sessions) await ctx.broadcast(channel, event, data);
}

export const listeners = [
  inTransaction('conversation.message_created', 'announce', async (ctx, { conversation, message }) => {
    // Without content: the widget reads the messages with its token.
    const isShown = conversation.channel === 'webchat' && message.direction !== 'note';
    if (isShown) await announce(ctx, conversation.id, 'message', {});
  }),
  inTransaction('conversation.deleted', 'forget', async (ctx, { conversation }) => {
    if (conversation.channel !== 'webchat') return;
    await ctx.db.run(sql`
      UPDATE widget_sessions SET conversation_id = NULL WHERE conversation_id = ${conversation.id}`);
  }),
];
