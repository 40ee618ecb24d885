import { type Ctx, fromCents, toCents } from '@chowk/kit';
import { parseJson, readCurrency, readId, readText, readTime, readUnits, readUuid, readValue } from './json-value.ts';
import type {
  Callback,
  Keys,
  LinkReport,
  NewLink,
  NewRefund,
  PaymentProvider,
  ProviderRefund,
  SignedRequest,
} from './provider.ts';
import { readOutcome, sendRequest } from './send-request.ts';
import { isSigned } from './signature.ts';

declare module '@chowk/kit/catalogue' {
  interface ModuleOptions {
    /** The API of Stripe, or a proxy of it. */
    readonly stripeUrl: string;
  }
}

const title = 'Stripe';
/** Responses have the form of this version, whatever the account's is. */
const version = '2024-06-20';
const toleranceMs = 5 * 60_000;

/** https://docs.stripe.com/api/checkout/sessions: links are Checkout sessions, which can be paid once and expire after a day. */
export const stripe: PaymentProvider = {
  title,
  // Stripe allows 24 by its clock.
  linkHours: 23,
  events: [
    'checkout.session.completed',
    'checkout.session.async_payment_succeeded',
    'checkout.session.async_payment_failed',
    'checkout.session.expired',
    'payment_intent.payment_failed',
    'refund.updated',
    'refund.failed',
  ],
  findAmountProblem(amount, currency) {
    const isFine = threeDecimals.has(currency) && toUnits(amount, currency) % 10n !== 0n;
    return isFine ? `Stripe charges ${currency} in steps of 0.01.` : undefined;
  },
  tryKeys: (ctx, keys) => send(ctx, keys, { method: 'GET', path: '/v1/checkout/sessions?limit=1' }),
  async createLink(ctx, keys, link) {
    const path = '/v1/checkout/sessions';
    const created = await send(ctx, keys, { path, fields: sessionFields(link), idempotencyKey: link.id });
    return readOutcome(created, title, (json) => {
      const [id, url] = [readId(json, 'id'), readValue(json, 'url')];
      return id !== undefined && typeof url === 'string' ? { id, url } : undefined;
    });
  },
  cancelLink: (ctx, keys, id) => send(ctx, keys, { path: `/v1/checkout/sessions/${id}/expire`, fields: {} }),
  async findLink(ctx, keys, id) {
    const [path, now] = [`/v1/checkout/sessions/${id}`, ctx.now()];
    return readOutcome(await send(ctx, keys, { method: 'GET', path }), title, (json) => readStatus(json, now));
  },
  async refund(ctx, keys, { id, paymentId, amount, currency }: NewRefund) {
    const fields = {
      payment_intent: paymentId,
      amount: String(toUnits(amount, currency)),
      'metadata[chowk_refund]': id,
    };
    return readOutcome(await send(ctx, keys, { path: '/v1/refunds', fields, idempotencyKey: id }), title, readRefund);
  },
  async findRefund(ctx, keys, id) {
    return readOutcome(await send(ctx, keys, { method: 'GET', path: `/v1/refunds/${id}` }), title, readRefund);
  },
  readCallback,
};

interface Request {
  readonly method?: 'GET';
  readonly path: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly idempotencyKey?: string;
}

