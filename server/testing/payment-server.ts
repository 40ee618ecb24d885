import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

export interface PaymentRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface PaymentAnswer {
  readonly status: number;
  readonly body: object;
}

/** An event of a provider as it arrives at a webhook. */
export interface SignedEvent {
  readonly payload: string;
  readonly headers: Record<string, string>;
}

/** What the tests of both providers use. */
export interface PaymentServer {
  /** The address of the API, and the permission to send requests there. */
  readonly environment: Record<string, string>;
  readonly keys: { readonly key_id?: string; readonly secret_key: string; readonly webhook_secret: string };
  readonly requests: PaymentRequest[];
  /** The statuses of the next responses, instead of doing what was asked for. */
  readonly failures: number[];
  /** The number of next responses that are lost, after doing what was asked for. */
  lost: number;
  readonly links: Map<string, ServedLink>;
  readonly refunds: Map<string, ServedRefund>;
  /** Whether refunds wait for a callback. */
  refundsArePending: boolean;
  /** A signed event: the link is paid, has expired, could not be paid. */
  linkEvent(name: LinkEvent, link: ServedLink, changes?: EventChanges): SignedEvent;
  refundEvent(refund: ServedRefund, status: 'succeeded' | 'failed'): SignedEvent;
  sign(payload: string, secret?: string, at?: Date): SignedEvent;
}

export type LinkEvent = 'paid' | 'expired' | 'attempt_failed';

export interface EventChanges {
  readonly amount?: number;
  readonly currency?: string;
  readonly secret?: string;
  readonly at?: Date;
}

export interface ServedLink {
  readonly id: string;
  readonly url: string;
  /** The id of the platform. */
  readonly reference: string;
  readonly amount: number;
  readonly currency: string;
  status: 'open' | 'processing' | 'paid' | 'expired' | 'cancelled';
  readonly paymentId: string;
}

export interface ServedRefund {
  readonly id: string;
  readonly reference: string;
  readonly paymentId: string;
  readonly amount: number;
  status: 'pending' | 'succeeded' | 'failed';
}

type Faults = Pick<PaymentServer, 'requests' | 'failures' | 'lost'>;

/** Serves an API on a local port until the test file ends. Returns its address. */
export async function servePayments(faults: () => Faults, respond: (request: PaymentRequest) => PaymentAnswer) {
  const http = createServer(async (incoming, response) => {
    const body = Buffer.concat(await Array.fromAsync(incoming as AsyncIterable<Buffer>)).toString();
    const { pathname: path, searchParams: query } = new URL(incoming.url ?? '/', 'http://payments');
    const request = { method: incoming.method ?? '', path, query, headers: incoming.headers, body };
    const state = faults();
    state.requests.push(request);
    const failure = state.failures.shift();
    const answer = failure === undefined ? respond(request) : { status: failure, body: {} };
    if (state.lost > 0) {
      state.lost -= 1;
      response.destroy();
      return;
    }
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  afterAll(() => void http.close());
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
}

/** Does what was asked for once for each idempotency key, and refuses a key with another request. */
export function remember(): (
  key: unknown,
  request: PaymentRequest,
  run: () => PaymentAnswer,
  refuse: () => PaymentAnswer,
) => PaymentAnswer {
  const known = new Map<string, { text: string; answer: PaymentAnswer }>();
  return (key, { path, body }, run, refuse) => {
    if (typeof key !== 'string') return run();
    const text = `${path} ${body}`;
    const before = known.get(key);
    if (before) return before.text === text ? before.answer : refuse();
    const answer = run();
    if (answer.status < 300) known.set(key, { text, answer });
    return answer;
  };
}
