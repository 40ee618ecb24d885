import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { sql } from '@chowk/kit/kernel';
import { afterAll, expect, test } from 'vitest';
import { startAccounts } from '../../testing/accounts.ts';
import { backupServices } from '../operator/backup-services.ts';
import { readLastRuns } from './backup-runs.ts';
import { BackupUnderWay, backUpPlatform, type CreatedBackup } from './create-backup.ts';
import { verifyBackup } from './verify-backup.ts';

const folder = await mkdtemp(join(tmpdir(), 'chowk-killed-'));
afterAll(() => rm(folder, { recursive: true, force: true }));
const environment = {
  APP_KEY: Buffer.alloc(32, 'test').toString('base64'),
  BACKUP_PATH: folder,
  BACKUP_KEY: 'a-passphrase-of-the-operator',
};
const platform = await startAccounts({ environment });
const { kernel } = platform;
const { central } = kernel;
const tenant = await platform.tenant();
const ctx = tenant.context('products');
const large = Buffer.alloc(5_000_000, 'content');
const { id } = await ctx.files.keep(await ctx.files.write(large, { type: 'application/pdf' }));
const services = await backupServices(kernel);

/** Runs a backup in a process that kills itself. */
async function killAt(moment: string): Promise<void> {
  const { host, port, user, password } = central.address;
  const url = `postgres://${user}:${encodeURIComponent(password ?? '')}@127.0.0.1:${port}/${central.database}`;
  const program = resolve(import.meta.dirname, '../../testing/backup-process.ts');
  const child = spawn(process.execPath, [program, moment], {
    env: {
      ...process.env,
      ...environment,
      APP_ENV: 'testing',
      SPARE_DATABASES: '0',
      DATABASE_URL: url,
      PGHOST: host,
      STORAGE_PATH: kernel.config.storagePath,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
}

/** PostgreSQL notices within seconds that the process is gone. */
async function backUp(): Promise<CreatedBackup> {
  for (;;) {
    try {
      return await backUpPlatform(services);
    } catch (error) {
      if (!(error instanceof BackupUnderWay)) throw error;
      await new Promise((done) => setTimeout(done, 200));
    }
  }
}

test.each(['file', 'manifest'])(
  'a backup that is killed at its %s is not listed, and the next one is good',
  async (moment) => {
    const before = await services.store.listIds();
    await killAt(moment);
    expect(await services.store.listIds()).toEqual(before);
    const { backup } = await readLastRuns(central.db);
    expect(backup === null).toBe(before.length === 0);
    const { manifest } = await backUp();
    const verification = { store: services.store, scratch: `${folder}-scratch`, onProgress() {} };
    expect(await verifyBackup(verification, manifest)).toEqual([]);
    expect(manifest.tenants).toMatchObject([{ id: tenant.id, files: { count: 1, total_bytes: large.length } }]);
    // Nothing readable is left on this machine.
    expect(await readdir(services.scratch)).toEqual([]);
    await ctx.files.remove(id).catch(() => {});
    await tenant.db.run(sql`DELETE FROM stored_files`);
    await ctx.files.keep(await ctx.files.write(large, { type: 'application/pdf' }));
  },
);

test('a large file is backed up and read again in little memory', async () => {
  const size = 400 * 1_048_576;
  const block = Buffer.alloc(1_048_576, 'large');
  async function* content() {
    for (let at = 0; at < size; at += block.length) yield block;
  }
  const used = () => process.memoryUsage().heapUsed + process.memoryUsage().external;
  const before = used();
  let peak = before;
  const sampling = setInterval(() => {
    peak = Math.max(peak, used());
  }, 5);
  const { store } = services;
  await store.write('files/large', size, content());
  let length = 0;
  for await (const chunk of store.read('files/large')) length += chunk.length;
  clearInterval(sampling);
  expect(length).toBe(size);
  // What is counted includes garbage.
  expect((peak - before) / 1_048_576).toBeLessThan(200);
});
