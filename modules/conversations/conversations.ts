import { type Ctx, changesBetween, type Issues, removedFields, type Sql, sql } from '@chowk/kit';
import { removeAttachments } from './attachments.ts';
import { columns, messageColumns, recordColumns } from './columns.ts';
import { describePlan, emitUpdated, mailId, type Plan, planDelivery, sendMessage } from './delivery.ts';
import { fail } from './errors.ts';
import { emitChanges } from './events.ts';
import { addMentions } from './mentions.ts';
import { type Added, addMessage, completeMessages, latestMessages } from './messages.ts';
import { findMembers, type Row, withPeople } from './people.ts';
import { recordRead } from './reads.ts';
import type {
  Assignment,
  Conversation,
  ConversationDetail,
  ConversationRecord,
  Message,
  MessageRecord,
  NewConversation,
  NewMessage,
  Replied,
  Reply,
  Status,
} from './schemas.ts';

type Key = { readonly id: string };
type Changes = Partial<Pick<ConversationRecord, 'subject' | 'status' | 'assignee_id'>>;

export async function getConversation(ctx: Ctx, { id }: Key): Promise<Conversation> {
  const row = await ctx.db.row<Row>(sql`SELECT ${columns(ctx)} FROM conversations c WHERE id = ${id}`);
  if (!row) throw fail('conversations.not_found', { id });
  const [conversation] = await withPeople(ctx, [row]);
  return conversation as Conversation;
}

export async function getDetail(ctx: Ctx, key: Key): Promise<ConversationDetail> {
  const conversation = await getConversation(ctx, key);
  const reply_delivery = describePlan(await planDelivery(ctx, conversation));
  return { ...conversation, messages: await latestMessages(ctx, key), reply_delivery };
}

export async function createConversation(ctx: Ctx, input: NewConversation): Promise<ConversationDetail> {
  const created = await insertConversation(ctx, input);
  const added = input.message && (await writeMessage(ctx, created, input.message));
  await ctx.emit('conversation.created', { conversation: added?.conversation ?? created });
  if (added) await ctx.emit('conversation.message_created', added);
  return getDetail(ctx, created);
}

export async function insertConversation(
  ctx: Ctx,
  { customer, channel, subject }: Pick<NewConversation, 'customer' | 'channel' | 'subject'>,
  at = ctx.now(),
): Promise<ConversationRecord> {
  const found = await ctx.bus.callIfInstalled('customers.findOrCreate', customer);
  if (!found) throw fail('conversations.no_customers');
  return (await ctx.db.row<ConversationRecord>(sql`
    INSERT INTO conversations AS c (id, customer_id, channel, subject, status, last_message_at, created_at, updated_at)
    VALUES (${ctx.newId()}, ${found.id}, ${channel}, ${subject}, 'open', ${at}, ${at}, ${ctx.now()})
    RETURNING ${recordColumns}`)) as ConversationRecord;
}

type Input = Partial<NewConversation>;

export async function checkNewConversation(ctx: Ctx, { customer, message }: Input, issues: Issues): Promise<void> {
  if (message) checkContent(message, 'message.body', issues);
  // Only if there are other problems to report; otherwise finding the customer checks it.
  if (customer && issues.any) issues.addAll(await ctx.bus.callIfInstalled('customers.checkIdentity', { customer }));
}

/** A message has a text or a file, and a template no files. */
export function checkContent(
  { body = '', attachment_ids = [], template }: Partial<NewMessage>,
  field: string,
  issues: Issues,
): void {
  if (body.trim() === '' && attachment_ids.length === 0)
    issues.add(field, 'Write a message or attach a file.', 'required');
  if (template && attachment_ids.length > 0) {
    const message =
      'A template is sent without files. Send them in a message of their own, once the customer has answered.';
    issues.add(field.replace(/body$/, 'attachment_ids'), message, 'not_allowed');
  }
}

