import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { runLimited } from './limited-process.ts';

async function run(code: string, { maxSeconds = 20, maxMegabytes = 1_000, input = '' } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'chowk-limited-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const program = join(folder, 'program.mjs');
  await writeFile(program, code);
  return runLimited(program, {
    args: ['a', 'b'],
    input: Readable.from([Buffer.from(input)]),
    maxSeconds,
    maxMegabytes,
  });
}

test('the program gets its arguments and its input, but no secrets, and its message is the result', async () => {
  process.env.CHOWK_SECRET = 'secret';
  onTestFinished(() => void delete process.env.CHOWK_SECRET);
  const code = `
    import { text } from 'node:stream/consumers';
    const input = await text(process.stdin);
    process.send({ args: process.argv.slice(2), input, secret: process.env.CHOWK_SECRET ?? null, data: Buffer.from('x') });`;
  const result = await run(code, { input: 'hello' });
  expect(result).toEqual({ args: ['a', 'b'], input: 'hello', secret: null, data: expect.any(Uint8Array) });
});

test.each([
  ['takes too much time', 'for (;;);', { maxSeconds: 1 }],
  ['waits for too long', 'setInterval(() => {}, 1_000);', { maxSeconds: 1 }],
  ['ends without a message', 'process.exit();', {}],
  ['ends without reading its input', 'process.exit();', { input: 'x'.repeat(1_000_000) }],
])('a program that %s has no result', async (_, code, options) => {
  expect(await run(code, options)).toBeUndefined();
});

test.runIf(process.platform === 'linux')('a program that takes too much memory has no result', async () => {
  const allocate = (megabytes: number) => `
    const data = [];
    for (let n = 0; n < ${megabytes / 10}; n += 1) data.push(Buffer.alloc(10_000_000, 1));
    process.send(data.length);`;
  expect(await run(allocate(300), { maxMegabytes: 1_000 })).toBe(30);
  expect(await run(allocate(2_000), { maxMegabytes: 1_000 })).toBeUndefined();
});
