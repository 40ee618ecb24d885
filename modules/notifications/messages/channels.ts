import type { Ctx } from '@chowk/kit';
import type { ChannelMessage, EmailMessage, InAppMessage, InAppResult, MessageResult } from '../schemas.ts';
import { send } from '../send.ts';
import {
  acceptsMarketing,
  type NewMessage,
  noConsent,
  providerFor,
  queueMessage,
  type StoredMessage,
} from './messages.ts';

export async function sendInApp(ctx: Ctx, { user_id, ...message }: InAppMessage): Promise<InAppResult> {
  const link = { action_url: null, action_label: null, customer_id: null };
  const nothing = { module: null, icon: null, group_key: null, ...link };
  const count = await send(ctx, { ...nothing, ...message, to: user_id, type: 'notification.sent', severity: 'info' });
  return count > 0 ? { sent: true, reason: null } : { sent: false, reason: 'not_a_member' };
}

export function sendEmail(ctx: Ctx, { to, subject, body, customer_id, purpose }: EmailMessage): Promise<MessageResult> {
  return queue(ctx, { channel: 'email', recipient: to, subject, body, customer_id, purpose });
}

export function sendText(
  ctx: Ctx,
  { channel, to, message, customer_id, purpose }: ChannelMessage,
): Promise<MessageResult> {
  return queue(ctx, { channel, recipient: to, subject: null, body: message, customer_id, purpose });
}

type Outbound = Pick<NewMessage, 'recipient' | 'subject' | 'body' | 'customer_id' | 'purpose'> & {
  readonly channel: 'email' | 'sms' | 'whatsapp';
};

const noContent = { recipient: null, subject: null, body: null };

async function queue(ctx: Ctx, message: Outbound): Promise<MessageResult> {
  const provider = await providerFor(ctx, message.channel);
  return ctx.tx(async (tx) => {
    const customer_id = await lockCustomer(tx, message.customer_id);
    const isRefused = message.purpose === 'marketing' && !(await acceptsMarketing(tx, customer_id));
    const refusal = isRefused ? ({ status: 'skipped', reason: noConsent, ...noContent } as const) : {};
    const origin = { provider, rule_id: null, event_id: null };
    const stored = await queueMessage(tx, { ...message, customer_id, ...origin, ...refusal });
    const { id, skipped } = stored as StoredMessage;
    return { id, provider, skipped };
  });
}

/** So that the message is stored before the customer is erased, or tied to none. Follows merges. */
async function lockCustomer(ctx: Ctx, id: string | null): Promise<string | null> {
  if (id === null) return null;
  return (await ctx.bus.callIfInstalled('customers.lock', { id })) ?? null;
}