/** Emits nothing if nothing changes. */
export async function updateConversation(ctx: Ctx, { id, ...fields }: Changes & Key): Promise<Conversation> {
  return ctx.tx(async (tx) => {
    const current = await lockConversation(tx, { id });
    tx.mustMatch(current);
    const changes = changesBetween<ConversationRecord>(current, fields);
    if (Object.keys(changes).length > 0) {
      const { subject, status, assignee_id } = { ...current, ...fields };
      const saved = await tx.db.row<ConversationRecord>(sql`
        UPDATE conversations c SET subject = ${subject}, status = ${status}, assignee_id = ${assignee_id}, updated_at = ${tx.now()}
          ${status === current.status ? sql`` : closing(tx, status)}
        WHERE id = ${id} RETURNING ${recordColumns}`);
      tx.audit(changes);
      await emitChanges(tx, current, saved as ConversationRecord);
      if ('assignee_id' in changes) await notifyAssignee(tx, saved as ConversationRecord);
    }
    return getConversation(tx, { id });
  });
}

/** A conversation that is closed is no longer snoozed. */
function closing(ctx: Ctx, status: Status): Sql {
  if (status !== 'closed') return sql`, closed_at = NULL, closed_by = NULL`;
  return sql`, closed_at = ${ctx.now()}, closed_by = ${ctx.userId ?? null}, is_snoozed = false, snoozed_until = NULL`;
}

/** Unless the assignee is the caller. */
async function notifyAssignee(ctx: Ctx, { id, assignee_id }: ConversationRecord): Promise<void> {
  if (assignee_id === null || assignee_id === ctx.userId) return;
  await ctx.notify(assignee_id, {
    type: 'conversation.assigned',
    title: 'A conversation was assigned to you',
    icon: 'MessageSquare',
    action_url: `/conversations/${id}`,
    action_label: 'Open the conversation',
    data: { conversation_id: id },
    group_key: `conversation.assigned.${id}`,
  });
}

export async function checkAssignee(
  ctx: Ctx,
  { assignee_id: id = null }: Partial<Assignment>,
  issues: Issues,
): Promise<void> {
  if (id === null || (await findMembers(ctx, [id])).has(id)) return;
  issues.add('assignee_id', `The team has no member ${id}.`, 'unknown');
}

export async function reply(ctx: Ctx, { id, last_message_id, ...input }: Reply): Promise<Replied> {
  return ctx.tx(async (tx) => {
    const current = await lockConversation(tx, { id });
    if (last_message_id !== undefined && input.direction === 'outbound') {
      await refuseSecondAnswer(tx, { id, last_message_id });
    }
    const added = await writeMessage(tx, current, input);
    tx.audit(changesBetween<ConversationRecord>(current, { status: added.conversation.status }));
    await tx.emit('conversation.message_created', added);
    await emitChanges(tx, current, added.conversation);
    const [message] = await completeMessages(tx, [added.message]);
    return { conversation: await getConversation(tx, { id }), conversation_message: message as Message };
  });
}

/** 409 if another member has answered after the last message that the caller has seen. */
async function refuseSecondAnswer(
  ctx: Ctx,
  { id, last_message_id: seen }: { id: string; last_message_id: string | null },
): Promise<void> {
  const last = sql`(SELECT s.sent_at, s.id FROM conversation_messages s WHERE s.id = ${seen} AND s.conversation_id = ${id})`;
  if (seen !== null && !(await ctx.db.row(last))) throw fail('conversations.message_not_found', { id: seen });
  const answer = await ctx.db.row(sql`
    SELECT FROM conversation_messages m
    WHERE m.conversation_id = ${id} AND m.direction = 'outbound' AND NOT m.is_automatic
      AND m.user_id IS DISTINCT FROM ${ctx.userId ?? null}::bigint
      ${seen === null ? sql`` : sql`AND (m.sent_at, m.id) > ${last}`} LIMIT 1`);
  if (answer) throw fail('conversations.answered_since');
}

/** Adds a message that a member of the team writes, and sends one to the customer. Who answers has read what came before. */
async function writeMessage(ctx: Ctx, conversation: ConversationRecord, input: NewMessage): Promise<Added> {
  const { direction, body, log_only, attachment_ids, template } = input;
  const content = { direction, body, attachment_ids };
  if (direction !== 'inbound' && ctx.userId !== undefined) await recordRead(ctx, conversation);
  if (direction !== 'outbound') {
    const added = await addMessage(ctx, conversation, content);
    await addMentions(ctx, added.message);
    return added;
  }
  const plan: Plan = log_only
    ? { channel: null, reason: 'Recorded without being sent.' }
    : await planDelivery(ctx, conversation, { template });
  if (plan.channel === null) return logMessage(ctx, conversation, content, plan);
  return deliverMessage(ctx, conversation, content, plan);
}

