import type { CallOptions } from './call.ts';
import { Deadline } from './deadline.ts';
import { ChowkError, NetworkError } from './errors.ts';
import type { PreparedRequest } from './request.ts';
import type { Session } from './session.ts';
import { parseUserId } from './tokens.ts';

export interface SendOptions extends CallOptions {
  readonly url?: string | undefined;
  readonly tenant?: string | undefined;
  /** Whose token to send. Absent: none. */
  readonly session?: Session | undefined;
}

interface Attempts extends Omit<SendOptions, 'headers'> {
  readonly request: PreparedRequest;
  readonly headers: Headers;
  readonly deadline: Deadline;
}

interface Answer {
  readonly response: Response;
  readonly content: unknown;
}

const defaultTimeoutMs = 30_000;
const firstDelayMs = 250;
const maxDelayMs = 8_000;
const defaultMaxRetryWait = 30;

/** The body of the response, or the response itself if it is a file. Repeats the request after failures that may pass. */
export async function send(request: PreparedRequest, options: SendOptions): Promise<unknown> {
  const { signal, timeoutMs = request.isUpload ? undefined : defaultTimeoutMs } = options;
  const deadline = new Deadline(timeoutMs, signal);
  try {
    const headers = buildHeaders(request, options);
    const { response, content } = await exchangeRepeatedly({ ...options, request, headers, deadline });
    options.onResponse?.(response);
    return content;
  } finally {
    deadline.clear();
  }
}

/** If the token is refused, the request is sent once more with the next one. */
async function exchangeRepeatedly(options: Attempts): Promise<Answer> {
  const { request, headers, deadline, session, retries = 2, maxRetryWait = defaultMaxRetryWait } = options;
  let isRenewed = false;
  let last: { readonly error: unknown; readonly user: string | undefined } | undefined;
  for (let repetitions = 0; ; ) {
    // Failures to renew it are not repeated: a refresh token that is used twice ends the session.
    const token = session && (await deadline.race(session.accessToken()));
    // Someone else has signed in, or no one is signed in.
    if (last?.user !== undefined && last.user !== parseUserId(token)) throw last.error;
    try {
      return await exchange(options, token);
    } catch (error) {
      last = { error, user: parseUserId(token) };
      if (session && token !== undefined && !isRenewed && isRefusal(error)) {
        const next = await deadline.race(session.tokenAfter(token));
        if (next === undefined || next === token) throw error;
        isRenewed = true;
        continue;
      }
      const isRepeatable = isSafeToRepeat(request.method, headers, token !== undefined, error);
      const requested = requestedWait(error);
      // A longer wait is left to the caller.
      const mayRepeat = isRepeatable && repetitions < retries && requested <= maxRetryWait && mayPass(error);
      if (!mayRepeat) throw error;
      deadline.extend(requested * 1000);
      await deadline.wait(randomDelay(repetitions) + requested * 1000);
      repetitions += 1;
    }
  }
}

/** Whether the platform does the same once, however often it gets the request. */
function isSafeToRepeat(method: string, headers: Headers, isSignedIn: boolean, error: unknown): boolean {
  if (method === 'GET') return true;
  // Keys of anonymous callers are ignored, and their attempts are counted, as those to sign in.
  if (!isSignedIn) return false;
  if (headers.has('idempotency-key')) return true;
  // With a version, a change that was made would fail as one of somebody else.
  if (method === 'PUT' || method === 'DELETE') return !headers.has('if-match') || isUntouched(error);
  return isUntouched(error);
}

/** The request was refused before it changed anything, unlike one in which a call between modules was refused. */
function isUntouched(error: unknown): boolean {
  return error instanceof ChowkError && error.status === 429 && error.code !== 'bus.rate_limited';
}

function isRefusal(error: unknown): boolean {
  return error instanceof ChowkError && error.code === 'auth.unauthenticated';
}

function buildHeaders(request: PreparedRequest, { tenant, idempotencyKey: key, headers = {} }: SendOptions): Headers {
  const result = new Headers({ accept: 'application/json', ...request.headers });
  if (tenant !== undefined) result.set('x-tenant', tenant);
  if (request.method === 'POST' && key) result.set('idempotency-key', key === true ? newKey() : key);
  for (const [name, value] of Object.entries(headers)) result.set(name, value);
  return result;
}

/** An idempotency key. Not `randomUUID`, which browsers have on secure pages only. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Seconds. */
function requestedWait(error: unknown): number {
  return error instanceof ChowkError ? (error.retryAfter ?? 0) : 0;
}

/** Callers that failed at the same time must not come back at the same time. */
function randomDelay(repetitions: number): number {
  return Math.random() * Math.min(firstDelayMs * 2 ** repetitions, maxDelayMs);
}

function mayPass(error: unknown): boolean {
  if (!(error instanceof ChowkError)) return error instanceof NetworkError;
  // The first attempt is still running.
  const isBusy = error.code === 'http.idempotency_busy';
  return isBusy || [429, 502, 503, 504].includes(error.status);
}

async function exchange(options: Attempts, token: string | undefined): Promise<Answer> {
  const { url = '', request, deadline, fetch = globalThis.fetch } = options;
  const { signal } = deadline;
  const headers = new Headers(options.headers);
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
  const { method, path, body = null, isFile } = request;
  try {
    const response = await fetch(url.replace(/\/$/, '') + path, { method, headers, body, signal });
    const content = response.ok && isFile ? response : await readJson(response);
    if (!response.ok) throw new ChowkError(response, (content ?? {}) as Record<string, unknown>);
    return { response, content };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof ChowkError) throw error;
    throw new NetworkError('The server cannot be reached, or the connection was lost.', { cause: error });
  }
}

/** `undefined` if there is no body, or an error of a proxy. Throws for other pages, such as that of a hotel's network. */
async function readJson(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch (error) {
    if (response.ok) throw error;
    return undefined;
  }
}
