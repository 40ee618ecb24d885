import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Ctx } from '@chowk/kit';
import PostalMime from 'postal-mime';

/** Adds a mail to the conversation that it answers or to a new one, once. */
export async function receiveRawMail(
  ctx: Ctx,
  { mail: raw }: { readonly mail: Uint8Array | Readable; readonly recipient: string },
): Promise<void> {
  const content = raw instanceof Uint8Array ? raw : Buffer.concat(await Array.fromAsync(raw as AsyncIterable<Buffer>));
  const mail = await PostalMime.parse(content);
  const email = mail.from?.address;
  if (!email) return;
  const id = readIds(mail.messageId)[0] ?? createHash('sha256').update(content).digest('hex');
  const answers = [...readIds(mail.inReplyTo), ...readIds(mail.references).reverse()];
  await ctx.bus.callIfInstalled('conversations.receive', {
    channel: 'email',
    external_id: `email:${id}`,
    customer: { email, ...(mail.from?.name && { first_name: mail.from.name.slice(0, 255) }) },
    contact: email,
    answers: answers.map((answer) => `email:${answer}`),
    subject: mail.subject ?? '',
    body: mail.text?.trim() ?? '',
  });
}

function readIds(header: string | undefined): string[] {
  return [...(header ?? '').matchAll(/<([^<>\s]+)>/g)].map(([, id]) => id as string);
}
