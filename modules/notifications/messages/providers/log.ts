import { maskDigits } from '@chowk/kit';
import type { Provider } from './provider.ts';

/** Sends nothing. The log must not contain personal data: neither the number nor the text. */
export const log: Provider = async (ctx, { channel, recipient, body }) => {
  const fields = { tenant: ctx.tenant.id, channel, to: maskDigits(recipient), length: body.length };
  ctx.log.info(fields, 'message logged instead of sent: the tenant has no provider');
  return { status: 'sent', providerMessageId: null };
};
