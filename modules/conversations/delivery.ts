import { type Ctx, inTransaction, sql } from '@chowk/kit';
import { messageColumns, recordColumns } from './columns.ts';
import type { ConversationRecord, DeliveryStatus, MessageRecord, NewMessage, ReplyDelivery } from './schemas.ts';

type Template = NonNullable<NewMessage['template']>;

interface Mailing {
  readonly channel: 'email' | 'sms' | 'whatsapp';
  readonly to: string;
  readonly template?: Template | undefined;
  /** What the sender must know. */
  readonly notice?: string | null;
}

/** How a reply reaches the customer: over a channel, or not at all, with the reason. */
export type Plan =
  /** The visitor sees it in the chat: now, or on the next visit, with the reason. */
  | { readonly channel: 'webchat'; readonly reason: string | null }
  | Mailing
  | {
      readonly channel: null;
      readonly reason: string;
      readonly needsTemplate?: true;
      /** Kept for developers. */
      readonly copy?: Mailing;
    };

const notSent = (reason: string) => ({ channel: null, reason }) as const;

interface Recipient {
  /** Without it, a conversation that has not begun. */
  readonly id?: string | undefined;
  /** Without it, a customer who has all addresses. */
  readonly customer_id?: string | undefined;
}

interface Target extends Recipient, Pick<ConversationRecord, 'channel'> {}

interface Content {
  readonly template?: Template | undefined;
  /** A message that is sent again, with the template that it had. */
  readonly messageId?: string;
}

export async function planDelivery(ctx: Ctx, target: Target, content: Content = {}): Promise<Plan> {
  const { id, channel, customer_id } = target;
  if (channel === 'webchat' && id !== undefined) return planForVisitor(ctx, { id, customer_id });
  if (channel !== 'email' && channel !== 'sms' && channel !== 'whatsapp') {
    return notSent('Replies on this channel are not sent: answer the customer there.');
  }
  return planMessage(ctx, target, channel, content);
}

/** In the chat while the visitor is there, then by mail if there is an address. */
async function planForVisitor(ctx: Ctx, conversation: Recipient & { readonly id: string }): Promise<Plan> {
  const visitor = await ctx.bus.callIfInstalled('widget.plan', { conversation_id: conversation.id });
  if (visitor?.is_present) return { channel: 'webchat', reason: null };
  const mail = await planMessage(ctx, conversation, 'email');
  if (mail.channel !== null || !visitor) return mail;
  return { channel: 'webchat', reason: `The visitor has left, and sees it on the next visit. ${mail.reason}` };
}

async function planMessage(
  ctx: Ctx,
  { id, customer_id }: Recipient,
  channel: 'email' | 'sms' | 'whatsapp',
  { template, messageId }: Content = {},
): Promise<Exclude<Plan, { channel: 'webchat' }>> {
  const state = await ctx.bus.callIfInstalled('notifications.checkChannel', { channel, reply_id: messageId });
  if (!state) return notSent('The notifications module is not enabled.');
  if (state.obstacle !== null && !state.is_kept) return notSent(state.obstacle);
  const to = customer_id === undefined ? '' : await findAddress(ctx, { id, channel, customer_id });
  if (to === null) return notSent(`The customer has no ${channel === 'email' ? 'email address' : 'phone number'}.`);
  if (state.obstacle !== null) return { channel: null, reason: state.obstacle, copy: { channel, to } };
  const hasTemplate = template !== undefined || state.has_template;
  if (channel === 'whatsapp' && !hasTemplate && !(await isWindowOpen(ctx, customer_id))) {
    return { channel: null, reason: windowClosed, needsTemplate: true };
  }
  return { channel, to, template, notice: state.notice };
}

export function describePlan(plan: Plan): ReplyDelivery {
  if (plan.channel === null) {
    return { is_sent: false, reason: plan.reason, notice: null, needs_template: plan.needsTemplate ?? false };
  }
  const notice = plan.channel === 'webchat' ? plan.reason : (plan.notice ?? null);
  return { is_sent: true, reason: null, notice, needs_template: false };
}

async function findAddress(
  ctx: Ctx,
  { id, channel, customer_id }: Target & { readonly customer_id: string },
): Promise<string | null> {
  const [customer] =
    (await ctx.bus.callIfInstalled('customers.listContacts', { ids: [customer_id], unmasked: true })) ?? [];
  const own = channel === 'email' ? customer?.email : customer?.phone;
  const address = own ?? (id === undefined ? null : await findContact(ctx, id));
  return address !== null && (channel === 'email') === address.includes('@') ? address : null;
}

const windowMs = 24 * 3_600_000;
const windowClosed =
  'WhatsApp allows free text only within 24 hours after a message of the customer. Send an approved template.';

/** https://developers.facebook.com/docs/whatsapp/cloud-api/guides/send-messages#customer-service-windows */
async function isWindowOpen(ctx: Ctx, customerId: string | undefined): Promise<boolean> {
  if (customerId === undefined) return false;
  const since = new Date(ctx.now().getTime() - windowMs);
  const received = await ctx.db.row(sql`
    SELECT FROM conversation_messages m JOIN conversations c ON c.id = m.conversation_id
    WHERE c.customer_id = ${customerId} AND m.received_on = 'whatsapp' AND m.sent_at > ${since} LIMIT 1`);
  return received !== undefined;
}

async function findContact(ctx: Ctx, id: string): Promise<string | null> {
  const row = await ctx.db.row<{ contact: string | null }>(sql`SELECT contact FROM conversations WHERE id = ${id}`);
  return row?.contact ?? null;
}

