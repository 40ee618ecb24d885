import { EventEmitter } from 'node:events';
import { expect, test, vi } from 'vitest';

// The build ends with an error, and there is none of before.
vi.mock('node:child_process', async (original) => ({
  ...(await original<typeof import('node:child_process')>()),
  spawn() {
    const child = Object.assign(new EventEmitter(), { unref() {} });
    setImmediate(() => child.emit('exit', 1));
    return child;
  },
}));
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  const readdir = (path: string, ...rest: []) =>
    /web.dist$/.test(path) ? Promise.reject(new Error('there is no such folder')) : real.readdir(path, ...rest);
  return { ...real, readdir };
});
const { startPlatform } = await import('../../testing/platform.ts');

test('without the console, pages say why and the API works', async () => {
  const platform = await startPlatform();
  const headers = { accept: 'text/html' };
  for (const url of ['/', '/install', '/orders']) {
    const { statusCode, body } = await platform.app.inject({ url, headers });
    expect({ statusCode, body }).toEqual({
      statusCode: 503,
      body: 'The console could not be built; the log of the server says why. The API works: see /docs.\n',
    });
  }
  const asset = await platform.app.inject({ url: '/assets/index.js' });
  expect(asset.statusCode).toBe(404);
  const health = await platform.app.inject({ url: '/api/health' });
  expect(health.statusCode).toBe(200);
});
