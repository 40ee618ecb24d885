import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/* Signatures of version 4, as S3 verifies them. */

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

interface Signature {
  readonly credential: string;
  readonly signedHeaders: string;
  readonly signature: string;
  /** As `20261115T130000Z`. */
  readonly date: string;
  readonly payloadHash: string;
}

/** The code of the error that S3 answers with; `undefined` if the signature of the request is valid. */
export function signatureProblem(request: IncomingMessage, body: Buffer, keys: Credentials): string | undefined {
  const url = new URL(request.url ?? '', 'http://s3');
  const isLink = url.searchParams.has('X-Amz-Signature');
  const sent = isLink ? signatureOfLink(url.searchParams) : signatureOfHeaders(request);
  if (!sent) return 'AccessDenied';
  const [accessKeyId, ...scope] = sent.credential.split('/');
  if (accessKeyId !== keys.accessKeyId) return 'InvalidAccessKeyId';
  if (isLink && hasExpired(sent.date, Number(url.searchParams.get('X-Amz-Expires')))) return 'AccessDenied';
  if (!isLink && /^[0-9a-f]{64}$/.test(sent.payloadHash) && sent.payloadHash !== sha256(body)) {
    return 'XAmzContentSHA256Mismatch';
  }
  const names = sent.signedHeaders.split(';');
  if (!names.includes('host')) return 'AccessDenied';
  const canonical = [
    request.method,
    url.pathname,
    canonicalQuery(url.searchParams),
    ...names.map((name) => `${name}:${String(request.headers[name] ?? '').trim()}`),
    '',
    sent.signedHeaders,
    sent.payloadHash,
  ].join('\n');
  const text = ['AWS4-HMAC-SHA256', sent.date, scope.join('/'), sha256(canonical)].join('\n');
  const key = scope.reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${keys.secretAccessKey}`);
  const [expected, actual] = [hmac(key, text), Buffer.from(sent.signature, 'hex')];
  const isValid = expected.length === actual.length && timingSafeEqual(expected, actual);
  return isValid ? undefined : 'SignatureDoesNotMatch';
}

function signatureOfLink(query: URLSearchParams): Signature {
  const of = (name: string) => query.get(`X-Amz-${name}`) ?? '';
  return {
    credential: of('Credential'),
    signedHeaders: of('SignedHeaders'),
    signature: of('Signature'),
    date: of('Date'),
    payloadHash: 'UNSIGNED-PAYLOAD',
  };
}

function signatureOfHeaders({ headers }: IncomingMessage): Signature | undefined {
  const pattern = /^AWS4-HMAC-SHA256 Credential=(.+), SignedHeaders=(.+), Signature=([0-9a-f]{64})$/;
  const [, credential, signedHeaders, signature] = pattern.exec(headers.authorization ?? '') ?? [];
  if (!credential || !signedHeaders || !signature) return undefined;
  const [date, payloadHash] = [String(headers['x-amz-date']), String(headers['x-amz-content-sha256'])];
  return { credential, signedHeaders, signature, date, payloadHash };
}

function canonicalQuery(query: URLSearchParams): string {
  return [...query]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&');
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

function hasExpired(date: string, seconds: number): boolean {
  const at = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\dZ)$/, '$1-$2-$3:$4:$5'));
  return !(Date.now() < at + seconds * 1_000);
}

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