function send(ctx: Ctx, { secretKey }: Keys, { method, path, fields, idempotencyKey }: Request) {
  return sendRequest(ctx, {
    title,
    method: method ?? 'POST',
    url: ctx.options.stripeUrl + path,
    headers: {
      authorization: `Bearer ${secretKey}`,
      'stripe-version': version,
      ...(fields ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    },
    ...(fields ? { body: new URLSearchParams(fields).toString() } : {}),
    reasonIn: 'error.message',
  });
}

function sessionFields({ id, title, amount, currency, expiresAt, contact, returnUrl }: NewLink) {
  return {
    mode: 'payment',
    client_reference_id: id,
    'metadata[chowk_link]': id,
    'payment_intent_data[metadata][chowk_link]': id,
    'payment_intent_data[description]': title,
    'line_items[0][quantity]': '1',
    'line_items[0][price_data][currency]': currency.toLowerCase(),
    'line_items[0][price_data][unit_amount]': String(toUnits(amount, currency)),
    'line_items[0][price_data][product_data][name]': title,
    success_url: returnUrl,
    expires_at: String(Math.floor(expiresAt.getTime() / 1_000)),
    ...(contact.email === null ? {} : { customer_email: contact.email }),
  };
}

/** https://docs.stripe.com/webhooks#verify-manually */
function readCallback({ body, headers, secrets, now }: SignedRequest): Callback | undefined {
  const parts = String(headers['stripe-signature'] ?? '').split(',');
  const values = (name: string) => parts.filter((part) => part.startsWith(`${name}=`)).map((part) => part.slice(3));
  const [time = ''] = parts.filter((part) => part.startsWith('t=')).map((part) => part.slice(2));
  const isRecent = /^\d{1,11}$/.test(time) && Math.abs(now.getTime() - Number(time) * 1_000) <= toleranceMs;
  if (!isRecent || !isSigned(`${time}.${body}`, values('v1'), secrets)) return undefined;
  const event = parseJson(body);
  const [id, type] = [readId(event, 'id'), readText(event, 'type')];
  return id === undefined || type === undefined ? undefined : { id, type, ...readEvent(type, event) };
}

type Report = Omit<Callback, 'id' | 'type'>;

function readEvent(type: string, event: unknown): Report {
  const object = readValue(event, 'data.object');
  if (type.startsWith('checkout.session.')) return readSession(type.slice(17), object, readTime(event, 'created'));
  if (type === 'payment_intent.payment_failed') {
    const link = { id: readUuid(object, 'metadata.chowk_link'), providerId: undefined };
    return { link, failure: readText(object, 'last_payment_error.message') };
  }
  const refundId = readUuid(object, 'metadata.chowk_refund');
  const refund = type.startsWith('refund.') ? readRefund(object) : undefined;
  return refund && refundId !== undefined ? { refund: { ...refund, refundId } } : {};
}

function readSession(event: string, session: unknown, at = new Date()): Report {
  const link = { id: readUuid(session, 'metadata.chowk_link'), providerId: readId(session, 'id') };
  const isPaid = readValue(session, 'payment_status') === 'paid';
  switch (event) {
    case 'completed':
      // Banks confirm some methods days later: `async_payment_…` follows.
      return isPaid
        ? { link, linkStatus: 'paid', payment: readPayment(session, 'succeeded', at) }
        : { link, linkStatus: 'processing', payment: readPayment(session, 'pending', at) };
    case 'async_payment_succeeded':
      return { link, linkStatus: 'paid', payment: readPayment(session, 'succeeded', at) };
    case 'async_payment_failed':
      return { link, linkStatus: 'failed', payment: readPayment(session, 'failed', at) };
    case 'expired':
      return { link, linkStatus: 'expired' };
    default:
      return { link };
  }
}

/**
 * What a session has come to. Whether a bank has refused what it was to confirm later is not in it, and a restricted key may not
 * read more. The time of the payment is not in it either.
 */
function readStatus(session: unknown, now: Date): LinkReport | undefined {
  switch (readText(session, 'status')) {
    case 'open':
      return {};
    case 'expired':
      return { linkStatus: 'expired' };
    case 'complete':
      return readSession('completed', session, now);
    default:
      return undefined;
  }
}

function readPayment(session: unknown, status: 'pending' | 'succeeded' | 'failed', at: Date): Report['payment'] {
  const id = readId(session, 'payment_intent');
  const units = readUnits(session, 'amount_total');
  const currency = readCurrency(session, 'currency');
  if (id === undefined || units === undefined || currency === undefined) return undefined;
  return { id, amount: fromCents(units, decimalsLike(currency)), currency, status, at };
}

function readRefund(json: unknown): ProviderRefund | undefined {
  const id = readId(json, 'id');
  if (id === undefined) return undefined;
  const status = readText(json, 'status');
  if (status === 'succeeded') return { id, status };
  return { id, status: status === 'failed' || status === 'canceled' ? 'failed' : 'pending' };
}

/** https://docs.stripe.com/currencies#minor-units: all others have two decimals, also ISK and UGX. */
const noDecimals = new Set('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '));
const threeDecimals = new Set('BHD JOD KWD OMR TND'.split(' '));

/** A currency with as many decimals as Stripe gives this one. */
function decimalsLike(currency: string): string | undefined {
  return noDecimals.has(currency) ? 'JPY' : threeDecimals.has(currency) ? 'KWD' : undefined;
}

function toUnits(amount: string, currency: string): bigint {
  return toCents(amount, decimalsLike(currency));
}
