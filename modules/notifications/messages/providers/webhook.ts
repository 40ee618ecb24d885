import { openSecrets, storedProvider } from './accounts.ts';
import { post } from './post.ts';
import { linkFiles, type Provider } from './provider.ts';

/** A server of the tenant sends the message. Requests are signed as Standard Webhooks describes. */
export const webhook: Provider = async (ctx, outbound) => {
  const { id, channel, recipient, body: message, template } = outbound;
  const account = await storedProvider(ctx, 'webhook');
  if (!account) return { status: 'failed', reason: 'The webhook for messages is not configured.' };
  const at = ctx.now();
  const files = await linkFiles(ctx, outbound);
  const data = {
    id,
    channel,
    to: recipient,
    message,
    ...(template && { template }),
    ...(files.length > 0 && { files }),
  };
  const body = JSON.stringify({ type: 'message.send', timestamp: at.toISOString(), data });
  return post(ctx, {
    provider: 'The webhook',
    url: account.options.url,
    headers: { 'content-type': 'application/json' },
    signature: { id, at, secrets: openSecrets(ctx, account) },
    body,
  });
};
