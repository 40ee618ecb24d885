import { createHash, randomBytes } from 'node:crypto';
import { type Failure, invalid } from '@chowk/kit';

/** What goes out in a link or is shown once. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** What is kept of it: nobody guesses 256 bits, so nothing slower is needed. */
export function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** 422 for a mailed link that cannot be used. */
export function badToken(): Failure {
  return invalid({ token: 'This link is not valid any more: it was used, has expired or is not complete.' });
}
