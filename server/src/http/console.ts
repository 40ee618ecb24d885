import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, resolve } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Kernel } from '../kernel.ts';
import { encodingFor, varyHeader } from './compress.ts';
import { findPageRedirect } from './page-redirect.ts';
import { limitAnonymous } from './rate-limit.ts';

const web = resolve(import.meta.dirname, '../../../web');
const dist = join(web, 'dist');

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

/** Encoded copies that the build has written beside the file. */
const extensions = { br: '.br', gzip: '.gz' } as const;

const retryPauseMs = 10_000;

type Files = ReadonlyMap<string, Buffer>;
let files: Promise<Files> | undefined;

/** The built console, by path; built first if that has not been done or its sources have changed. */
function consoleFiles({ log }: Kernel): Promise<Files> {
  files ??= loadConsole().catch((error) => {
    log.error({ err: error }, 'could not build the console');
    setTimeout(() => {
      files = undefined;
    }, retryPauseMs).unref();
    // Those of the last build, if there are.
    return readFiles().catch(() => new Map());
  });
  return files;
}

async function loadConsole(): Promise<Files> {
  await buildConsole();
  const built = await readFiles();
  if (!built.has('/index.html')) throw new Error(`${dist} has no index.html`);
  return built;
}

/** Reads the console, so that the first page need not wait. */
export async function prepareConsole(kernel: Kernel): Promise<void> {
  await consoleFiles(kernel);
}

/** A process of its own: a build needs much memory, and the platform serves requests meanwhile. */
export async function buildConsole(): Promise<void> {
  const child = spawn(process.execPath, [join(web, 'build.ts')], { cwd: web, stdio: ['ignore', 'ignore', 'inherit'] });
  // A stop of the platform does not wait for it.
  child.unref();
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`web/build.ts ended with code ${code}`);
}

async function readFiles(): Promise<Files> {
  const entries = await readdir(dist, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return new Map(
    await Promise.all(paths.map(async (path) => [path.slice(dist.length), await readFile(path)] as const)),
  );
}

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
  const stored = await consoleFiles(kernel);
  const name = isFile ? path : '/index.html';
  const type = types[extname(name)];
  if (type === undefined || !stored.has(name)) {
    if (!isFile) sendUnavailable(reply);
    return !isFile;
  }
  reply.type(type).headers(pageHeaders).header('vary', varyHeader(reply));
  // The names of assets contain a hash of their content.
  if (name.startsWith('/assets/')) reply.header('cache-control', 'public, max-age=31536000, immutable');
  const encoding = encodingFor(request.headers['accept-encoding'] ?? '');
  const encoded = encoding && stored.get(name + extensions[encoding]);
  if (encoded) reply.header('content-encoding', encoding);
  reply.send(encoded ?? stored.get(name));
  return true;
}

function sendUnavailable(reply: FastifyReply): void {
  reply
    .status(503)
    .type('text/plain; charset=utf-8')
    .send('The console could not be built; the log of the server says why. The API works: see /docs.\n');
}
