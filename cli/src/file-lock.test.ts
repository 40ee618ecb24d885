import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../server/testing/chowkd.ts';
import { node } from '../testing/chowk.ts';
import { ExitError, exitCodes } from './exit.ts';
import { withFileLock } from './file-lock.ts';

async function deadProcess(): Promise<number> {
  const child = spawn(node, ['--version'], { stdio: 'ignore' });
  await once(child, 'close');
  return child.pid as number;
}

test('one function runs at a time, and the lock is gone afterwards', async () => {
  const folder = await temporaryFolder();
  let running = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 20 }, () =>
      withFileLock(join(folder, 'lock'), async () => {
        running += 1;
        most = Math.max(most, running);
        await pause(2);
        running -= 1;
      }),
    ),
  );
  expect(most).toBe(1);
  expect(await readdir(folder)).toEqual([]);
});

test('a function that fails releases the lock', async () => {
  const lock = join(await temporaryFolder(), 'lock');
  await expect(withFileLock(lock, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(await withFileLock(lock, async () => 'next')).toBe('next');
});

test('many that find the lock of a dead process take it over one at a time', async () => {
  const folder = await temporaryFolder();
  const lock = join(folder, 'lock');
  const dead = String(await deadProcess());
  for (let round = 0; round < 10; round += 1) {
    await writeFile(lock, dead);
    let running = 0;
    let most = 0;
    const take = () =>
      withFileLock(lock, async () => {
        running += 1;
        most = Math.max(most, running);
        await pause(1);
        running -= 1;
      });
    await Promise.all(Array.from({ length: 10 }, take));
    expect(most).toBe(1);
  }
  expect(await readdir(folder)).toEqual([]);
});

test('a lock that is too old is taken over, although its process id is in use', async () => {
  const folder = await temporaryFolder();
  const lock = join(folder, 'lock');
  const longAgo = new Date(Date.now() - 120_000);
  await writeFile(lock, String(process.ppid));
  await utimes(lock, longAgo, longAgo);
  // The process that removed stale locks died as well.
  await writeFile(`${lock}.stale`, String(await deadProcess()));
  expect(await withFileLock(lock, async () => 'taken')).toBe('taken');
});

test('a lock of a running process, however old, is an error at once where nobody waits for it', async () => {
  const lock = join(await temporaryFolder(), 'lock');
  const longAgo = new Date(Date.now() - 3_600_000);
  await writeFile(lock, String(process.ppid));
  await utimes(lock, longAgo, longAgo);
  const busy = (processId: string) => new ExitError(exitCodes.general, `held by ${processId}`);
  const take = () => withFileLock(lock, async () => 'taken', { busy, staleAfterMs: Number.POSITIVE_INFINITY });
  await expect(take()).rejects.toThrow(`held by ${process.ppid}`);
  await writeFile(lock, String(await deadProcess()));
  expect(await take()).toBe('taken');
});

test('a process that ends while it holds the lock releases it', async () => {
  const folder = await temporaryFolder();
  const script = `
    import { withFileLock } from '${import.meta.dirname}/file-lock.ts';
    await withFileLock('${join(folder, 'lock')}', async () => process.exit(7));`;
  const child = spawn(node, ['--input-type=module', '-e', script], { stdio: 'inherit' });
  expect((await once(child, 'close'))[0]).toBe(7);
  expect(await readdir(folder)).toEqual([]);
});
