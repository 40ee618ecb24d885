import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readdir, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { seedRoles } from '../../modules/identity/accounts/seed.ts';
import { boot } from '../src/boot.ts';
import { openEmbedded } from '../src/db/embedded/embedded-server.ts';
import type { ServerAddress } from '../src/db/server-address.ts';
import { buildConsole } from '../src/http/console-files.ts';
import { needsConsole } from './needs-console.ts';
import { silent } from './silent-log.ts';
import { testConfig, testSecrets } from './test-config.ts';

declare module 'vitest' {
  interface ProvidedContext {
    server: ServerAddress;
    /** A migrated central database with a tenant template, to be copied. */
    centralTemplate: string;
    /** A key pair for access tokens; generating one is slow. */
    signingKey: string;
  }
}

/** One PostgreSQL server for the whole run, without fsync. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Once, before several processes need it at the same time.
  const console = needsConsole(process.argv.slice(2)) ? buildConsole(AbortSignal.any([])) : undefined;
  const parent = await chooseFolder();
  await removeLeftovers(parent);
  const storagePath = await mkdtemp(join(parent, `${prefix}${process.pid}-`));
  const settings = {
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    max_connections: '400',
    // Autovacuum would open each of the hundreds of databases once a minute.
    autovacuum: 'off',
    // Each CREATE DATABASE scans all buffers several times; the default is a share of the machine's memory.
    shared_buffers: '128MB',
  };
  const server = await openEmbedded({ storagePath, onProgress: () => {}, settings });
  const centralTemplate = 'central_template';
  const address = server.address;
  await prepareTemplate(address, centralTemplate);
  project.provide('server', address);
  project.provide('centralTemplate', centralTemplate);
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  project.provide('signingKey', privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
  await console;
  return async () => {
    await server.close();
    // Node's own `rm` takes ten times as long for so many files.
    await promisify(execFile)('rm', ['-rf', storagePath]);
  };
}

const prefix = 'chowk-test-';

/** Runs that were killed leave gigabytes in memory. */
async function removeLeftovers(parent: string): Promise<void> {
  const left = (await readdir(parent)).filter((name) => {
    const [, pid] = /^chowk-test-(\d+)-/.exec(name) ?? [];
    return pid !== undefined && !isRunning(Number(pid));
  });
  await promisify(execFile)('rm', ['-rf', ...left.map((name) => join(parent, name))]);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Another user's process is running too.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** In memory if there is enough: a few hundred databases are a hundred thousand files. */
async function chooseFolder(): Promise<string> {
  const memory = await statfs('/dev/shm').catch(() => undefined);
  return memory && memory.bavail * memory.bsize > 6 * 2 ** 30 ? '/dev/shm' : tmpdir();
}

async function prepareTemplate(address: ServerAddress, name: string): Promise<void> {
  const { withConnection } = await import('../src/db/connection.ts');
  const limits = { connectTimeoutMs: 5_000, queryTimeoutMs: 30_000 };
  await withConnection(address, 'postgres', limits, (connection) => connection.script(`CREATE DATABASE ${name}`));
  const server = { address, centralDatabase: name, embedded: false, close: async () => {} };
  const kernel = await boot({ config: testConfig(), log: silent, server, secrets: testSecrets });
  await seedRoles(kernel.central.db, kernel.services.permissions);
  await kernel.services.seed(kernel.central.db);
  await kernel.databases.ensureTemplate();
  // Creates the tables and queues of the jobs.
  await kernel.jobs.start();
  await kernel.close();
}
