import { openSecrets, storedProvider } from './accounts.ts';
import { post } from './post.ts';
import type { Provider } from './provider.ts';

/** A server of the tenant sends the message. Requests are signed as Standard Webhooks describes. */
export const webhook: Provider = async (ctx, { id, channel, recipient, body: message }) => {
  const account = await storedProvider(ctx, 'webhook');
  if (!account) return { status: 'failed', reason: 'The webhook for messages is not configured.' };
  const at = ctx.now();
  const data = { id, channel, to: recipient, message };
  const body = JSON.stringify({ type: 'message.send', timestamp: at.toISOString(), data });
  return post(ctx, {
    provider: 'The webhook',
    url: account.options.url,
    headers: { 'content-type': 'application/json' },
    signature: { id, at, secrets: openSecrets(ctx, account) },
    body,
  });
};
