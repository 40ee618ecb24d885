import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { isForLinux, readLock } from './locked-packages.ts';
import { startInstalledPlatform } from './platform.ts';
import { copyRepository } from './repository-copy.ts';

const repository = resolve(import.meta.dirname, '..');
/** The platform is started as a program. */
const timeout = 600_000;

test('an installation for running has at most 280 packages and 350 MB, the whole one at most 550 packages', async () => {
  const packages = Object.entries(await readLock()).filter(([, one]) => !one.link && isForLinux(one));
  const running = packages.filter(([, { dev }]) => !dev);
  expect(packages.length).toBeLessThanOrEqual(550);
  expect(running.length).toBeLessThanOrEqual(280);
  const folders = running.map(([path]) => join(repository, path)).filter((folder) => existsSync(folder));
  const { stdout } = await promisify(execFile)('du', ['-smc', ...folders]);
  expect(Number.parseInt(stdout.split('\n').at(-2) ?? '', 10)).toBeLessThanOrEqual(350);
});

test('without the packages for development, the platform runs with everything that it serves', {
  timeout,
}, async () => {
  const { url, token, tenant } = await startInstalledPlatform(await copyRepository({ omitDev: true }));
  const authorized = { authorization: `Bearer ${token}`, 'x-tenant': tenant };
  const get = async (path: string, headers: Record<string, string> = authorized) => {
    const response = await fetch(url + path, { headers });
    expect({ path, status: response.status }).toEqual({ path, status: 200 });
    return response.text();
  };
  const send = async (method: string, path: string, body: object) => {
    const headers = {
      ...authorized,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const response = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
    expect({ path, ok: response.ok }).toEqual({ path, ok: true });
    // biome-ignore lint/suspicious/noExplicitAny: responses of several endpoints
    return response.json() as Promise<any>;
  };

  const [script = ''] = /\/assets\/[\w-]+\.js/.exec(await get('/login', { accept: 'text/html' })) ?? [];
  expect((await get(script)).length).toBeGreaterThan(10_000);

  await get('/docs/');
  await get('/docs/js/scalar.js');

  const playground = await get('/api/v1/graphql/playground');
  for (const [path] of playground.matchAll(/\/api\/v1\/graphql\/playground\/assets\/[\w./-]+/g)) await get(path);

  const { product } = await send('POST', '/api/v1/products', { title: 'Tea', sku: 'TEA', price: '2.00' });
  const form = new FormData();
  form.set('file', new Blob([Buffer.from(pixel, 'base64')], { type: 'image/png' }), 'tea.png');
  const path = `${url}/api/v1/products/${product.id}/images`;
  const uploaded = await fetch(path, { method: 'POST', headers: authorized, body: form });
  expect({ status: uploaded.status, body: await uploaded.json() }).toMatchObject({ status: 201 });

  await send('PATCH', '/api/v1/settings', { 'mcp.enabled': true });
  const { result } = await send('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' });
  expect(result.tools.length).toBeGreaterThan(15);

  const customer = { phone: '020 7946 0958', email: 'meera@example.com' };
  await send('POST', '/api/v1/customers', customer);
  expect(await send('POST', '/api/v1/graphql', { query: '{ customers { totalCount } }' })).toMatchObject({
    data: { customers: { totalCount: 1 } },
  });
});

/** A PNG of one pixel. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
