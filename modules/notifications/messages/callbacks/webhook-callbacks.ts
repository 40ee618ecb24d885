import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Ctx, Failure, invalid, type JobTypes, job, type Static, Type, toTimestamp, Uuid } from '@chowk/kit';
import { fail } from '../../errors.ts';
import { openSecrets, storedProvider } from '../providers/accounts.ts';
import { temporaryFailures } from '../providers/post.ts';
import { type Receipt, recordReceipt } from '../receipts.ts';
import { InboundMessage, ReportedMessage, type SignedRequest } from './schemas.ts';

/** Older requests may be repeated by somebody else. */
const toleranceSeconds = 300;

/** A server of the tenant reports a message of a customer, or what has become of one to a customer. */
export async function receiveFromWebhook(ctx: Ctx, request: SignedRequest): Promise<void> {
  await mustBeSigned(ctx, request);
  const event = readJson(request.body);
  if ((event as { type?: unknown } | null)?.type === 'message.received')
    return receive(ctx, checked(ctx, InboundMessage, event));
  const { type, data } = checked(ctx, ReportedMessage, event);
  const status = type.slice('message.'.length) as Receipt['status'];
  await recordReceipt(ctx, { id: data.id, provider: 'webhook', status, reason: data.reason ?? null });
}

/** As https://www.standardwebhooks.com describes, with the secret of the webhook that sends messages. */
async function mustBeSigned(ctx: Ctx, { body, headers }: SignedRequest): Promise<void> {
  const account = await storedProvider(ctx, 'webhook');
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    String(headers[`webhook-${name}`]),
  );
  const age = Math.abs(ctx.now().getTime() / 1_000 - Number(timestamp));
  const given = (signatures as string).split(' ').map((one) => Buffer.from(one.replace(/^v1,/, ''), 'base64'));
  const isGenuine = (account ? openSecrets(ctx, account) : []).some((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest();
    return given.some((one) => one.length === expected.length && timingSafeEqual(one, expected));
  });
  if (!isGenuine || !(age <= toleranceSeconds)) throw fail('notifications.bad_signature');
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid({ body: { code: 'invalid', message: 'The body is not JSON.' } });
  }
}

function checked<Schema extends typeof InboundMessage | typeof ReportedMessage>(
  ctx: Ctx,
  schema: Schema,
  value: unknown,
): Static<Schema> {
  const errors = ctx.check(schema, value);
  if (errors) throw invalid(errors);
  return value as Static<Schema>;
}

type Received = InboundMessage['data'];

async function receive(ctx: Ctx, { data }: InboundMessage): Promise<void> {
  const { from, channel, attachments = [] } = data;
  if (findContact(channel, from) === undefined)
    throw invalid({ 'data.from': { code: 'required', message: 'A phone or an email is required.' } });
  for (const [index, { url }] of attachments.entries()) mustBeAllowed(ctx, url, `data.attachments.${index}.url`);
  // Files may take long, and a time in the future is that of a wrong clock.
  const now = ctx.now().toISOString();
  const sent_at = toTimestamp(data.sent_at ?? now) ?? now;
  const message = { ...data, sent_at: sent_at < now ? sent_at : now };
  if (attachments.length === 0) await addMessage(ctx, message, []);
  else await queueFiles(ctx, { message, attachment_ids: [] }, 0);
}

function mustBeAllowed(ctx: Ctx, url: string, field: string): void {
  try {
    ctx.http.check(url);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw invalid({ [field]: { code: 'invalid', message: error.message } });
  }
}

/** Seconds before each retry. Then the message is added without the files that could not be fetched. */
const retries: readonly number[] = [30, 300];

interface Fetching {
  /** With the files that are still to be fetched. */
  readonly message: Received;
  readonly attachment_ids: readonly string[];
}

async function queueFiles(ctx: Ctx, fetching: Fetching, attempt: number): Promise<void> {
  const delay = attempt === 0 ? {} : { delaySeconds: retries[attempt - 1] as number };
  const sealed = ctx.secrets.seal('message', JSON.stringify(fetching));
  await ctx.jobs.add('notifications.receive_files', { message: sealed, attempt }, delay);
}

async function receiveFiles(
  ctx: Ctx,
  { message: sealed, attempt }: { message: string; attempt: number },
): Promise<void> {
  const { message, attachment_ids } = JSON.parse(ctx.secrets.open('message', sealed)) as Fetching;
  const { attachments = [] } = message;
  const ids = [...attachment_ids];
  for (const [index, { url, file_name = nameOf(url) }] of attachments.entries()) {
    const { content, reason, isTemporary } = await download(ctx, url);
    if (isTemporary && attempt < retries.length) {
      const rest = { ...message, attachments: attachments.slice(index) };
      return queueFiles(ctx, { message: rest, attachment_ids: ids }, attempt + 1);
    }
    const file = content ? { content } : { reason };
    const id = await ctx.bus.callIfInstalled('conversations.storeAttachment', { file_name, ...file });
    if (id !== undefined) ids.push(id);
  }
  await addMessage(ctx, message, ids);
}

interface Download {
  readonly content?: Buffer;
  /** Why there is no content. */
  readonly reason: string;
  readonly isTemporary: boolean;
}

const limits = { timeoutMs: 30_000, maxBytes: 25_000_000 };

async function download(ctx: Ctx, url: string): Promise<Download> {
  try {
    const { status, body } = await ctx.http.request(url, limits);
    if (status === 200) return { content: body, reason: '', isTemporary: false };
    const isTemporary = status === 408 || status === 429 || status >= 500;
    return { reason: `The server of the file answered with the status ${status}.`, isTemporary };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { reason: error.message, isTemporary: temporaryFailures.has(error.code) };
  }
}

/** The end of the path. */
function nameOf(url: string): string {
  const last = new URL(url).pathname.split('/').at(-1) as string;
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

function findContact(channel: Received['channel'], { phone, email }: Received['from']): string | undefined {
  return (channel === 'email' ? email : phone) ?? email ?? phone;
}

async function addMessage(ctx: Ctx, message: Received, attachment_ids: readonly string[]): Promise<void> {
  const { id, channel, from, subject, body, in_reply_to, sent_at } = message;
  const { phone, email, name } = from;
  const isOurs = in_reply_to !== undefined && ctx.check(Uuid, in_reply_to) === undefined;
  await ctx.bus.callIfInstalled('conversations.receive', {
    channel,
    external_id: `webhook:${id}`,
    customer: {
      ...(phone !== undefined && { phone }),
      ...(email !== undefined && { email }),
      ...(name !== undefined && { first_name: name }),
    },
    contact: findContact(channel, from) ?? null,
    ...(in_reply_to !== undefined && { answers: [`webhook:${in_reply_to}`] }),
    ...(isOurs && { answered_id: in_reply_to }),
    ...(subject !== undefined && { subject }),
    body,
    attachment_ids: [...attachment_ids],
    ...(sent_at !== undefined && { sent_at }),
  });
}

export const webhookJobs = {
  'notifications.receive_files': job({
    queue: 'messages',
    data: Type.Object({ message: Type.String(), attempt: Type.Integer({ minimum: 0 }) }),
    retries: [10, 60, 600],
    run: receiveFiles,
  }),
};

declare module '@chowk/kit/catalogue' {
  interface Jobs extends JobTypes<typeof webhookJobs> {}
}
