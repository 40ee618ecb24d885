import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sql } from '@chowk/kit/kernel';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { temporaryFolder } from '../../testing/chowkd.ts';
import { startPlatform } from '../../testing/platform.ts';
import { onSeparateConnection } from '../../testing/scratch-database.ts';
import { openDatabase } from '../db/database.ts';
import { FileStore } from '../files/file-store.ts';
import type { Kernel } from '../kernel.ts';
import { inParallel } from './in-parallel.ts';
import { findSchemaDifferences } from './schema-differences.ts';
import { findExpiringCertificates, findServiceProblems } from './service-problems.ts';

const platform = await startPlatform();
const { kernel } = platform;
const { central } = kernel;
afterEach(() => void vi.useRealTimers());

const problems = async (changes: Partial<Kernel> = {}) =>
  (await findServiceProblems({ ...kernel, ...changes })).map(({ problem, subject }) => `${problem}: ${subject}`);

test('services that work have no problems', async () => {
  expect(await problems()).toEqual([]);
});

test('jobs that have failed permanently are reported', async () => {
  await kernel.jobs.addDead({ job: 'test.job', tenant: 'acme', data: {}, requestId: 'x' }, 'default', 'refused');
  expect(await problems()).toEqual(['failed jobs: 1, the first is test.job of acme: refused']);
  await central.db.run(sql`DELETE FROM pgboss.job`);
});

test('a bucket that cannot be reached is reported', async () => {
  const config = { ...kernel.config, objectStorageUrl: 's3://key:secret@127.0.0.1:1/bucket?tls=false' };
  const { log, now, secrets } = kernel;
  const files = new FileStore({ config, central: central.db, findDatabase: async () => undefined, secrets, now, log });
  expect(await problems({ config, files })).toEqual([expect.stringMatching(/^files cannot be stored: .*ECONNREFUSED/)]);
});

test('a clock that differs from that of a database server is reported', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 120_000 });
  expect(await problems()).toEqual([
    expect.stringMatching(/^unsuitable database server: main: the clock of this machine is 1\d\d seconds ahead of/),
  ]);
});

test('a read-only server and a missing folder are reported', async () => {
  const database = `${central.database}_fenced`;
  await onSeparateConnection('postgres', async (connection) => {
    await connection.script(`CREATE DATABASE ${database}`);
    await connection.script(`ALTER DATABASE ${database} SET default_transaction_read_only = on`);
  });
  onTestFinished(() =>
    onSeparateConnection('postgres', async (connection) => {
      await connection.script(`DROP DATABASE ${database} WITH (FORCE)`);
    }),
  );
  const [main] = central.servers;
  const db = openDatabase(kernel.budget, { address: main.address, database, central: false });
  const storagePath = await temporaryFolder();
  await rm(storagePath, { recursive: true });
  const servers = [main, { ...main, name: 'east', db }] as const;
  const config = { ...kernel.config, storagePath };
  expect(await problems({ config, central: { ...central, servers } })).toEqual([
    'read-only: east',
    'no folder: STORAGE_PATH',
  ]);
});

test('a tenant whose schema was changed by hand is reported', async () => {
  const [acme] = [await platform.tenant(), await platform.tenant()];
  expect(await findSchemaDifferences(kernel)).toEqual([]);
  await acme.db.run(sql`CREATE INDEX by_hand ON event_log (position)`);
  expect(await findSchemaDifferences(kernel)).toMatchObject([
    { problem: 'schema differs', subject: expect.stringMatching(`^${acme.id}: index CREATE INDEX by_hand`) },
  ]);
});

test('a certificate is reported two weeks before it expires', async () => {
  const file = join(await temporaryFolder(), 'certificate.pem');
  const options = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '30'];
  await promisify(execFile)('openssl', ['req', ...options, '-subj', '/CN=x', '-keyout', `${file}.key`, '-out', file]);
  const after = async (days: number) =>
    (
      await findExpiringCertificates({ inboundSmtpCertificate: file }, new Date(Date.now() + days * 24 * 3_600_000))
    ).map(({ problem }) => problem);
  expect(await after(0)).toEqual([]);
  expect(await after(17)).toEqual(['certificate expires soon']);
  expect(await after(31)).toEqual(['expired certificate']);
});

test('work for many tenants runs four at a time, in order', async () => {
  let [running, most] = [0, 0];
  const results = await inParallel([1, 2, 3, 4, 5, 6, 7, 8, 9], async (item) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise(setImmediate);
    running -= 1;
    return item * 2;
  });
  expect({ results, most }).toEqual({ results: [2, 4, 6, 8, 10, 12, 14, 16, 18], most: 4 });
});