/** Hands a stored message over for delivery. Returns what has become of it and why. */
export async function sendMessage(
  ctx: Ctx,
  conversation: ConversationRecord,
  { id, body, is_automatic }: Pick<MessageRecord, 'id' | 'body' | 'is_automatic'>,
  plan: Exclude<Plan, { channel: null }>,
): Promise<Pick<MessageRecord, 'delivery_status' | 'delivery_reason'>> {
  if (plan.channel === 'webchat') {
    if (plan.reason !== null) return { delivery_status: 'queued', delivery_reason: plan.reason };
    await ctx.jobs.add('conversations.mail_unseen', { message_id: id }, { delaySeconds: secondsUntilGone });
    return { delivery_status: 'sent', delivery_reason: null };
  }
  const { channel, to, template } = plan;
  const mail = channel === 'email' ? await writeLetter(ctx, conversation, id) : undefined;
  const sent = await ctx.bus.callIfInstalled('notifications.sendReply', {
    id,
    channel,
    to,
    subject: mail?.subject ?? null,
    body,
    customer_id: conversation.customer_id,
    ...(mail && { letter: { ...mail.letter, is_automatic } }),
    ...(template && { template }),
  });
  const reason = sent?.skipped ?? null;
  return { delivery_status: reason === null ? 'queued' : 'failed', delivery_reason: reason };
}

/** A visitor of whom nothing was heard for so long has left. */
const secondsUntilGone = 60;

/** The Message-ID of a mail with a message, which the answers to it name. */
export function mailId(ctx: Ctx, messageId: string): string {
  return `${messageId}@${new URL(ctx.tenantUrl).hostname}`;
}

/** Mail programs show at most about ten levels of a thread. */
const maxReferences = 10;

/** The subject of the thread, and the mails of the conversation before this one. */
async function writeLetter(ctx: Ctx, { id, subject }: ConversationRecord, messageId: string) {
  const earlier = await ctx.db.rows<{ mail_id: string }>(sql`
    SELECT substr(external_id, 7) AS mail_id FROM conversation_messages
    WHERE conversation_id = ${id} AND id <> ${messageId} AND external_id LIKE 'email:%'
    ORDER BY sent_at DESC, id DESC LIMIT ${maxReferences}`);
  const references = earlier.map(({ mail_id }) => mail_id).reverse();
  const answered = references.at(-1);
  const [reply_to, return_path] = await Promise.all([
    ctx.bus.callIfInstalled('mailbox.replyAddress', { conversation_id: id }),
    ctx.bus.callIfInstalled('mailbox.returnPath', { conversation_id: id }),
  ]);
  return {
    subject: answered === undefined ? subject || `Message from ${ctx.tenant.name}` : `Re: ${withoutPrefix(subject)}`,
    letter: {
      message_id: mailId(ctx, messageId),
      references,
      ...(answered !== undefined && { in_reply_to: answered }),
      ...(reply_to && { reply_to }),
      ...(return_path && { return_path }),
    },
  };
}

function withoutPrefix(subject: string): string {
  return subject.replace(/^(?:\s*re\s*:)+\s*/i, '');
}

/** Reports may come late and in any order: a message goes forward only. */
const reachableFrom: Readonly<Record<Exclude<DeliveryStatus, 'logged'>, readonly DeliveryStatus[]>> = {
  queued: ['queued'],
  sent: ['queued', 'failed'],
  delivered: ['queued', 'sent', 'failed'],
  read: ['queued', 'sent', 'delivered', 'failed'],
  failed: ['queued', 'sent'],
};

/** A visitor has got or read the messages of a conversation, up to this one. */
export async function recordSeen(
  ctx: Ctx,
  {
    conversation_id,
    message_id,
    status,
  }: { conversation_id: string; message_id: string; status: 'delivered' | 'read' },
): Promise<void> {
  const unseen = await ctx.db.rows<{ id: string }>(sql`
    SELECT m.id FROM conversation_messages m JOIN conversation_messages last ON last.id = ${message_id}
    WHERE m.conversation_id = ${conversation_id} AND last.conversation_id = ${conversation_id} AND m.direction = 'outbound'
      AND m.delivery_status = ANY(${reachableFrom[status]}::text[]) AND m.sent_at <= last.sent_at
    ORDER BY m.sent_at, m.id`);
  if (unseen.length === 0) return;
  await ctx.tx(async (tx) => {
    for (const { id } of unseen) await recordDelivery(tx, { id, status, reason: null });
  });
}

async function recordDelivery(
  ctx: Ctx,
  { id, status, reason }: { id: string; status: keyof typeof reachableFrom; reason: string | null },
): Promise<void> {
  const message = await ctx.db.row<MessageRecord>(sql`
    UPDATE conversation_messages m SET delivery_status = ${status}, delivery_reason = ${reason}
    WHERE id = ${id} AND delivery_status = ANY(${reachableFrom[status]}::text[])
      AND (delivery_status, delivery_reason) IS DISTINCT FROM (${status}, ${reason})
    RETURNING ${messageColumns}`);
  if (message) await emitUpdated(ctx, message);
}

/** The conversation shows the message, so its version changes too. */
export async function emitUpdated(ctx: Ctx, message: MessageRecord): Promise<void> {
  const conversation = (await ctx.db.row<ConversationRecord>(sql`
    UPDATE conversations c SET updated_at = ${ctx.now()} WHERE id = ${message.conversation_id}
    RETURNING ${recordColumns}`)) as ConversationRecord;
  await ctx.emit('conversation.message_updated', { conversation, message });
}

export const deliveryListeners = [
  inTransaction('notification.message_changed', 'record-delivery', (ctx, { message: { id, status, reason } }) =>
    recordDelivery(ctx, { id, status: status === 'skipped' ? 'failed' : status, reason }),
  ),
];
