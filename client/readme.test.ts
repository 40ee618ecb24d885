import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test, vi } from 'vitest';
import { startAccounts } from '../server/testing/accounts.ts';
import { eventually } from '../server/testing/eventually.ts';
import { makeClient } from '../server/testing/oauth.ts';
import { getPort } from '../server/testing/raw-http.ts';
import { pixel } from './testing/pixel.ts';

/* The code of the README, compiled and run as a program of an integrator who has installed the built package. */

const execute = promisify(execFile);
const folder = await mkdtemp(join(import.meta.dirname, '.integrator-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

const built = join(folder, 'node_modules/@chowk/client');
await execute(process.execPath, [join(import.meta.dirname, 'build.ts'), built]);

const compilerOptions = {
  target: 'esnext',
  module: 'nodenext',
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  // As in a browser: without the types of Node.
  lib: ['esnext', 'dom', 'dom.iterable', 'dom.asynciterable'],
  types: [],
  allowImportingTsExtensions: true,
};

test('the whole client is less than 14 KB of compressed script', async () => {
  const names = (await readdir(built)).filter((name) => name.endsWith('.js'));
  const scripts = await Promise.all(names.map((name) => readFile(join(built, name), 'utf8')));
  expect(gzipSync(scripts.join('\n')).length).toBeLessThan(14_000);
});

test('the code of the README compiles and runs with the built package', async () => {
  const platform = await startAccounts();
  await platform.app.listen({ host: '127.0.0.1', port: 0 });
  const acme = await platform.tenant();
  const person = await platform.person({ tenant: acme, name: 'Asha Rao' });
  const { id, secret } = await makeClient(person, ['orders.view']);
  const { body } = await person.post('/api/v1/profile/tokens', { name: 'Till' });
  const readme = await readFile(join(import.meta.dirname, 'README.md'), 'utf8');
  const program = [...readme.matchAll(/^```ts\n([\s\S]*?)^```$/gm)]
    .map(([, code]) => code)
    .join('')
    .replaceAll('https://chowk.example.com', `http://127.0.0.1:${getPort(platform.app)}`)
    .replaceAll("tenant: 'acme'", `tenant: '${acme.id}'`)
    .replace('asha@example.com', person.email)
    .replace("id: '…', secret: '…'", `id: '${id}', secret: '${secret}'`)
    .replace('chowk_pat_…', body.access_token);
  const picture = `const picture = Uint8Array.from([${pixel}]);\n`;
  await writeFile(join(folder, 'program.ts'), `${picture}${program}export { echo, socket };\n`);
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['program.ts'] }));
  const compiler = resolve(import.meta.dirname, '../node_modules/.bin/tsc');
  await execute(compiler, ['-p', folder]).catch(({ stdout, message }) => expect.fail(stdout || message));
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});
  const { echo, socket } = await import(join(folder, 'program.ts'));
  await eventually(() =>
    expect(echo.connector.channels[`private-user.${person.id}`].subscription.subscribed).toBe(true),
  );
  await acme.context('orders').tx((tx) => tx.notify(person.id, { type: 'order.created', title: 'A new order' }));
  await eventually(() => expect(log).toHaveBeenLastCalledWith('A new order'));
  echo.disconnect();
  const order = { customer: { phone: '+919876543210' }, items: [{ name: 'Tea', quantity: 1, price: '49.50' }] };
  await eventually(async () => {
    await person.post('/api/v1/orders', order);
    const total = expect.objectContaining({ total: '49.50' });
    expect(log).toHaveBeenLastCalledWith({ orderCreated: { order: total } });
  });
  await socket.dispose();
  expect(log.mock.calls.slice(0, 11)).toEqual([
    ['Asha Rao'],
    [0, person.email],
    [expect.stringMatching(/created/), '99.00'],
    [{ order: expect.objectContaining({ total: '99.00', status: 'confirmed' }) }],
    ['1 of 1'],
    ['Ravi', 1],
    ['99.00'],
    ['continue with', expect.stringMatching(/^\d+$/)],
    [3],
    ['items.0.quantity', expect.any(String)],
    ['A new order'],
  ]);
});
