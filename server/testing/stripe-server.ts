import { createHmac } from 'node:crypto';
import {
  type EventChanges,
  type LinkEvent,
  type PaymentAnswer,
  type PaymentRequest,
  type PaymentServer,
  remember,
  type ServedLink,
  type ServedRefund,
  type SignedEvent,
  servePayments,
} from './payment-server.ts';

export interface StripeServer extends PaymentServer {
  /** An event of a Checkout session with any fields. */
  sessionEvent(type: string, link: ServedLink, fields?: object, changes?: EventChanges): SignedEvent;
}

const keys = { secret_key: 'sk_test_4eC39HqLyjWDarjtT1zdp7dc', webhook_secret: 'whsec_5f1c2b9e' };

const refuse = (status: number, message: string): PaymentAnswer => ({ status, body: { error: { message } } });

/** The API of Stripe, as far as payment links need it, and its webhooks. */
export async function startStripe(): Promise<StripeServer> {
  let count = 0;
  const once = remember();
  const nextId = (prefix: string) => {
    count += 1;
    return `${prefix}_test_${count}`;
  };

  function respond(request: PaymentRequest): PaymentAnswer {
    const { method, path, headers, body } = request;
    if (headers.authorization !== `Bearer ${keys.secret_key}`) return refuse(401, 'Invalid API Key provided');
    if (!/^\d{4}-\d\d-\d\d/.test(String(headers['stripe-version']))) return refuse(400, 'No version');
    if (method === 'GET') return find(path);
    if (headers['content-type'] !== 'application/x-www-form-urlencoded') return refuse(400, 'Not a form');
    const form = new URLSearchParams(body);
    const run = () => {
      if (path === '/v1/checkout/sessions') return createSession(form);
      if (path === '/v1/refunds') return createRefund(form);
      return expireSession(path);
    };
    const isExpiry = path.endsWith('/expire');
    if (!isExpiry && headers['idempotency-key'] === undefined) return refuse(400, 'No idempotency key');
    return once(headers['idempotency-key'], request, run, () => refuse(400, 'Keys for idempotent requests differ'));
  }

  function createSession(form: URLSearchParams): PaymentAnswer {
    const price = 'line_items[0][price_data]';
    const [amount, currency] = [Number(form.get(`${price}[unit_amount]`)), form.get(`${price}[currency]`) ?? ''];
    const seconds = Number(form.get('expires_at')) - Date.now() / 1_000;
    if (form.get('mode') !== 'payment' || form.get('line_items[0][quantity]') !== '1') return refuse(400, 'No payment');
    if (!URL.canParse(form.get('success_url') ?? '')) return refuse(400, 'Not a valid URL');
    if (!Number.isInteger(amount) || amount < 50) return refuse(400, 'The amount must be at least 50 cents.');
    if (!/^[a-z]{3}$/.test(currency)) return refuse(400, 'Invalid currency');
    if (seconds < 1_800 || seconds > 86_400) return refuse(400, 'expires_at must be within 30 minutes and 24 hours');
    const id = nextId('cs');
    const url = `https://checkout.stripe.com/c/pay/${id}`;
    const reference = form.get('metadata[chowk_link]') ?? '';
    server.links.set(id, { id, url, reference, amount, currency, status: 'open', paymentId: nextId('pi') });
    return { status: 200, body: { id, object: 'checkout.session', status: 'open', url } };
  }

  function find(path: string): PaymentAnswer {
    const [, kind, id = ''] = /^\/v1\/(checkout\/sessions|refunds)\/(\w+)$/.exec(path) ?? [];
    if (kind === undefined) return { status: 200, body: { object: 'list', data: [] } };
    const refund = server.refunds.get(id);
    if (kind === 'refunds') return refund ? describeRefund(refund) : refuse(404, 'No such refund');
    const link = server.links.get(id);
    return link ? describeSession(link) : refuse(404, 'No such session');
  }

  function describeSession(link: ServedLink): PaymentAnswer {
    const states = { open: 'open', expired: 'expired', cancelled: 'expired' } as const;
    const body = {
      id: link.id,
      object: 'checkout.session',
      status: states[link.status as keyof typeof states] ?? 'complete',
      amount_total: link.amount,
      currency: link.currency,
      payment_status: link.status === 'paid' ? 'paid' : 'unpaid',
      payment_intent: link.paymentId,
      metadata: { chowk_link: link.reference },
    };
    return { status: 200, body };
  }

  const describeRefund = ({ id, status, reference }: ServedRefund): PaymentAnswer => ({
    status: 200,
    body: { id, object: 'refund', status, metadata: { chowk_refund: reference } },
  });

  function expireSession(path: string): PaymentAnswer {
    const link = server.links.get(/^\/v1\/checkout\/sessions\/(\w+)\/expire$/.exec(path)?.[1] ?? '');
    if (!link) return refuse(404, 'No such session');
    if (link.status !== 'open') return refuse(400, 'Only open sessions can be expired.');
    link.status = 'cancelled';
    return { status: 200, body: { id: link.id, status: 'expired' } };
  }

  function createRefund(form: URLSearchParams): PaymentAnswer {
    const [paymentId, amount] = [form.get('payment_intent') ?? '', Number(form.get('amount'))];
    const link = [...server.links.values()].find((one) => one.paymentId === paymentId);
    const before = [...server.refunds.values()].filter((one) => one.paymentId === paymentId);
    const sum = before.reduce((total, one) => total + one.amount, 0);
    if (!link || amount + sum > link.amount) return refuse(400, 'Refund amount is greater than unrefunded amount');
    const status = server.refundsArePending ? 'pending' : 'succeeded';
    const refund: ServedRefund = {
      id: nextId('re'),
      reference: form.get('metadata[chowk_refund]') ?? '',
      paymentId,
      amount,
      status,
    };
    server.refunds.set(refund.id, refund);
    return describeRefund(refund);
  }

  function sign(payload: string, secret = keys.webhook_secret, at = new Date()): SignedEvent {
    const time = Math.floor(at.getTime() / 1_000);
    const signature = createHmac('sha256', secret).update(`${time}.${payload}`).digest('hex');
    return {
      payload,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'stripe-signature': `t=${time},v1=${signature},v0=${'0'.repeat(64)}`,
      },
    };
  }

  function event(type: string, object: object, { secret, at }: EventChanges = {}): SignedEvent {
    const created = Math.floor(Date.now() / 1_000);
    const body = { id: nextId('evt'), object: 'event', type, created, data: { object } };
    return sign(JSON.stringify(body, null, 2), secret, at);
  }

  function sessionEvent(type: string, link: ServedLink, fields: object = {}, changes: EventChanges = {}) {
    const { amount = link.amount, currency = link.currency } = changes;
    const session = {
      id: link.id,
      object: 'checkout.session',
      amount_total: amount,
      currency,
      payment_intent: link.paymentId,
      payment_status: 'paid',
      client_reference_id: link.reference,
      metadata: { chowk_link: link.reference },
      ...fields,
    };
    return event(`checkout.session.${type}`, session, changes);
  }

  function linkEvent(name: LinkEvent, link: ServedLink, changes: EventChanges = {}): SignedEvent {
    if (name === 'paid') return sessionEvent('completed', link, {}, changes);
    if (name === 'expired') return sessionEvent('expired', link, { payment_status: 'unpaid' }, changes);
    const error = { last_payment_error: { message: 'Your card was declined.' } };
    const intent = { id: link.paymentId, metadata: { chowk_link: link.reference }, ...error };
    return event('payment_intent.payment_failed', intent, changes);
  }

  const refundEvent = ({ id, reference, amount }: ServedRefund, status: string) =>
    event('refund.updated', { id, object: 'refund', amount, status, metadata: { chowk_refund: reference } });

  const origin = await servePayments(() => server, respond);
  const server: StripeServer = {
    environment: { STRIPE_URL: origin, OUTBOUND_ALLOW_HOSTS: '127.0.0.1' },
    keys,
    requests: [],
    failures: [],
    lost: 0,
    links: new Map(),
    refunds: new Map(),
    refundsArePending: false,
    sessionEvent,
    linkEvent,
    refundEvent,
    sign,
  };
  return server;
}
