import { createHmac, timingSafeEqual } from 'node:crypto';
import { Answer, type Ctx, type JobTypes, job, Type } from '@chowk/kit';
import { fail } from '../../errors.ts';
import { openSecrets, storedProvider, twilioAuthorization } from '../providers/accounts.ts';
import { twilioCallbackUrl } from '../providers/twilio.ts';
import { type Receipt, recordReceipt } from '../receipts.ts';
import type { SignedRequest } from './schemas.ts';

/** Twilio expects its own XML; this one means that nothing is to be answered. */
const nothing = new Answer('<?xml version="1.0" encoding="UTF-8"?><Response></Response>', {
  headers: { 'content-type': 'text/xml' },
});

const statuses: Readonly<Record<string, Receipt['status']>> = {
  delivered: 'delivered',
  read: 'read',
  undelivered: 'failed',
  failed: 'failed',
};

/** https://www.twilio.com/docs/messaging/guides/track-outbound-message-status */
export async function receiveStatus(ctx: Ctx, { id, ...request }: SignedRequest & { id: string }): Promise<Answer> {
  const fields = await readSigned(ctx, request, `status/${id}`);
  const status = statuses[fields.get('MessageStatus') ?? ''];
  const code = fields.get('ErrorCode') ?? '';
  const reason = /^\d{1,6}$/.test(code)
    ? `Twilio reports the error ${code} (https://www.twilio.com/docs/api/errors/${code}).`
    : 'Twilio could not deliver the message.';
  if (status) await recordReceipt(ctx, { id, provider: 'twilio', status, reason: status === 'failed' ? reason : null });
  return nothing;
}

/** https://www.twilio.com/docs/messaging/guides/webhook-request */
export async function receiveText(ctx: Ctx, request: SignedRequest): Promise<Answer> {
  const fields = await readSigned(ctx, request, 'inbound');
  const message = readMessage(fields);
  if (!message) return nothing;
  if (message.media.length === 0) await addMessage(ctx, message, []);
  else
    await ctx.jobs.add('notifications.receive_media', {
      message: ctx.secrets.seal('message', JSON.stringify(message)),
    });
  return nothing;
}

/** The fields of a form that the tenant's account at Twilio has signed. */
async function readSigned(ctx: Ctx, { body, headers }: SignedRequest, path: string): Promise<URLSearchParams> {
  const account = await storedProvider(ctx, 'twilio');
  const fields = new URLSearchParams(body);
  const text = [...new Set(fields.keys())].sort().map((name) => `${name}${fields.get(name)}`);
  const signed = twilioCallbackUrl(ctx, path) + text.join('');
  const given = Buffer.from(String(headers['x-twilio-signature'] ?? ''), 'base64');
  const isGenuine = (account ? openSecrets(ctx, account) : []).some((token) => {
    const expected = createHmac('sha1', token).update(signed).digest();
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!isGenuine) throw fail('notifications.bad_signature');
  return fields;
}

interface ReceivedText {
  readonly id: string;
  readonly channel: 'sms' | 'whatsapp';
  readonly phone: string;
  readonly name: string | null;
  readonly body: string;
  readonly media: readonly string[];
}

const maxMedia = 10;

function readMessage(fields: URLSearchParams): ReceivedText | undefined {
  const [id, from] = [fields.get('MessageSid') ?? '', fields.get('From') ?? ''];
  const phone = from.replace(/^whatsapp:/, '');
  // Short codes and names of senders cannot be answered.
  if (!/^[A-Z]{2}[0-9a-f]{32}$/.test(id) || !/^\+\d{6,15}$/.test(phone)) return undefined;
  const count = Math.min(Number(fields.get('NumMedia') ?? 0) || 0, maxMedia);
  return {
    id,
    channel: from === phone ? 'sms' : 'whatsapp',
    phone,
    name: fields.get('ProfileName'),
    body: fields.get('Body') ?? '',
    media: Array.from({ length: count }, (_, index) => fields.get(`MediaUrl${index}`) ?? '').filter(Boolean),
  };
}

async function addMessage(ctx: Ctx, message: ReceivedText, attachment_ids: readonly string[]): Promise<void> {
  const { id, channel, phone, name, body } = message;
  await ctx.bus.callIfInstalled('conversations.receive', {
    channel,
    external_id: `twilio:${id}`,
    customer: { phone, ...(name && { first_name: name.slice(0, 255) }) },
    contact: phone,
    body,
    attachment_ids: [...attachment_ids],
  });
}

/** The files are downloaded from Twilio with the account's token, which other servers must not get. */
async function receiveMedia(ctx: Ctx, { message: sealed }: { message: string }): Promise<void> {
  const message = JSON.parse(ctx.secrets.open('message', sealed)) as ReceivedText;
  const account = await storedProvider(ctx, 'twilio');
  const attachments: string[] = [];
  for (const url of message.media) {
    const isTrusted = account && URL.parse(url)?.origin === new URL(ctx.options.twilioUrl).origin;
    const id = isTrusted ? await download(ctx, url, account) : undefined;
    if (id !== undefined) attachments.push(id);
  }
  await addMessage(ctx, message, attachments);
}

type Account = NonNullable<Awaited<ReturnType<typeof storedProvider<'twilio'>>>>;

async function download(ctx: Ctx, url: string, account: Account): Promise<string | undefined> {
  const authorization = twilioAuthorization(ctx, account);
  const response = await ctx.http.request(url, { headers: { authorization }, timeoutMs: 30_000, maxBytes: 25_000_000 });
  if (response.status >= 500) throw new Error(`Twilio answered with the status ${response.status}`);
  if (response.status !== 200) return undefined;
  // They have no names: `media.ogg` for a voice note.
  const [, extension] = /^\w+\/([a-z0-9]{2,5})\b/.exec(response.headers['content-type'] ?? '') ?? [];
  const file_name = extension === undefined ? 'media' : `media.${extension}`;
  return ctx.bus.callIfInstalled('conversations.storeAttachment', { file_name, content: response.body });
}

export const callbackJobs = {
  'notifications.receive_media': job({
    queue: 'messages',
    data: Type.Object({ message: Type.String() }),
    retries: [10, 60, 600, 3_600],
    run: receiveMedia,
  }),
};

declare module '@chowk/kit/catalogue' {
  interface Jobs extends JobTypes<typeof callbackJobs> {}
}
