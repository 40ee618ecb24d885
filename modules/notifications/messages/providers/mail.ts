import type { Provider } from './provider.ts';

/** Hands the message over to the platform's mail queue, which repeats it for hours. */
export const mail: Provider = async (ctx, { id, recipient, subject, body }) => {
  const identity = await ctx.helpers('identity');
  await identity?.mailCustomer({ id, to: recipient, subject: subject ?? '', text: body });
  return { status: 'sent', providerMessageId: null };
};
