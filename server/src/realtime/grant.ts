import type { Secrets } from '@chowk/kit';

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

const purpose = 'realtime grant';

/** The HMAC-SHA256 in hexadecimal, as clients of the protocol expect it. */
export function signGrant(secrets: Secrets, grant: Grant): string {
  return Buffer.from(secrets.sign(purpose, textOf(grant)), 'base64url').toString('hex');
}

export function isSignatureOf(secrets: Secrets, grant: Grant, signature: string): boolean {
  return secrets.isSignature(purpose, textOf(grant), Buffer.from(signature, 'hex').toString('base64url'));
}

function textOf({ socketId, channel, tenantId, userId, sessionId, channelData = '' }: Grant): string {
  return [socketId, channel, tenantId, userId, sessionId, channelData].join(':');
}
