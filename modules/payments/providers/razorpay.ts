import { createHash } from 'node:crypto';
import { type Ctx, fromCents, toCents } from '@chowk/kit';
import { parseJson, readCurrency, readId, readText, readTime, readUnits, readUuid, readValue } from './json-value.ts';
import type {
  Callback,
  Keys,
  LinkReport,
  NewLink,
  Outcome,
  PaymentProvider,
  ProviderLink,
  ProviderRefund,
  SignedRequest,
} from './provider.ts';
import { readOutcome, sendRequest } from './send-request.ts';
import { isSigned } from './signature.ts';

declare module '@chowk/kit/catalogue' {
  interface ModuleOptions {
    /** The API of Razorpay, or a proxy of it. */
    readonly razorpayUrl: string;
  }
}

const title = 'Razorpay';
/** Signatures have no time, and deliveries are repeated for a day: an event is refused two days after it happened. */
const toleranceMs = 48 * 3_600_000;

/** https://razorpay.com/docs/api/payments/payment-links */
export const razorpay: PaymentProvider = {
  title,
  linkHours: 7 * 24,
  events: [
    'payment_link.paid',
    'payment_link.partially_paid',
    'payment_link.expired',
    'payment_link.cancelled',
    'payment.failed',
    'refund.processed',
    'refund.failed',
  ],
  findAmountProblem: () => undefined,
  tryKeys: (ctx, keys) => send(ctx, keys, { method: 'GET', path: '/v1/payments?count=1' }),
  createLink,
  cancelLink: (ctx, keys, id) => send(ctx, keys, { path: `/v1/payment_links/${id}/cancel` }),
  async findLink(ctx, keys, id) {
    return readOutcome(await send(ctx, keys, { method: 'GET', path: `/v1/payment_links/${id}` }), title, readStatus);
  },
  async refund(ctx, keys, { id, paymentId, amount, currency }) {
    const body = { amount: Number(toCents(amount, currency)), notes: { chowk_refund: id } };
    const headers = { 'x-refund-idempotency': id };
    const refunded = await send(ctx, keys, { path: `/v1/payments/${paymentId}/refund`, body, headers });
    return readOutcome(refunded, title, readRefund);
  },
  async findRefund(ctx, keys, id) {
    return readOutcome(await send(ctx, keys, { method: 'GET', path: `/v1/refunds/${id}` }), title, readRefund);
  },
  readCallback,
};

