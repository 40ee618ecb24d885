import { createHash, randomBytes } from 'node:crypto';
import { type Failure, type FieldError, invalid } from '@chowk/kit';

/** A secret for a link, or to be shown once. Only its hash is stored. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** A fast hash is enough for a random secret of 256 bits. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

export const unusableLink: FieldError = {
  code: 'invalid',
  message: 'This link is invalid: it was used, has expired or is incomplete. Request a new one.',
};

/** 422 for a mailed link that cannot be used. */
export function badToken(): Failure {
  return invalid({ token: unusableLink });
}
