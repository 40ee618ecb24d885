import { type Ctx, type Static, sql, Type, Uuid } from '@chowk/kit';
import { findChannelObstacle } from './channel-states.ts';
import { type NewMessage, providerFor, queueMessage, startDelivery } from './messages.ts';
import { Letter, Template } from './providers/provider.ts';

const Channel = Type.Enum(['email', 'sms', 'whatsapp']);
const NullableText = Type.Union([Type.String(), Type.Null()]);

export const ReplyMessage = Type.Object({
  id: Uuid,
  channel: Channel,
  to: Type.String(),
  subject: NullableText,
  body: Type.String(),
  customer_id: Uuid,
  letter: Type.Optional(Letter),
  template: Type.Optional(Template),
});
type ReplyMessage = Static<typeof ReplyMessage>;
export const ReplyResult = Type.Object({ skipped: NullableText });

/** Sends a reply once. One that failed before is sent again. */
export async function sendReply(
  ctx: Ctx,
  { to, letter, template, ...reply }: ReplyMessage,
): Promise<Static<typeof ReplyResult>> {
  const provider = await providerFor(ctx, reply.channel);
  const content = { ...reply, provider, recipient: to, letter: letter ?? null, template: template ?? null };
  const repeated = await ctx.db.row<{ is_failed: boolean }>(sql`
    SELECT status IN ('failed', 'skipped') AS is_failed FROM messages WHERE id = ${reply.id} FOR UPDATE`);
  if (!repeated) {
    const stored = await queueMessage(ctx, {
      ...content,
      is_reply: true,
      purpose: 'transactional',
      rule_id: null,
      event_id: null,
    });
    return { skipped: stored?.skipped ?? null };
  }
  return { skipped: repeated.is_failed ? await sendAgain(ctx, content) : null };
}

type Content = Pick<NewMessage, 'provider' | 'recipient' | 'subject' | 'body'> & { readonly id: string };

async function sendAgain(ctx: Ctx, { id, provider, recipient, subject, body }: Content): Promise<string | null> {
  const now = ctx.now();
  await ctx.db.run(sql`
    UPDATE messages SET status = 'queued', reason = NULL, attempts = 0, provider = ${provider}, recipient = ${recipient},
      subject = ${subject}, body = ${body}, provider_message_id = NULL, delivered_at = NULL, read_at = NULL, next_attempt_at = ${now}, updated_at = ${now}
    WHERE id = ${id}`);
  return startDelivery(ctx, id, provider);
}

export const ChannelKey = Type.Object({ channel: Channel, reply_id: Type.Optional(Uuid) });
export const ChannelState = Type.Object({
  obstacle: NullableText,
  has_template: Type.Boolean(),
  /** Whether messages are kept where developers read them, although they are not sent. */
  is_kept: Type.Boolean(),
  /** What a sender must know before sending. */
  notice: NullableText,
});

/** Why messages of the channel would not be sent now, and whether a reply that is sent again is a template. */
export async function checkChannel(
  ctx: Ctx,
  { channel, reply_id }: Static<typeof ChannelKey>,
): Promise<Static<typeof ChannelState>> {
  return {
    obstacle: await findChannelObstacle(ctx, channel),
    is_kept: channel === 'email' && !ctx.options.hasMailServer,
    notice: channel === 'email' ? await findReplyNotice(ctx) : null,
    has_template: reply_id !== undefined && (await hasTemplate(ctx, reply_id)),
  };
}

/** Where answers to mails go that the platform does not receive. */
async function findReplyNotice(ctx: Ctx): Promise<string | null> {
  if (await ctx.bus.callIfInstalled('mailbox.replyAddress', {})) return null;
  const { 'notifications.reply_to': address } = await ctx.settings();
  if (address !== '') return `Answers go to ${address} and do not come back to this conversation.`;
  return 'Answers of the customer do not come back: set up a mailbox of your own, or set `notifications.reply_to`.';
}

async function hasTemplate(ctx: Ctx, id: string): Promise<boolean> {
  const row = await ctx.db.row(sql`SELECT FROM messages WHERE id = ${id} AND template IS NOT NULL`);
  return row !== undefined;
}
