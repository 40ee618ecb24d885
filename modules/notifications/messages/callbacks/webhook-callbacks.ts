import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Ctx, invalid, type Static } from '@chowk/kit';
import { fail } from '../../errors.ts';
import { openSecrets, storedProvider } from '../providers/accounts.ts';
import { type Receipt, recordReceipt } from '../receipts.ts';
import { InboundMessage, ReportedMessage, type SignedRequest } from './schemas.ts';

/** Older requests may be repeated by somebody else. */
const toleranceSeconds = 300;

/** A server of the tenant reports a message of a customer, or what has become of one to a customer. */
export async function receiveFromWebhook(ctx: Ctx, request: SignedRequest): Promise<void> {
  await mustBeSigned(ctx, request);
  const event = readJson(request.body);
  if ((event as { type?: unknown } | null)?.type === 'message.received')
    return addMessage(ctx, checked(ctx, InboundMessage, event));
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

async function addMessage(ctx: Ctx, { data }: Static<typeof InboundMessage>): Promise<void> {
  const { id, channel, from, subject, body } = data;
  const { phone, email, name } = from;
  const contact = (channel === 'email' ? email : phone) ?? email ?? phone;
  if (contact === undefined)
    throw invalid({ 'data.from': { code: 'required', message: 'A phone or an email is required.' } });
  await ctx.bus.callIfInstalled('conversations.receive', {
    channel,
    external_id: `webhook:${id}`,
    customer: {
      ...(phone !== undefined && { phone }),
      ...(email !== undefined && { email }),
      ...(name !== undefined && { first_name: name }),
    },
    contact,
    ...(subject !== undefined && { subject }),
    body,
  });
}
