import type { Secrets } from '@chowk/kit/kernel';

/** The permission of a session to subscribe one socket to a private or presence channel of a tenant. */
export interface Grant {
  readonly socketId: string;
  readonly channel: string;
  readonly tenantId: string;
  readonly userId: number;
  readonly sessionId: string;
  /** The member of a presence channel, as JSON. */
  readonly channelData?: string | undefined;
}

/** The fields of the subscription message itself. */
type Subscription = Pick<Grant, 'socketId' | 'channel' | 'channelData'>;

const purpose = 'realtime grant';

/**
 * The `auth` of a subscription: key, signature (HMAC-SHA256 in hexadecimal, as the protocol has it) and its holder, so that
 * the process of the socket can check it by itself. Clients send it back as it is.
 */
export function formatAuth(secrets: Secrets, key: string, grant: Grant): string {
  const { tenantId, userId, sessionId } = grant;
  const signature = Buffer.from(secrets.sign(purpose, serializeGrant(grant)), 'base64url').toString('hex');
  return `${key}:${signature}:${Buffer.from(JSON.stringify([tenantId, userId, sessionId])).toString('base64url')}`;
}

/** `undefined` unless the signature is one for this subscription. */
export function readAuth(secrets: Secrets, auth: unknown, subscription: Subscription): Grant | undefined {
  const [, signature = '', holder = ''] = /^\w+:([\da-f]{64}):([\w-]+)$/.exec(String(auth)) ?? [];
  if (!signature) return undefined;
  const [tenantId, userId, sessionId] = parseList(Buffer.from(holder, 'base64url').toString());
  const grant = { ...subscription, tenantId, userId, sessionId } as Grant;
  const isSigned = secrets.isSignature(
    purpose,
    serializeGrant(grant),
    Buffer.from(signature, 'hex').toString('base64url'),
  );
  return isSigned ? grant : undefined;
}

function serializeGrant({ socketId, channel, tenantId, userId, sessionId, channelData = '' }: Grant): string {
  return JSON.stringify([socketId, channel, tenantId, userId, sessionId, channelData]);
}

function parseList(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
