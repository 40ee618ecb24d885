import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CryptoKey, decodeJwt, exportPKCS8, generateKeyPair, jwtVerify } from 'jose';
import { afterAll } from 'vitest';

export interface FcmMessage {
  readonly token: string;
  readonly notification: { readonly title: string; readonly body?: string };
  readonly data: Record<string, string>;
  readonly android: { readonly notification: { readonly tag: string; readonly notification_count: number } };
  readonly apns: { readonly headers: Record<string, string>; readonly payload: { readonly aps: { badge: number } } };
}

export interface FcmAnswer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

export interface FcmServer {
  /** `FCM_CREDENTIALS` and `FCM_URL` for it, and the permission to send requests there. */
  readonly environment: Record<string, string>;
  readonly received: FcmMessage[];
  /** The number of access tokens that were issued. */
  issued: number;
  /** The greatest number of messages that were sent at the same time. */
  mostAtOnce: number;
  /** The answer to a message; by default, it is accepted. */
  answer: (message: FcmMessage) => FcmAnswer | undefined | Promise<undefined>;
  /** The answer to a valid request for a token; by default, a token. */
  tokenAnswer: FcmAnswer | undefined;
  /** No longer accepts the tokens that were issued so far. */
  revokeTokens(): void;
}

const fcmError = (status: number, name: string, code: string, message: string, more: object[] = []): FcmAnswer => ({
  status,
  body: {
    error: {
      code: status,
      message,
      status: name,
      details: [{ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode: code }, ...more],
    },
  },
});

/** Answers as Google's service gives them. */
export const fcmAnswers = {
  unregistered: fcmError(404, 'NOT_FOUND', 'UNREGISTERED', 'Requested entity was not found.'),
  invalidToken: fcmError(
    400,
    'INVALID_ARGUMENT',
    'INVALID_ARGUMENT',
    'The registration token is not a valid FCM registration token',
  ),
  invalidPayload: fcmError(400, 'INVALID_ARGUMENT', 'INVALID_ARGUMENT', 'Invalid data payload key: from', [
    {
      '@type': 'type.googleapis.com/google.rpc.BadRequest',
      fieldViolations: [{ field: 'message.data[0].key', description: 'Invalid data payload key: from' }],
    },
  ]),
  senderMismatch: fcmError(403, 'PERMISSION_DENIED', 'SENDER_ID_MISMATCH', 'SenderId mismatch'),
  quota: {
    ...fcmError(429, 'RESOURCE_EXHAUSTED', 'QUOTA_EXCEEDED', 'Quota exceeded.'),
    headers: { 'retry-after': '90' },
  },
  unavailable: fcmError(503, 'UNAVAILABLE', 'UNAVAILABLE', 'The service is currently unavailable.'),
  unauthenticated: {
    status: 401,
    body: {
      error: { code: 401, message: 'Request had invalid authentication credentials.', status: 'UNAUTHENTICATED' },
    },
  },
} satisfies Record<string, FcmAnswer>;

const project = 'chowk-test';
const account = { client_email: `push@${project}.iam.gserviceaccount.com`, private_key_id: 'key-1' };

/** Firebase Cloud Messaging and the token endpoint of Google, on a local port. Closed after the test file. */
export async function startFcm(): Promise<FcmServer> {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  let tokens = new Set<string>();
  let atOnce = 0;
  const http = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString();
    const {
      status,
      body: answer,
      headers,
    } = await respond(request, body).catch(() => ({ status: 400, body: {}, headers: {} }));
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(answer ?? {}));
  });

  async function respond(request: IncomingMessage, body: string): Promise<FcmAnswer> {
    if (request.url === '/token') {
      await verifyGrant(new URLSearchParams(body), publicKey, tokenUri);
      if (server.tokenAnswer) return server.tokenAnswer;
      server.issued += 1;
      tokens.add(`access-${server.issued}`);
      return {
        status: 200,
        body: { access_token: `access-${server.issued}`, expires_in: 3_599, token_type: 'Bearer' },
      };
    }
    const token = request.headers.authorization?.replace(/^Bearer /, '') ?? '';
    if (!tokens.has(token)) return fcmAnswers.unauthenticated;
    if (request.url !== `/v1/projects/${project}/messages:send`) return { status: 404 };
    const { message } = JSON.parse(body) as { message: FcmMessage };
    if (Buffer.byteLength(body) > 4_096 + message.token.length) return fcmAnswers.invalidPayload;
    atOnce += 1;
    server.mostAtOnce = Math.max(server.mostAtOnce, atOnce);
    await new Promise((resolve) => setImmediate(resolve));
    atOnce -= 1;
    const answer = await server.answer(message);
    if (answer) return answer;
    server.received.push(message);
    return { status: 200, body: { name: `projects/${project}/messages/${server.received.length}` } };
  }

  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const tokenUri = `${origin}/token`;
  const folder = await mkdtemp(join(tmpdir(), 'chowk-fcm-'));
  const file = join(folder, 'service-account.json');
  const fields = { type: 'service_account', project_id: project, ...account, token_uri: tokenUri };
  await writeFile(file, JSON.stringify({ ...fields, private_key: await exportPKCS8(privateKey) }));
  afterAll(async () => {
    http.close();
    await rm(folder, { recursive: true });
  });
  const server: FcmServer = {
    environment: { FCM_CREDENTIALS: file, FCM_URL: origin, OUTBOUND_ALLOW_HOSTS: '127.0.0.1' },
    received: [],
    issued: 0,
    mostAtOnce: 0,
    answer: () => undefined,
    tokenAnswer: undefined,
    revokeTokens: () => {
      tokens = new Set();
    },
  };
  return server;
}

/** As Google does: signature, issuer, audience, lifetime and scope. */
async function verifyGrant(form: URLSearchParams, key: CryptoKey, audience: string): Promise<void> {
  const assertion = form.get('assertion') ?? '';
  const { payload, protectedHeader } = await jwtVerify(assertion, key, {
    algorithms: ['RS256'],
    issuer: account.client_email,
    audience,
    maxTokenAge: '1h',
    requiredClaims: ['exp', 'iat', 'scope'],
    // Tests set the clock of the platform.
    currentDate: new Date((decodeJwt(assertion).iat ?? 0) * 1_000),
  });
  const isValid =
    form.get('grant_type') === 'urn:ietf:params:oauth:grant-type:jwt-bearer' &&
    protectedHeader.kid === account.private_key_id &&
    payload['scope'] === 'https://www.googleapis.com/auth/firebase.messaging' &&
    (payload.exp as number) - (payload.iat as number) <= 3_600;
  if (!isValid) throw new Error('invalid_grant');
}
