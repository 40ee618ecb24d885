import { createHmac, randomBytes } from 'node:crypto';
import type { RequestSignature } from '@chowk/kit/kernel';

/* Signatures as in https://github.com/standard-webhooks/standard-webhooks. */

const prefix = 'whsec_';

export function newSigningSecret(): string {
  return `${prefix}${randomBytes(32).toString('base64')}`;
}

/** The headers of a request, with a signature for each secret. */
export function signatureHeaders(
  { id, at, secrets }: RequestSignature,
  body: string | Uint8Array = '',
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
