import { unsubscribePath } from '../unsubscribe.ts';
import type { Provider } from './provider.ts';

/** Hands the message over to the platform's mail queue, which repeats it for hours. */
export const mail: Provider = async (ctx, { id, recipient, subject, body, customer_id, purpose }) => {
  const isMarketing = purpose === 'marketing' && customer_id !== null;
  const link = isMarketing ? { unsubscribe_path: unsubscribePath(ctx, customer_id) } : {};
  await ctx.bus.call('identity.mailCustomer', { id, to: recipient, subject: subject ?? '', text: body, ...link });
  return { status: 'sent', providerMessageId: null };
};
