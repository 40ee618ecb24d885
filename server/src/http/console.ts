import { extname } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Kernel } from '../kernel.ts';
import { parseConsolePath } from '../loader/console-files.ts';
import { encodingFor, varyHeader } from './compress.ts';
import { type ConsoleFile, consoleFiles, encodeFile } from './console-files.ts';
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
  if (/^\/assets\/|^\/(favicon\.svg)?$/.test(path) || parseConsolePath(path)) return true;
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
  const script = parseConsolePath(name);
  const file = script ? moduleFile(kernel, script.digest) : (await consoleFiles()).get(name);
  if (type === undefined || file === undefined) {
    if (!isFile) sendUnavailable(reply);
    return !isFile;
  }
  reply.type(type).headers(pageHeaders).header('vary', varyHeader(reply));
  // The names of assets and scripts contain a hash of their content.
  if (name.startsWith('/assets/') || script) reply.header('cache-control', 'public, max-age=31536000, immutable');
  const encoding = encodingFor(request.headers['accept-encoding'] ?? '');
  if (encoding === undefined || isCompressed(name)) reply.send(file.content);
  else reply.header('content-encoding', encoding).send(await encodeFile(file, encoding));
  return true;
}

const moduleFiles = new WeakMap<Buffer, ConsoleFile>();

/** A script of a module, with what has been compressed of it. */
function moduleFile(kernel: Kernel, digest: string): ConsoleFile | undefined {
  const content = kernel.consoleFiles.get(digest);
  if (!content) return undefined;
  const file = moduleFiles.get(content) ?? { content, encoded: new Map() };
  moduleFiles.set(content, file);
  return file;
}

/** While it is built, the page asks again until it is there. */
function sendUnavailable(reply: FastifyReply): void {
  reply
    .status(503)
    .type('text/html; charset=utf-8')
    .headers({ ...pageHeaders, 'retry-after': '3' })
    .send(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="refresh" content="3">
<title>The console is not built yet · Chowk</title>
<h1>The console is not built yet</h1>
<p>This takes less than a minute after a start from the sources. The page opens as soon as it is ready.</p>
<p>The API works meanwhile: see <a href="/docs/">the reference</a>.</p>
</html>
`);
}
