import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { startPlatform } from '../../testing/platform.ts';
import { compressOnce } from './compress.ts';
import { shrinkFiles } from './console-files.ts';

const platform = await startPlatform();
// Before the installation, all pages redirect to the wizard.
await writeFile(join(platform.kernel.config.storagePath, 'installed'), '');
const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const get = (url: string, headers: Record<string, string> = browser) => platform.app.inject({ url, headers });
const page = await get('/');
const [script = ''] = /\/assets\/[\w-]+\.js/.exec(page.body) ?? [];

test('every address that a browser opens shows the console, with a policy that allows no foreign or inline script', async () => {
  for (const path of ['/', '/login', '/orders/1042', '/email', '/device?user_code=ABCD-EFGH']) {
    const { statusCode, headers, body } = await get(path);
    expect({ path, statusCode, body }).toEqual({ path, statusCode: 200, body: page.body });
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['cache-control']).toBe('no-cache');
    expect(headers['x-frame-options']).toBe('DENY');
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['referrer-policy']).toBe('same-origin');
    expect(headers['content-security-policy']).toMatch(/default-src 'none'; script-src 'self'; style-src 'self';/);
    const scripts = String(headers['content-security-policy']).replace("img-src 'self' data: https:;", '');
    expect(scripts).not.toMatch(/unsafe|https?:|\*/);
  }
  expect(page.body).not.toMatch(/<script(?![^>]* src=)|<style|style=| on\w+=/);
});

test('browsers cache assets without expiry, and assets are sent compressed', async () => {
  const plain = await get(script, {});
  expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  expect(plain.headers['content-type']).toBe('text/javascript; charset=utf-8');
  expect(plain.headers.vary).toBe('Accept-Encoding');
  const brotli = await get(script, { 'accept-encoding': 'gzip, br' });
  expect(brotli.headers['content-encoding']).toBe('br');
  expect(brotliDecompressSync(brotli.rawPayload).equals(plain.rawPayload)).toBe(true);
  await shrinkFiles();
  const shrunk = await get(script, { 'accept-encoding': 'gzip, br' });
  expect(shrunk.rawPayload.length).toBeLessThan((await compressOnce(plain.rawPayload, 'br')).length);
  expect(brotliDecompressSync(shrunk.rawPayload).equals(plain.rawPayload)).toBe(true);
  const gzip = await get(script, { 'accept-encoding': 'gzip' });
  expect(gunzipSync(gzip.rawPayload).equals(plain.rawPayload)).toBe(true);
});

test('the first load of the page is less than 150 KB of scripts', async () => {
  const scripts = new Set([...page.body.matchAll(/\/assets\/[\w-]+\.js/g)].map(([path]) => path));
  const sizes = [...scripts].map(async (path) => (await get(path, { 'accept-encoding': 'br' })).rawPayload.length);
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThan(150_000);
});

test('a HEAD request is answered too', async () => {
  const { statusCode, headers } = await platform.app.inject({ method: 'HEAD', url: '/login', headers: browser });
  expect({ statusCode, type: headers['content-type'] }).toEqual({ statusCode: 200, type: 'text/html; charset=utf-8' });
});

test.each([
  ['/assets/nowhere.js', browser],
  ['/assets/../package.json', browser],
  ['/assets/%2e%2e/sources.sha256', browser],
  ['/sources.sha256', browser],
  ['/favicon.ico', browser],
  ['/api/v1/nowhere', browser],
  ['/api', browser],
  ['/oauth/nowhere', browser],
  ['/nowhere', { accept: 'application/json' }],
  ['/dev/ui', browser],
])('%s is not found', async (path, headers) => {
  const { statusCode, body } = await get(path, headers);
  expect({ statusCode, code: JSON.parse(body).code }).toEqual({ statusCode: 404, code: 'http.not_found' });
});

test('only reading is for the console', async () => {
  const { statusCode } = await platform.app.inject({ method: 'POST', url: '/login', headers: browser });
  expect(statusCode).toBe(404);
});
