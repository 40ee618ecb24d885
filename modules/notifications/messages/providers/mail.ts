import type { Provider } from './provider.ts';

/** Hands the message over to the platform's mail queue, which repeats it for hours. */
export const mail: Provider = async (ctx, { id, recipient, subject, body }) => {
  await ctx.bus.call('identity.mailCustomer', { id, to: recipient, subject: subject ?? '', text: body });
  return { status: 'sent', providerMessageId: null };
};
