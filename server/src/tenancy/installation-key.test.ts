import { sql } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { startPlatform } from '../../testing/platform.ts';
import { testSecrets } from '../../testing/test-config.ts';
import { SecretBox } from '../secrets.ts';
import { claimKey, retireKeys } from './installation-key.ts';

const { central } = (await startPlatform()).kernel;
const [first, second, third] = ['first', 'second', 'third'].map((name) => Buffer.alloc(32, name)) as [
  Buffer,
  Buffer,
  Buffer,
];
const limits = { connectTimeoutMs: 5_000, queryTimeoutMs: 5_000 };
const start = (current: Buffer, ...previous: Buffer[]) =>
  claimKey(central, limits, new SecretBox(current, ...previous).keyIds);
const refusal = /^this process has another key than the installation: .*APP_KEY.*APP_PREVIOUS_KEYS$/;
const keyIds = (...keys: Buffer[]) => keys.map((key) => new SecretBox(key).keyIds[0] as string);
const [firstId] = keyIds(first);

async function forgetKeys(): Promise<void> {
  await central.db.run(sql`UPDATE installation SET key_id = NULL`);
  await central.db.run(sql`DELETE FROM sealing_keys`);
}

test('a platform records the key of its first process', async () => {
  expect(await central.db.row(sql`SELECT key_id FROM installation`)).toEqual({ key_id: testSecrets.keyIds[0] });
});

test('of processes with different keys that start at once, one is accepted', async () => {
  await forgetKeys();
  const starts = await Promise.allSettled([start(first), start(second), start(third)]);
  expect(starts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('a process with another key is refused, unless it has the old one as a previous key', async () => {
  await forgetKeys();
  await start(first);
  await start(first);
  await expect(start(second)).rejects.toThrow(refusal);
  await expect(start(second, third)).rejects.toThrow(refusal);
  await start(second, first);
  await expect(start(first)).rejects.toThrow(refusal);
});

test('after two rotations, a process needs both previous keys until everything is encrypted with the current one', async () => {
  await forgetKeys();
  await start(first);
  await start(second, first);
  const missing = new RegExp(`^secrets are encrypted with a key .*${firstId}.*APP_PREVIOUS_KEYS.*keys:reencrypt`);
  await expect(start(second)).rejects.toThrow(missing);
  await expect(start(third, second)).rejects.toThrow(missing);
  await start(third, second, first);
  await retireKeys(central.db, keyIds(third, second, first));
  await start(third);
  await expect(start(second)).rejects.toThrow(refusal);
});
