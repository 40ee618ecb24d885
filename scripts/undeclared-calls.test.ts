import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { undeclaredCalls } from './undeclared-calls.ts';

const manifest = {
  name: 'Notes',
  alias: 'notes',
  version: '1.0.0',
  description: 'Keeps notes.',
  compatibility: { platform: '^1.0.0' },
};

const comments = `/** ctx.bus.call('orders.list', …) */\n  // ctx.bus.call('orders.list', …)\n`;

test('a call of an operation that the module does not declare is found', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'chowk-calls-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'notes/parts'), { recursive: true });
  const declare = (consumes: unknown[]) =>
    writeFile(join(folder, 'notes/module.json'), JSON.stringify({ ...manifest, api: { consumes } }));
  await writeFile(join(folder, 'notes/parts/orders.ts'), `${comments}tx.bus.call(\n  'orders.get',\n  { id },\n);`);
  await writeFile(join(folder, 'notes/parts/orders.test.ts'), `ctx.bus.call('orders.list', {});`);
  await declare([]);
  expect(await undeclaredCalls(folder)).toEqual([
    expect.stringMatching(/notes\/parts\/orders\.ts calls orders\.get; add it to api\.consumes/),
  ]);
  for (const entry of ['orders.get', { operation: 'orders.get', permission: 'notes.view' }]) {
    await declare([entry]);
    expect(await undeclaredCalls(folder)).toEqual([]);
  }
});
