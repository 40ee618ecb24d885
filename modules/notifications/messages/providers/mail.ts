import type { Ctx } from '@chowk/kit';
import { unsubscribePath } from '../unsubscribe.ts';
import type { OutboundMessage, Provider } from './provider.ts';

/** Sends the mail over the mail server of the platform. An attempt that is repeated after a crash has the same Message-ID. */
export const mail: Provider = async (ctx, message) => {
  const { id, recipient, subject, body: text, letter, customer_id, purpose } = message;
  const message_id = letter?.message_id ?? `${id}@${new URL(ctx.tenantUrl).hostname}`;
  const fields = { message_id, to: recipient, subject: subject ?? '', text };
  const isMarketing = purpose === 'marketing' && customer_id !== null;
  const link = isMarketing ? { unsubscribe_path: unsubscribePath(ctx, customer_id) } : {};
  const addresses = letter ?? (await findAddresses(ctx));
  const reply_to = addresses.reply_to ?? (await ctx.settings())['notifications.reply_to'];
  const { return_path } = addresses;
  const attachments = await readAttachments(ctx, message);
  const outcome = await ctx.bus.call('identity.mailCustomer', {
    ...fields,
    ...link,
    ...(reply_to && { reply_to }),
    ...(return_path && { return_path }),
    ...(letter && { letter: { ...letter, attachments } }),
  });
  return outcome.status === 'sent' ? { status: 'sent', providerMessageId: null } : outcome;
};

/** Those of a mail that belongs to no conversation: an answer to it begins one. */
async function findAddresses(ctx: Ctx) {
  const [reply_to, return_path] = await Promise.all([
    ctx.bus.callIfInstalled('mailbox.replyAddress', {}),
    ctx.bus.callIfInstalled('mailbox.returnPath', {}),
  ]);
  return { reply_to, return_path };
}

async function readAttachments(ctx: Ctx, { id, is_reply }: OutboundMessage) {
  if (!is_reply) return [];
  return (await ctx.bus.callIfInstalled('conversations.readAttachments', { message_id: id })) ?? [];
}
