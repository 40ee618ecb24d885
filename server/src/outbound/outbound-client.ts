import { isIP } from 'node:net';
import { Failure, type HttpClient, type HttpDownload, type HttpRequest, type HttpResponse } from '@chowk/kit/kernel';
import type { Client, Dispatcher } from 'undici';
import { fail } from '../errors.ts';
import { version } from '../version.ts';
import { firstAddress, publicLookup, type Resolve, resolvePublicName } from './public-lookup.ts';
import { newSigningSecret, signatureHeaders } from './request-signature.ts';
import { checkServer, checkTarget, type Target } from './target.ts';

export interface OutboundOptions {
  /** Host names and addresses, with or without a port. */
  readonly allowedHosts: readonly string[];
  readonly resolve?: Resolve;
}

const connectTimeoutMs = 5_000;
const headersTimeoutMs = 15_000;
const defaultTimeoutMs = 30_000;
const defaultMaxBytes = 1_048_576;
const maxRedirects = 5;
const redirects = new Set([301, 302, 303, 307, 308]);
/** The headers that are sent to another origin too; all others may carry credentials. */
const harmlessHeaders = new Set(['accept', 'accept-language', 'content-type', 'user-agent']);

/** One request on its way through redirects. */
interface Hop {
  readonly target: Target;
  readonly method: NonNullable<HttpRequest['method']>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
}

interface Opened {
  readonly client: Client;
  readonly response: Dispatcher.ResponseData;
  readonly host: string;
}

/**
 * The HTTP client of the whole server. The addresses of a host are checked when it is connected, so that a name cannot
 * change its address after the check. Each request has a connection of its own: tenants share none.
 */
export class OutboundClient implements HttpClient {
  readonly #allowedHosts: readonly string[];
  readonly #resolve: Resolve;

  constructor({ allowedHosts, resolve = resolvePublicName }: OutboundOptions) {
    this.#allowedHosts = allowedHosts;
    this.#resolve = resolve;
  }

  check(url: string): void {
    checkTarget(url, this.#allowedHosts);
  }

  async locate({ host, port }: { readonly host: string; readonly port: number }) {
    const { hostname, isAllowed } = checkServer(host, port, this.#allowedHosts);
    if (isIP(hostname) !== 0) return { address: hostname, isAllowed };
    try {
      return { address: await firstAddress(hostname, publicLookup(this.#resolve, isAllowed)), isAllowed };
    } catch (error) {
      throw toFailure(error, hostname);
    }
  }

  newSigningSecret(): string {
    return newSigningSecret();
  }

  async request(url: string, request: HttpRequest = {}): Promise<HttpResponse> {
    const { body, ...response } = await this.download(url, request);
    const chunks: Buffer[] = [];
    for await (const chunk of body) chunks.push(chunk);
    return { ...response, body: Buffer.concat(chunks) };
  }

  async download(url: string, request: HttpRequest = {}): Promise<HttpDownload> {
    const signal = AbortSignal.timeout(request.timeoutMs ?? defaultTimeoutMs);
    let hop = this.#firstHop(url, request);
    for (let left = Math.min(request.maxRedirects ?? maxRedirects, maxRedirects); ; left -= 1) {
      const opened = await this.#open(hop, signal);
      const { statusCode: status, headers } = opened.response;
      const next = request.maxRedirects === 0 || !redirects.has(status) ? undefined : headers['location'];
      if (typeof next !== 'string') return { status, headers: flatten(headers), body: readBody(opened, request) };
      await opened.client.destroy();
      if (left === 0) throw fail('outbound.too_many_redirects', { host: opened.host });
      hop = nextHop(hop, checkTarget(next, this.#allowedHosts, hop.target.url), status);
    }
  }

  #firstHop(url: string, { method = 'GET', headers = {}, body, signature }: HttpRequest): Hop {
    const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
    const signed = signature ? signatureHeaders(signature, body) : {};
    return {
      target: checkTarget(url, this.#allowedHosts),
      method,
      headers: { 'user-agent': `Chowk/${version}`, ...Object.fromEntries(named), ...signed },
      body,
    };
  }

  async #open({ target, method, headers, body }: Hop, signal: AbortSignal): Promise<Opened> {
    const { url, isAllowed } = target;
    const lookup = publicLookup(this.#resolve, isAllowed);
    // Loaded only when it is needed: most commands send no request.
    const { Client } = await import('undici');
    const client = new Client(url.origin, {
      connect: { lookup, timeout: connectTimeoutMs },
      headersTimeout: headersTimeoutMs,
    });
    try {
      const path = `${url.pathname}${url.search}`;
      const response = await client.request({ path, method, headers, body: body ?? null, signal });
      // Without a listener, a failure while nobody reads the body would end the process.
      response.body.on('error', () => {});
      return { client, response, host: url.host };
    } catch (error) {
      await client.destroy();
      throw toFailure(error, url.host);
    }
  }
}

function nextHop({ target, method, headers, body }: Hop, next: Target, status: number): Hop {
  const isSameOrigin = next.url.origin === target.url.origin;
  const becomesGet = status === 303 ? method !== 'HEAD' : status < 303 && method === 'POST';
  const kept = Object.entries(headers).filter(
    ([name]) => (isSameOrigin || harmlessHeaders.has(name)) && !(becomesGet && name.startsWith('content-')),
  );
  return {
    target: next,
    method: becomesGet ? 'GET' : method,
    headers: Object.fromEntries(kept),
    body: becomesGet ? undefined : body,
  };
}

async function* readBody(opened: Opened, { maxBytes = defaultMaxBytes, truncate = false }: HttpRequest) {
  let left = maxBytes;
  try {
    for await (const chunk of opened.response.body as AsyncIterable<Buffer>) {
      if (chunk.length > left && !truncate) {
        throw fail('outbound.response_too_large', { host: opened.host, limit: maxBytes });
      }
      yield chunk.subarray(0, left);
      left -= chunk.length;
      if (left <= 0 && truncate) return;
    }
  } catch (error) {
    throw toFailure(error, opened.host);
  } finally {
    await opened.client.destroy();
  }
}

function flatten(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value = '']) => [name, [value].flat().join(', ')]);
  return Object.fromEntries(entries);
}

const timeouts = new Set(['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT']);
const reasons: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the name does not exist',
  ENODATA: 'the name does not exist',
  ECONNREFUSED: 'it refused the connection',
};

function toFailure(error: unknown, host: string): Failure {
  if (error instanceof Failure) return error;
  const { name, code = '' } = error as Error & { code?: string };
  if (name === 'TimeoutError' || timeouts.has(code)) return fail('outbound.timeout', { host }, { cause: error });
  const isTls = /CERT|SIGNATURE|_TLS_|_SSL_|^UNABLE_TO/.test(code);
  const reason = isTls ? 'no secure connection can be established' : (reasons[code] ?? 'the connection failed');
  return fail('outbound.unreachable', { host, reason }, { cause: error });
}
