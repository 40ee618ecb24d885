import { createHash, randomBytes } from 'node:crypto';

/** What goes out in a link or is shown once. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** What is kept of it: nobody guesses 256 bits, so nothing slower is needed. */
export function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
