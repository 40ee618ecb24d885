import { type Ctx, Failure, sql } from '@chowk/kit';
import { assignAutomatically } from './assignment.ts';
import { answerAutomatically } from './automatic-answer.ts';
import { insertConversation, lockConversation } from './conversations.ts';
import { emitChanges } from './events.ts';
import { addMessage } from './messages.ts';
import type { ConversationRecord, Received, ReceivedMessage } from './schemas.ts';

const hour = 3_600_000;
const day = 24 * hour;
const maxSubject = 255;
const maxBody = 100_000;

/**
 * Adds a message that came in over a channel, once: to the conversation that it answers, to a recent one of the customer on a
 * channel without subjects, or to a new one. In a transaction.
 */
export async function receiveMessage(ctx: Ctx, received: Received): Promise<ReceivedMessage> {
  // Two deliveries of one message wait for each other, whoever they are from.
  const [, known] = await Promise.all([
    ctx.db.run(sql`SELECT pg_advisory_xact_lock(hashtextextended(${received.external_id}, 0))`),
    findKnown(ctx, received),
  ]);
  return known ?? addReceived(ctx, received);
}

async function findKnown(ctx: Ctx, { external_id }: Received): Promise<ReceivedMessage | undefined> {
  const row = await ctx.db.row<Omit<ReceivedMessage, 'is_new'>>(sql`
    SELECT m.conversation_id, m.id AS message_id, c.customer_id
    FROM conversation_messages m JOIN conversations c ON c.id = m.conversation_id WHERE m.external_id = ${external_id}`);
  return row && { ...row, is_new: false };
}

async function addReceived(ctx: Ctx, received: Received): Promise<ReceivedMessage> {
  const current = (await findConversation(ctx, received)) ?? (await startConversation(ctx, received));
  const added = await addMessage(ctx, current, {
    direction: 'inbound',
    body: received.body.slice(0, maxBody),
    quoted: received.quoted?.slice(0, maxBody) ?? null,
    html: received.html ?? null,
    is_automatic: received.is_automatic ?? false,
    external_id: received.external_id,
    received_on: received.channel,
    attachment_ids: received.attachment_ids ?? [],
    ...(received.sent_at !== undefined && { sent_at: received.sent_at }),
    ...(await findStranger(ctx, current, received)),
  });
  const isConsent = await recordConsent(ctx, current, received);
  const conversation = await assignAutomatically(ctx, added);
  await ctx.emit('conversation.message_created', { conversation, message: added.message });
  await emitChanges(ctx, current, conversation);
  if (!isConsent && !isLate(ctx, received)) await answerAutomatically(ctx, { conversation, message: added.message });
  const { id: conversation_id, customer_id } = conversation;
  return { conversation_id, message_id: added.message.id, customer_id, is_new: true };
}

/** Who wrote so long ago does not expect an automatic answer. */
function isLate(ctx: Ctx, { sent_at }: Received): boolean {
  return sent_at !== undefined && Date.parse(sent_at) < ctx.now().getTime() - hour;
}

/** STOP and START, as carriers know them. Returns whether the message is one of them. */
async function recordConsent(
  ctx: Ctx,
  { customer_id }: ConversationRecord,
  { body, channel }: Received,
): Promise<boolean> {
  if (channel !== 'sms' && channel !== 'whatsapp') return false;
  const input = { customer_id, text: body, source: channel };
  const recorded = await ctx.bus.callIfInstalled('customers.recordConsent', input);
  return (recorded?.accepts_marketing ?? null) !== null;
}

/** The conversation to which the message belongs, locked; `undefined` if it begins a new one. */
async function findConversation(ctx: Ctx, received: Received): Promise<ConversationRecord | undefined> {
  const id = (await findAnswered(ctx, received)) ?? (await findRecent(ctx, received));
  if (id === undefined) return undefined;
  const conversation = await lockIfPresent(ctx, id);
  // It was merged or deleted a moment ago.
  if (!conversation) return findConversation(ctx, received);
  // What a program answers begins no new conversation.
  return received.is_automatic || (await isRecent(ctx, conversation)) ? conversation : undefined;
}

async function lockIfPresent(ctx: Ctx, id: string): Promise<ConversationRecord | undefined> {
  try {
    return await lockConversation(ctx, { id });
  } catch (error) {
    if (error instanceof Failure && error.code === 'conversations.not_found') return undefined;
    throw error;
  }
}

/** A visitor whose chat was merged begins a new one: the other conversation may belong to another person. */
async function findAnswered(
  ctx: Ctx,
  { conversation_id, answers = [], answered_id, is_separate = false }: Received,
): Promise<string | undefined> {
  if (conversation_id === undefined && answered_id === undefined && answers.length === 0) return undefined;
  const row = await ctx.db.row<{ id: string }>(sql`
    SELECT id FROM conversations WHERE id = ${conversation_id ?? null}
    UNION ALL SELECT merged_into FROM merged_conversations WHERE id = ${conversation_id ?? null} AND NOT ${is_separate}
    UNION ALL SELECT conversation_id FROM conversation_messages WHERE id = ${answered_id ?? null}
    UNION ALL (
      SELECT m.conversation_id FROM unnest(${answers}::text[]) WITH ORDINALITY AS answered (external_id, place)
        JOIN conversation_messages m USING (external_id)
      ORDER BY place)
    LIMIT 1`);
  return row?.id;
}

/** Channels without threads: the latest conversation of the customer there goes on. */
async function findRecent(ctx: Ctx, { channel, customer, is_separate }: Received): Promise<string | undefined> {
  if (channel === 'email' || is_separate) return undefined;
  const found = await ctx.bus.callIfInstalled('customers.findOrCreate', customer);
  if (!found) return undefined;
  const row = await ctx.db.row<{ id: string }>(sql`
    SELECT id FROM conversations WHERE customer_id = ${found.id} AND channel = ${channel}
    ORDER BY last_message_at DESC, id DESC LIMIT 1`);
  return row?.id;
}

/** Whether it is not closed, or was closed only a while ago. */
async function isRecent(ctx: Ctx, { id, status }: ConversationRecord): Promise<boolean> {
  if (status !== 'closed') return true;
  const { 'conversations.reopen_days': days } = await ctx.settings();
  const since = new Date(ctx.now().getTime() - days * day);
  const row = await ctx.db.row(sql`
    SELECT FROM conversations WHERE id = ${id} AND coalesce(closed_at, last_message_at) >= ${since}`);
  return row !== undefined;
}

async function startConversation(ctx: Ctx, received: Received): Promise<ConversationRecord> {
  const { customer, channel, subject = '', sent_at } = received;
  const at = sent_at === undefined ? ctx.now() : new Date(sent_at);
  const created = await insertConversation(ctx, { customer, channel, subject: subject.slice(0, maxSubject) }, at);
  await ctx.emit('conversation.created', { conversation: created });
  return created;
}

/** The address of the message, if it is not one of the customer of the conversation. */
async function findStranger(ctx: Ctx, { customer_id }: ConversationRecord, { contact }: Received) {
  if (contact === null) return {};
  const [customer] =
    (await ctx.bus.callIfInstalled('customers.listContacts', { ids: [customer_id], unmasked: true })) ?? [];
  const isKnown = customer?.email === contact.toLowerCase() || customer?.phone === contact;
  return isKnown ? {} : { sender: contact, contact };
}