interface Request {
  readonly method?: 'GET';
  readonly path: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

function send(ctx: Ctx, { keyId, secretKey }: Keys, { method, path, body, headers }: Request) {
  return sendRequest(ctx, {
    title,
    method: method ?? 'POST',
    url: ctx.options.razorpayUrl + path,
    headers: {
      authorization: `Basic ${Buffer.from(`${keyId}:${secretKey}`).toString('base64')}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...headers,
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
    reasonIn: 'error.description',
  });
}

/** The API has no idempotency key, but refuses a second link with the same `reference_id`: the first one is found by it. */
async function createLink(ctx: Ctx, keys: Keys, link: NewLink): Promise<Outcome<ProviderLink>> {
  const created = await send(ctx, keys, { path: '/v1/payment_links', body: linkFields(link) });
  if (created.status !== 'refused' || !created.reason.includes('reference_id')) {
    return readOutcome(created, title, readLink);
  }
  const found = await send(ctx, keys, { method: 'GET', path: `/v1/payment_links?reference_id=${link.id}` });
  return readOutcome(found, title, (json) => readLink(readValue(json, 'payment_links.0')));
}

function linkFields({ id, title, amount, currency, expiresAt, contact, returnUrl }: NewLink) {
  const { name, email, phone } = contact;
  return {
    amount: Number(toCents(amount, currency)),
    currency,
    accept_partial: false,
    reference_id: id,
    description: title,
    expire_by: Math.floor(expiresAt.getTime() / 1_000),
    customer: { ...(name && { name }), ...(email && { email }), ...(phone && { contact: phone }) },
    // The merchant sends the link.
    notify: { sms: false, email: false },
    reminder_enable: false,
    notes: { chowk_link: id },
    callback_url: returnUrl,
    callback_method: 'get',
  };
}

function readLink(json: unknown): ProviderLink | undefined {
  const [id, url] = [readId(json, 'id'), readValue(json, 'short_url')];
  return id !== undefined && typeof url === 'string' ? { id, url } : undefined;
}

/** What a link has come to; `payments` lists how it was paid. */
function readStatus(json: unknown): LinkReport | undefined {
  const status = readText(json, 'status');
  if (status === 'created' || status === 'partially_paid') return {};
  if (status === 'expired' || status === 'cancelled') return { linkStatus: status };
  if (status !== 'paid') return undefined;
  const made = [readValue(json, 'payments')].flat().find((one) => readValue(one, 'status') === 'captured');
  const [id, at] = [readId(made, 'payment_id'), readTime(made, 'created_at')];
  const [units, currency] = [readUnits(made, 'amount'), readCurrency(json, 'currency')];
  if (id === undefined || !at || units === undefined || currency === undefined) return undefined;
  return {
    linkStatus: 'paid',
    payment: { id, amount: fromCents(units, currency), currency, status: 'succeeded', at },
  };
}

/** https://razorpay.com/docs/webhooks/validate-test: the header with the id of the event is not signed, so the body identifies it. */
function readCallback({ body, headers, secrets, now }: SignedRequest): Callback | undefined {
  if (!isSigned(body, [String(headers['x-razorpay-signature'] ?? '')], secrets)) return undefined;
  const event = parseJson(body);
  const [type, at] = [readText(event, 'event'), readTime(event, 'created_at')];
  if (type === undefined || !at || Math.abs(now.getTime() - at.getTime()) > toleranceMs) return undefined;
  const id = createHash('sha256').update(body).digest('hex');
  return { id, type, ...readEvent(type, readValue(event, 'payload'), at) };
}

type Report = Omit<Callback, 'id' | 'type'>;

const linkStatuses: Readonly<Record<string, Callback['linkStatus']>> = {
  'payment_link.paid': 'paid',
  'payment_link.expired': 'expired',
  'payment_link.cancelled': 'cancelled',
};

function readEvent(type: string, payload: unknown, at: Date): Report {
  const payment = readValue(payload, 'payment.entity');
  if (type.startsWith('payment_link.')) {
    const entity = readValue(payload, 'payment_link.entity');
    const link = { id: readUuid(entity, 'reference_id'), providerId: readId(entity, 'id') };
    return { link, linkStatus: linkStatuses[type], payment: readPayment(payment, at) };
  }
  if (type === 'payment.failed') {
    const link = { id: readUuid(payment, 'notes.chowk_link'), providerId: undefined };
    return { link, failure: readText(payment, 'error_description') };
  }
  const entity = readValue(payload, 'refund.entity');
  const refundId = readUuid(entity, 'notes.chowk_refund');
  const refund = type.startsWith('refund.') ? readRefund(entity) : undefined;
  return refund && refundId !== undefined ? { refund: { ...refund, refundId } } : {};
}

function readPayment(payment: unknown, at: Date): Report['payment'] {
  const id = readId(payment, 'id');
  const [units, currency] = [readUnits(payment, 'amount'), readCurrency(payment, 'currency')];
  if (id === undefined || units === undefined || currency === undefined) return undefined;
  const isCaptured = readValue(payment, 'status') === 'captured';
  return { id, amount: fromCents(units, currency), currency, status: isCaptured ? 'succeeded' : 'pending', at };
}

function readRefund(json: unknown): ProviderRefund | undefined {
  const id = readId(json, 'id');
  if (id === undefined) return undefined;
  const status = readText(json, 'status');
  return { id, status: status === 'processed' ? 'succeeded' : status === 'failed' ? 'failed' : 'pending' };
}
