import { readFile } from 'node:fs/promises';
import {
  Failure,
  type HttpClient,
  type HttpResponse,
  type PushMessage,
  type PushResult,
  type PushService,
} from '@chowk/kit/kernel';
import type { Config } from '../config/config.ts';

/** The fields of a service account that are used. */
interface ServiceAccount {
  readonly project_id: string;
  readonly client_email: string;
  readonly private_key_id?: string;
  readonly private_key: string;
  readonly token_uri: string;
}

interface AccessToken {
  readonly value: string;
  /** In milliseconds since 1970. */
  readonly expiresAt: number;
}

interface Options {
  readonly config: Config;
  readonly http: HttpClient;
  readonly now: () => Date;
}

const scope = 'https://www.googleapis.com/auth/firebase.messaging';
const timeoutMs = 15_000;
/** A token is replaced this long before it expires. */
const marginMs = 60_000;
/** Also the time that Google recommends after 429 without `Retry-After`. */
const defaultRetrySeconds = 60;
const maxRetrySeconds = 3_600;

/** `undefined` if no service account is configured. */
export async function openFcm({ config, http, now }: Options): Promise<PushService | undefined> {
  const { fcmCredentials: file, fcmUrl } = config;
  return file === undefined ? undefined : new Fcm(await readAccount(file), fcmUrl, http, now);
}

async function readAccount(file: string): Promise<ServiceAccount> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`FCM_CREDENTIALS: ${file} cannot be read (${error.code})`);
  });
  const account = parseJson(text) as Partial<ServiceAccount>;
  const required = ['project_id', 'client_email', 'private_key', 'token_uri'] as const;
  const missing = required.filter((field) => typeof account[field] !== 'string');
  if (missing.length > 0) {
    throw new Error(
      `FCM_CREDENTIALS: ${file} is not the key file of a service account; missing: ${missing.join(', ')}`,
    );
  }
  return account as ServiceAccount;
}

/** Firebase Cloud Messaging, HTTP v1. */
class Fcm implements PushService {
  readonly #account: ServiceAccount;
  readonly #url: string;
  readonly #http: HttpClient;
  readonly #now: () => Date;
  #token: Promise<AccessToken> | undefined;

  constructor(account: ServiceAccount, url: string, http: HttpClient, now: () => Date) {
    this.#account = account;
    this.#url = `${url.replace(/\/$/, '')}/v1/projects/${encodeURIComponent(account.project_id)}/messages:send`;
    this.#http = http;
    this.#now = now;
  }

  async send(message: PushMessage): Promise<PushResult> {
    try {
      const token = await this.#accessToken();
      const response = await this.#http.request(this.#url, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ message: toFcm(message) }),
        timeoutMs,
        maxRedirects: 0,
      });
      // The next message gets a new token.
      if (response.status === 401) this.#token = undefined;
      return readResult(response, this.#now());
    } catch (error) {
      if (error instanceof TokenRefused) return readFailure(error.response, this.#now());
      if (!(error instanceof Failure)) throw error;
      return { outcome: 'retry', afterSeconds: defaultRetrySeconds };
    }
  }

  /** All messages use one token until shortly before it expires. */
  async #accessToken(): Promise<string> {
    const latest = this.#token;
    const token = await latest?.catch(() => undefined);
    if (token && token.expiresAt - marginMs > this.#now().getTime()) return token.value;
    // The first of several concurrent messages requests the new token.
    if (this.#token === latest) this.#token = this.#requestToken();
    return (await (this.#token ?? this.#requestToken())).value;
  }

  /** The JWT bearer grant (RFC 7523). */
  async #requestToken(): Promise<AccessToken> {
    const { token_uri } = this.#account;
    const grant = { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: await this.#sign() };
    const response = await this.#http.request(token_uri, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(grant).toString(),
      timeoutMs,
      maxRedirects: 0,
    });
    const { access_token, expires_in } = parseJson(response.body.toString()) as Record<string, unknown>;
    if (response.status !== 200 || typeof access_token !== 'string') throw new TokenRefused(response);
    return { value: access_token, expiresAt: this.#now().getTime() + Number(expires_in ?? 0) * 1_000 };
  }

  async #sign(): Promise<string> {
    // Loaded with the first message: most processes send none and start faster.
    const { importPKCS8, SignJWT } = await import('jose');
    const { client_email, private_key, private_key_id, token_uri } = this.#account;
    const issuedAt = Math.floor(this.#now().getTime() / 1_000);
    return new SignJWT({ scope })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...(private_key_id ? { kid: private_key_id } : {}) })
      .setIssuer(client_email)
      .setAudience(token_uri)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + 3_600)
      .sign(await importPKCS8(private_key, 'RS256'));
  }
}

/** The token endpoint has issued no token. */
class TokenRefused extends Error {
  override readonly name = 'TokenRefused';
  readonly response: HttpResponse;

  constructor(response: HttpResponse) {
    super(`the token endpoint answered ${response.status}`);
    this.response = response;
  }
}

function toFcm({ token, title, body, data, badge, tag }: PushMessage): object {
  return {
    token,
    notification: { title, ...(body === null ? {} : { body }) },
    data,
    android: { priority: 'HIGH', notification: { tag, notification_count: badge } },
    apns: { headers: { 'apns-collapse-id': tag }, payload: { aps: { badge, sound: 'default' } } },
    webpush: { notification: { tag } },
  };
}

interface GoogleError {
  readonly status?: string;
  readonly details?: readonly { readonly errorCode?: string }[];
}

/** https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode */
function readResult(response: HttpResponse, now: Date): PushResult {
  if (response.status >= 200 && response.status < 300) return { outcome: 'sent' };
  const { status } = errorIn(response);
  // Only the text distinguishes it from an invalid message.
  const isTokenInvalid = status === 'INVALID_ARGUMENT' && /registration token/i.test(response.body.toString());
  return status === 'NOT_FOUND' || isTokenInvalid ? { outcome: 'dead_token' } : readFailure(response, now);
}

function readFailure(response: HttpResponse, now: Date): PushResult {
  const { status, headers } = response;
  const { status: name, details = [] } = errorIn(response);
  const code = details.find(({ errorCode }) => errorCode)?.errorCode;
  // Without a code of its own, a 401 means that the access token was refused.
  const isTransient = status === 429 || status >= 500 || (status === 401 && name === 'UNAUTHENTICATED' && !code);
  if (isTransient) return { outcome: 'retry', afterSeconds: retryAfter(headers['retry-after'], now) };
  return { outcome: 'refused', reason: `${status} ${code ?? name ?? ''}`.trim() };
}

/** The token endpoint returns the error as a text. */
function errorIn({ body }: HttpResponse): GoogleError {
  const { error } = parseJson(body.toString()) as { error?: GoogleError | string };
  return typeof error === 'string' ? { status: error } : (error ?? {});
}

/** `Retry-After` has seconds or a date. */
function retryAfter(value: string | undefined, now: Date): number {
  const seconds = /^\d+$/.test(value ?? '') ? Number(value) : (Date.parse(value ?? '') - now.getTime()) / 1_000;
  return Number.isNaN(seconds) ? defaultRetrySeconds : Math.ceil(Math.min(Math.max(seconds, 1), maxRetrySeconds));
}

function parseJson(text: string): object {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