/** Adds a message to the customer that is not sent. Developers may get a copy. */
async function logMessage(
  ctx: Ctx,
  conversation: ConversationRecord,
  content: Parameters<typeof addMessage>[2],
  { reason, copy }: Extract<Plan, { channel: null }>,
): Promise<Added> {
  const logged = { ...content, delivery_status: 'logged', delivery_reason: reason } as const;
  const added = await addMessage(ctx, conversation, logged);
  if (copy) await sendMessage(ctx, conversation, added.message, copy);
  return added;
}

/** Adds a message to the customer and sends it. */
export async function deliverMessage(
  ctx: Ctx,
  conversation: ConversationRecord,
  content: Parameters<typeof addMessage>[2],
  plan: Exclude<Plan, { channel: null }>,
): Promise<Added> {
  const id = ctx.newId();
  const external_id = plan.channel === 'email' ? `email:${mailId(ctx, id)}` : null;
  const added = await addMessage(ctx, conversation, { ...content, id, external_id, delivery_status: 'queued' });
  const message = await send(ctx, added, plan);
  return { ...added, message };
}

/** Sends a stored message, and notes at once if it is refused. */
async function send(
  ctx: Ctx,
  { conversation, message }: Added,
  plan: Exclude<Plan, { channel: null }>,
): Promise<MessageRecord> {
  const delivery = await sendMessage(ctx, conversation, message, plan);
  await ctx.db.run(sql`
    UPDATE conversation_messages SET delivery_status = ${delivery.delivery_status}, delivery_reason = ${delivery.delivery_reason}
    WHERE id = ${message.id} AND (delivery_status, delivery_reason) IS DISTINCT FROM
      (${delivery.delivery_status}, ${delivery.delivery_reason})`);
  return { ...message, ...delivery };
}

/** Sends a message again that could not be delivered. */
export async function retryMessage(ctx: Ctx, { id, message: messageId }: Key & { message: string }): Promise<Message> {
  return ctx.tx(async (tx) => {
    const conversation = await lockConversation(tx, { id });
    const message = await tx.db.row<MessageRecord>(sql`
      SELECT ${messageColumns} FROM conversation_messages m WHERE id = ${messageId} AND conversation_id = ${id}`);
    if (!message) throw fail('conversations.message_not_found', { id: messageId });
    if (message.delivery_status !== 'failed') throw fail('conversations.not_failed');
    const plan = await planDelivery(tx, conversation, { messageId });
    if (plan.channel === null) throw fail('conversations.not_deliverable', { reason: plan.reason });
    const sent = await send(tx, { conversation, message }, plan);
    await emitUpdated(tx, sent);
    const [completed] = await completeMessages(tx, [sent]);
    return completed as Message;
  });
}

export async function deleteConversation(ctx: Ctx, { id }: Key): Promise<void> {
  await ctx.tx(async (tx) => {
    const conversation = await lockConversation(tx, { id });
    tx.mustMatch(conversation);
    await removeAttachments(tx, id);
    await tx.db.run(sql`DELETE FROM conversation_messages WHERE conversation_id = ${id}`);
    await tx.db.run(sql`DELETE FROM conversations WHERE id = ${id}`);
    tx.audit(removedFields(conversation));
    await tx.emit('conversation.deleted', { conversation });
  });
}

/** Locks the customer before the conversation, in the same order as a merge, which prevents deadlocks. */
export async function lockConversation(ctx: Ctx, { id }: Key): Promise<ConversationRecord> {
  await ctx.bus.callIfInstalled('customers.lock', { id: await findCustomerId(ctx, { id }) });
  const conversation = await ctx.db.row<ConversationRecord>(sql`
    SELECT ${recordColumns} FROM conversations c WHERE id = ${id} FOR NO KEY UPDATE`);
  if (!conversation) throw fail('conversations.not_found', { id });
  return conversation;
}

/** The id of the conversation's customer; 404 if there is no such conversation. */
export async function findCustomerId(ctx: Ctx, { id }: Key): Promise<string> {
  const row = await ctx.db.row<{ customer_id: string }>(sql`SELECT customer_id FROM conversations WHERE id = ${id}`);
  if (!row) throw fail('conversations.not_found', { id });
  return row.customer_id;
}
