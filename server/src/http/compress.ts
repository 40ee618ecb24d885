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

/** The answer, compressed off the event loop for a client that asks for it. */
export function compressed(request: FastifyRequest, reply: FastifyReply, body: unknown): unknown {
  const accepted = request.headers['accept-encoding'];
  if (accepted === undefined || body === undefined || body === reply) return body;
  if (body instanceof Readable) return compressStream(reply, encodingFor(accepted), body);
  const text = typeof body === 'string' ? body : reply.serialize(body);
  if (!reply.hasHeader('content-type')) reply.type('application/json; charset=utf-8');
  return compressText(reply, encodingFor(accepted), String(text));
}

/** For an answer that was kept before it is sent. */
export async function compressKept(request: FastifyRequest, reply: FastifyReply, body: unknown): Promise<unknown> {
  return typeof body === 'string' ? compressed(request, reply, body) : body;
}

function compressText(reply: FastifyReply, encoding: Encoding | undefined, text: string): string | Promise<Buffer> {
  if (text.length < leastBytes) return text;
  reply.header('vary', vary(reply));
  if (!encoding) return text;
  reply.header('content-encoding', encoding).removeHeader('content-length');
  return whole[encoding](text);
}

function compressStream(reply: FastifyReply, encoding: Encoding | undefined, body: Readable): Readable {
  reply.header('vary', vary(reply));
  if (!encoding) return body;
  reply.header('content-encoding', encoding);
  const stream = streams[encoding]();
  // A reader that goes away ends both, and with them the query behind them.
  pipeline(body, stream, () => {});
  return stream;
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
