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

const keys = {
  key_id: 'rzp_test_1DP5mmOlF5G5ag',
  secret_key: 'thisIsTheKeySecret',
  webhook_secret: 'a phrase of the merchant'.replaceAll(' ', '-'),
};

const refuse = (status: number, description: string): PaymentAnswer => ({ status, body: { error: { description } } });

/** The API of Razorpay, as far as payment links need it, and its webhooks. */
export async function startRazorpay(): Promise<PaymentServer> {
  let count = 0;
  const once = remember();
  const nextId = (prefix: string) => {
    count += 1;
    return `${prefix}_${String(count).padStart(14, 'F')}`;
  };

  function respond(request: PaymentRequest): PaymentAnswer {
    const { method, path, query, headers, body } = request;
    const authorization = `Basic ${btoa(`${keys.key_id}:${keys.secret_key}`)}`;
    if (headers.authorization !== authorization) return refuse(401, 'Authentication failed');
    if (method === 'GET') return findLinks(path, query);
    const [, paymentId] = /^\/v1\/payments\/(\w+)\/refund$/.exec(path) ?? [];
    if (paymentId !== undefined) {
      const key = headers['x-refund-idempotency'];
      if (!/^[\w-]{10,}$/.test(String(key))) return refuse(400, 'No idempotency key');
      const differs = () => refuse(400, 'Different request with the same idempotency key has already been processed.');
      return once(key, request, () => createRefund(paymentId, JSON.parse(body)), differs);
    }
    if (path === '/v1/payment_links') return createLink(JSON.parse(body));
    return cancelLink(path);
  }

  function findLinks(path: string, query: URLSearchParams): PaymentAnswer {
    if (path === '/v1/payments') return { status: 200, body: { entity: 'collection', count: 0, items: [] } };
    const [, kind, id = ''] = /^\/v1\/(payment_links|refunds)\/(\w+)$/.exec(path) ?? [];
    const refund = server.refunds.get(id);
    if (kind === 'refunds') return refund ? describeRefund(refund) : refuse(400, 'The id provided does not exist');
    const link = server.links.get(id);
    if (kind) return link ? { status: 200, body: describePaid(link) } : refuse(400, 'The id provided does not exist');
    const found = [...server.links.values()].filter((link) => link.reference === query.get('reference_id'));
    return { status: 200, body: { payment_links: found.map(describeLink) } };
  }

  const describeLink = ({ id, url, reference, amount, currency, status }: ServedLink) => ({
    id,
    short_url: url,
    reference_id: reference,
    amount,
    currency,
    status: status === 'open' ? 'created' : status,
    notes: { chowk_link: reference },
  });

  function describePaid(link: ServedLink) {
    const { paymentId: payment_id, amount, status } = link;
    const created_at = Math.floor(Date.now() / 1_000) - 60;
    const payments = status === 'paid' ? [{ payment_id, amount, status: 'captured', method: 'upi', created_at }] : null;
    return { ...describeLink(link), payments };
  }

  const describeRefund = ({ id, status, reference }: ServedRefund): PaymentAnswer => ({
    status: 200,
    body: { id, status: status === 'succeeded' ? 'processed' : status, notes: { chowk_refund: reference } },
  });

  // biome-ignore lint/suspicious/noExplicitAny: the body of a request
  function createLink(body: any): PaymentAnswer {
    const { amount, currency, reference_id: reference, expire_by } = body;
    if (!Number.isInteger(amount) || amount < 100) return refuse(400, 'amount: must be at least INR 1.00.');
    if (!/^[A-Z]{3}$/.test(currency)) return refuse(400, 'currency: is not supported.');
    if (expire_by < Date.now() / 1_000 + 900) return refuse(400, 'expire_by: must be at least 15 minutes ahead.');
    if (typeof reference !== 'string' || reference.length > 40) return refuse(400, 'The reference id is too long.');
    const isKnown = [...server.links.values()].some((link) => link.reference === reference);
    if (isKnown) return refuse(400, `payment link with given reference_id (${reference}) already exists`);
    const id = nextId('plink');
    const link: ServedLink = {
      id,
      url: `https://rzp.io/i/${id}`,
      reference,
      amount,
      currency,
      status: 'open',
      paymentId: nextId('pay'),
    };
    server.links.set(id, link);
    return { status: 200, body: describeLink(link) };
  }

  function cancelLink(path: string): PaymentAnswer {
    const link = server.links.get(/^\/v1\/payment_links\/(\w+)\/cancel$/.exec(path)?.[1] ?? '');
    if (link?.status !== 'open') return refuse(400, 'Payment Link cannot be cancelled.');
    link.status = 'cancelled';
    return { status: 200, body: describeLink(link) };
  }

  // biome-ignore lint/suspicious/noExplicitAny: the body of a request
  function createRefund(paymentId: string, { amount, notes }: any): PaymentAnswer {
    const link = [...server.links.values()].find((one) => one.paymentId === paymentId);
    const before = [...server.refunds.values()].filter((one) => one.paymentId === paymentId);
    const sum = before.reduce((total, one) => total + one.amount, 0);
    if (!link || amount + sum > link.amount) return refuse(400, 'The refund amount is greater than the payment.');
    const status = server.refundsArePending ? 'pending' : 'succeeded';
    const refund: ServedRefund = { id: nextId('rfnd'), reference: notes.chowk_refund, paymentId, amount, status };
    server.refunds.set(refund.id, refund);
    return describeRefund(refund);
  }

  function sign(payload: string, secret = keys.webhook_secret): SignedEvent {
    const signature = createHmac('sha256', secret).update(payload).digest('hex');
    return { payload, headers: { 'content-type': 'application/json', 'x-razorpay-signature': signature } };
  }

  function event(name: string, payload: object, { secret, at = new Date() }: EventChanges = {}): SignedEvent {
    const created_at = Math.floor(at.getTime() / 1_000);
    const body = { entity: 'event', account_id: 'acc_BFQ7uQEaa7j2z7', event: name, payload, created_at };
    return sign(JSON.stringify(body), secret);
  }

  function linkEvent(name: LinkEvent, link: ServedLink, changes: EventChanges = {}): SignedEvent {
    const { amount = link.amount, currency = link.currency } = changes;
    const payment = { id: link.paymentId, amount, currency, status: 'captured', method: 'upi', notes: [] as object };
    const payment_link = { entity: describeLink(link) };
    if (name === 'paid') return event('payment_link.paid', { payment_link, payment: { entity: payment } }, changes);
    if (name === 'expired') return event('payment_link.expired', { payment_link }, changes);
    const failed = { status: 'failed', error_description: 'The bank declined.', notes: { chowk_link: link.reference } };
    return event('payment.failed', { payment: { entity: { ...payment, ...failed } } }, changes);
  }

  const refundEvent = ({ id, reference, amount }: ServedRefund, status: 'succeeded' | 'failed') => {
    const state = status === 'succeeded' ? 'processed' : 'failed';
    const entity = { id, amount, status: state, notes: { chowk_refund: reference } };
    return event(`refund.${state}`, { refund: { entity } });
  };

  const origin = await servePayments(() => server, respond);
  const server: PaymentServer = {
    environment: { RAZORPAY_URL: origin, OUTBOUND_ALLOW_HOSTS: '127.0.0.1' },
    keys,
    requests: [],
    failures: [],
    lost: 0,
    links: new Map(),
    refunds: new Map(),
    refundsArePending: false,
    linkEvent,
    refundEvent,
    sign,
  };
  return server;
}
