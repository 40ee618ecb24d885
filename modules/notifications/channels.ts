import type { Ctx } from '@chowk/kit';
import { type NewMessage, providerFor, queueMessage } from './messages.ts';
import type { ChannelMessage, EmailMessage, InAppMessage, InAppResult, MessageResult } from './schemas.ts';
import { send } from './send.ts';

export async function sendInApp(ctx: Ctx, { user_id, ...message }: InAppMessage): Promise<InAppResult> {
  const nothing = {
    ...{ module: null, icon: null, action_url: null, action_label: null, group_key: null, customer_id: null },
  };
  const count = await send(ctx, { ...nothing, ...message, to: user_id, type: 'notification.sent', severity: 'info' });
  return count > 0 ? { sent: true, reason: null } : { sent: false, reason: 'not_a_member' };
}

export function sendEmail(ctx: Ctx, { to, subject, body, customer_id }: EmailMessage): Promise<MessageResult> {
  return queue(ctx, { channel: 'email', recipient: to, subject, body, customer_id });
}

export function sendText(ctx: Ctx, { channel, to, message, customer_id }: ChannelMessage): Promise<MessageResult> {
  return queue(ctx, { channel, recipient: to, subject: null, body: message, customer_id });
}

type Outbound = Pick<NewMessage, 'recipient' | 'subject' | 'body' | 'customer_id'> & {
  readonly channel: 'email' | 'sms' | 'whatsapp';
};

async function queue(ctx: Ctx, message: Outbound): Promise<MessageResult> {
  const provider = await providerFor(ctx, message.channel);
  return ctx.tx(async (tx) => {
    const id = await queueMessage(tx, { ...message, provider, rule_id: null, event_id: null });
    return { id: id as string, provider };
  });
}
