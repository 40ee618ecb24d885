import { sql } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { startPlatform } from '../../testing/platform.ts';
import { testSecrets } from '../../testing/test-config.ts';
import { SecretBox } from '../secrets.ts';
import { claimKey } from './installation-key.ts';

const { central } = (await startPlatform()).kernel;
const [first, second, third] = ['first', 'second', 'third'].map((name) => Buffer.alloc(32, name)) as [
  Buffer,
  Buffer,
  Buffer,
];
const limits = { connectTimeoutMs: 5_000, queryTimeoutMs: 5_000 };
const start = (current: Buffer, ...previous: Buffer[]) =>
  claimKey(central, limits, new SecretBox(current, ...previous).keyIds);
const refusal = /^this process has another key than the installation: .*APP_KEY.*APP_PREVIOUS_KEY$/;

test('a platform records the key of its first process', async () => {
  expect(await central.db.row(sql`SELECT key_id FROM installation`)).toEqual({ key_id: testSecrets.keyIds[0] });
});

test('of processes with different keys that start at once, one is accepted', async () => {
  await central.db.run(sql`UPDATE installation SET key_id = NULL`);
  const starts = await Promise.allSettled([start(first), start(second), start(third)]);
  expect(starts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('a process with another key is refused, unless it has the old one as the previous key', async () => {
  await central.db.run(sql`UPDATE installation SET key_id = NULL`);
  await start(first);
  await start(first);
  await expect(start(second)).rejects.toThrow(refusal);
  await expect(start(second, third)).rejects.toThrow(refusal);
  await start(second, first);
  await start(second);
  await expect(start(first)).rejects.toThrow(refusal);
});
