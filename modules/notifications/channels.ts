import { type Ctx, maskDigits } from '@chowk/kit';
import type { InAppMessage, InAppResult, MessageResult } from './schemas.ts';
import { send } from './send.ts';

export async function sendInApp(ctx: Ctx, { user_id, ...message }: InAppMessage): Promise<InAppResult> {
  const nothing = { module: null, icon: null, action_url: null, action_label: null, group_key: null };
  const count = await send(ctx, { ...nothing, ...message, to: user_id, type: 'notification.sent', severity: 'info' });
  return count > 0 ? { sent: true, reason: null } : { sent: false, reason: 'not_a_member' };
}

/** The only provider so far. The log must not contain personal data: neither the address nor the text. */
export async function logMessage(ctx: Ctx, message: { channel: string; to: string; text: string }) {
  const { channel, to, text } = message;
  const recipient = channel === 'email' ? to.replace(/^.*@/, '*@') : maskDigits(to);
  ctx.log.info({ channel, to: recipient, length: text.length }, 'message logged instead of sent: there is no provider');
  return { provider: 'log' } satisfies MessageResult;
}
