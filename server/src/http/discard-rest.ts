import type { Readable } from 'node:stream';

/** Enough for the body of a client that does not know the limit. */
const maxBytes = 25 * 1_048_576;
const maxMs = 10_000;

/**
 * Reads on after a body was refused: a client such as `fetch` that is still sending when the connection is closed sees a broken
 * pipe and not the response. One that sends much more, or slowly, is disconnected.
 */
export function discardRest(body: Readable): void {
  if (body.destroyed || body.readableEnded) return;
  let rest = maxBytes;
  const timer = setTimeout(() => body.destroy(), maxMs);
  body.on('data', (chunk: Buffer) => {
    rest -= chunk.length;
    if (rest < 0) body.destroy();
  });
  body.once('close', () => clearTimeout(timer));
  body.once('end', () => clearTimeout(timer));
  body.resume();
}
