import { extname } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Kernel } from '../kernel.ts';
import { encodingFor, varyHeader } from './compress.ts';
import { consoleFiles, encodeFile } from './console-files.ts';
import { findPageRedirect } from './page-redirect.ts';
import { limitAnonymous } from './rate-limit.ts';

/** Scripts, styles and connections of this server only, and none in the page itself. Images of products may be elsewhere. */
const pageHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: https:; font-src 'self'; " +
    "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=()',
  'cache-control': 'no-cache',
};

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

const isCompressed = (name: string) => name.endsWith('.woff2');

/** Whether a request that no route takes is for the console: one of its files, or a page that a browser opens. */
export function isForConsole({ config }: Kernel, { method, headers }: FastifyRequest, path: string): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  if (path.startsWith('/assets/') || path === '/favicon.svg' || path === '/') return true;
  const isReserved =
    /^\/(api|oauth|docs|mcp)(\/|$)/.test(path) || (path.startsWith('/dev/') && config.appEnv !== 'local');
  return !isReserved && extname(path) === '' && (headers.accept?.includes('text/html') ?? false);
}

/** Returns `false` if there is no such file. */
export async function sendConsole(
  kernel: Kernel,
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
): Promise<boolean> {
  const isFile = extname(path) !== '';
  if (!isFile) {
    limitAnonymous(kernel, request, reply);
    const redirect = await findPageRedirect(kernel, request, path);
    if (redirect !== undefined) {
      reply.header('cache-control', 'no-store').redirect(redirect);
      return true;
    }
  }
  const name = isFile ? path : '/index.html';
  const type = types[extname(name)];
  const file = (await consoleFiles()).get(name);
  if (type === undefined || file === undefined) {
    if (!isFile) sendUnavailable(reply);
    return !isFile;
  }
  reply.type(type).headers(pageHeaders).header('vary', varyHeader(reply));
  // The names of assets contain a hash of their content.
  if (name.startsWith('/assets/')) reply.header('cache-control', 'public, max-age=31536000, immutable');
  const encoding = encodingFor(request.headers['accept-encoding'] ?? '');
  if (encoding === undefined || isCompressed(name)) reply.send(file.content);
  else reply.header('content-encoding', encoding).send(await encodeFile(file, encoding));
  return true;
}

function sendUnavailable(reply: FastifyReply): void {
  reply
    .status(503)
    .type('text/plain; charset=utf-8')
    .send('The console is not built: web/dist has no index.html. The API works: see /docs.\n');
}
