import type { CallOptions } from './call.ts';
import { Deadline } from './deadline.ts';
import { ChowkError, NetworkError } from './errors.ts';
import type { PreparedRequest } from './request.ts';
import type { Session } from './session.ts';

export interface SendOptions extends CallOptions {
  readonly url?: string | undefined;
  readonly tenant?: string | undefined;
  readonly fetch?: typeof fetch | undefined;
  /** Whose token to send. Absent: none. */
  readonly session?: Session | undefined;
}

interface Attempt extends SendOptions {
  readonly request: PreparedRequest;
  readonly deadline: Deadline;
}

const defaultTimeoutMs = 30_000;
const firstDelayMs = 250;
/** A longer wait is left to the caller. */
const maxWaitSeconds = 30;

/** The body of the response, or the response itself if it is a file. Repeats the request after failures that may pass. */
export async function send(request: PreparedRequest, options: SendOptions): Promise<unknown> {
  const { signal, retries = 2, timeoutMs = request.isUpload ? undefined : defaultTimeoutMs } = options;
  const deadline = new Deadline(timeoutMs, signal);
  const headers = headersOf(request, options);
  // Keys of anonymous callers are ignored.
  const isRepeatable = request.method === 'GET' || ('idempotency-key' in headers && options.session !== undefined);
  try {
    for (let repetitions = 0; ; repetitions++) {
      try {
        return await attempt({ ...options, request, headers, deadline });
      } catch (error) {
        const delay = isRepeatable && repetitions < retries ? delayAfter(error, repetitions) : undefined;
        if (delay === undefined) throw error;
        await deadline.wait(delay);
      }
    }
  } finally {
    deadline.clear();
  }
}

function headersOf(request: PreparedRequest, { tenant, idempotencyKey: key, headers }: SendOptions) {
  return {
    accept: 'application/json',
    ...(tenant === undefined ? {} : { 'x-tenant': tenant }),
    ...(request.method === 'POST' && key ? { 'idempotency-key': key === true ? crypto.randomUUID() : key } : {}),
    ...request.headers,
    ...headers,
  };
}

/** Milliseconds until the next attempt; `undefined` if it would fail too. */
function delayAfter(error: unknown, repetitions: number): number | undefined {
  // Callers that failed at the same time must not come back at the same time.
  const delay = Math.random() * firstDelayMs * 2 ** repetitions;
  if (error instanceof NetworkError) return delay;
  if (!(error instanceof ChowkError)) return undefined;
  const { status, code, retryAfter = 0 } = error;
  // The first attempt is still running.
  const isBusy = code === 'http.idempotency_busy';
  if (!isBusy && ![429, 502, 503, 504].includes(status)) return undefined;
  return retryAfter > maxWaitSeconds ? undefined : delay + retryAfter * 1000;
}

/** Sends the request; if the token is refused, once more with the next one. */
async function attempt(options: Attempt): Promise<unknown> {
  const { session, deadline } = options;
  if (!session) return exchange(options, undefined);
  const token = await deadline.race(session.accessToken());
  try {
    return await exchange(options, token);
  } catch (error) {
    const isRefused = error instanceof ChowkError && error.code === 'auth.unauthenticated' && token !== undefined;
    const next = isRefused ? await deadline.race(session.tokenAfter(token)) : undefined;
    if (next === undefined || next === token) throw error;
    return exchange(options, next);
  }
}

async function exchange(options: Attempt, token: string | undefined): Promise<unknown> {
  const { url = '', request, headers, deadline, fetch = globalThis.fetch, onResponse } = options;
  const { signal } = deadline;
  try {
    const response = await fetch(url.replace(/\/$/, '') + request.path, {
      method: request.method,
      headers: { ...headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
      ...(request.body === undefined ? {} : { body: request.body }),
      signal,
    });
    const body = response.ok && request.isFile ? response : await readBody(response);
    if (!response.ok) throw new ChowkError(response, (body ?? {}) as Record<string, unknown>);
    onResponse?.(response);
    return body;
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof ChowkError) throw error;
    throw new NetworkError('The server cannot be reached, or the connection was lost.', { cause: error });
  }
}

/** `undefined` if the body is not JSON. */
async function readBody(response: Response): Promise<unknown> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') && text !== '';
  return isJson ? JSON.parse(text) : undefined;
}
