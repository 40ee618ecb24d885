import { pipeline, Readable, type Transform } from 'node:stream';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

type Encoding = 'br' | 'gzip';

/** Shorter answers fit into one packet as they are. */
const leastBytes = 1_024;
/** Brotli's default is for files that are compressed once; this one is as fast as gzip. */
const brotli = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } };

const whole: Record<Encoding, (text: string) => Promise<Buffer>> = {
  br: (text) => promisify<string, zlib.BrotliOptions, Buffer>(zlib.brotliCompress)(text, brotli),
  gzip: promisify<string, Buffer>(zlib.gzip),
};
const streams: Record<Encoding, () => Transform> = {
  br: () => zlib.createBrotliCompress(brotli),
  gzip: () => zlib.createGzip(),
};

/** Compresses an answer for a client that asks for it, off the event loop. */
export function compress(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error: Error | null, payload?: unknown) => void,
): void {
  const accepted = request.headers['accept-encoding'];
  const encoding = accepted === undefined ? undefined : encodingFor(accepted);
  const isLong = payload instanceof Readable || (typeof payload === 'string' && payload.length >= leastBytes);
  if (isLong) reply.header('vary', vary(reply));
  if (!encoding || !isLong || reply.hasHeader('content-encoding')) {
    done(null, payload);
    return;
  }
  reply.header('content-encoding', encoding).removeHeader('content-length');
  if (typeof payload === 'string') {
    whole[encoding](payload).then((bytes) => done(null, bytes), done);
    return;
  }
  const compressed = streams[encoding]();
  // A reader that goes away ends both, and with them the query behind them.
  pipeline(payload as Readable, compressed, () => {});
  done(null, compressed);
}

function vary(reply: FastifyReply): string {
  const known = reply.getHeader('vary');
  return known === undefined ? 'Accept-Encoding' : `${known}, Accept-Encoding`;
}

/** The best encoding that the client takes; one with `q=0` is refused. */
function encodingFor(accepted: string): Encoding | undefined {
  const taken = new Set<string>();
  for (const part of accepted.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
    if (!parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))) taken.add(name);
  }
  return (['br', 'gzip'] as const).find((encoding) => taken.has(encoding));
}
