import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from '@chowk/kit/kernel';
import { afterAll, expect, test } from 'vitest';
import { type Person, startAccounts } from '../../testing/accounts.ts';
import { filledTenant } from '../../testing/archives.ts';
import { storedFiles } from '../../testing/stored-files.ts';
import { backupServices } from '../operator/backup-services.ts';
import type { Session } from '../operator/command.ts';
import { tenantRestoreCommand } from '../operator/tenant-restore.ts';
import { findProblems } from '../tenancy/doctor.ts';
import { BackupStore } from './backup-store.ts';
import { backUpPlatform } from './create-backup.ts';
import { folderStore } from './object-store.ts';
import { rehearseRestore } from './rehearse-restore.ts';
import { findTenant } from './tenant-source.ts';
import { verifyBackup } from './verify-backup.ts';

const folder = await mkdtemp(join(tmpdir(), 'chowk-backup-'));
afterAll(() => rm(folder, { recursive: true, force: true }));
const passphrase = 'a passphrase of the operator'.replaceAll(' ', '-');
const platform = await startAccounts({
  environment: {
    APP_KEY: Buffer.alloc(32, 'test').toString('base64'),
    BACKUP_PATH: folder,
    BACKUP_KEY: passphrase,
    BACKUP_KEEP: '2',
    RATE_LIMIT_PER_MINUTE: '1000000',
  },
});
const { kernel } = platform;
const services = await backupServices(kernel);
const { store } = services;
const acme = await filledTenant(platform, { size: 10 });
const neighbour = await platform.tenant();
const neighbourOwner = await platform.person({ tenant: neighbour });
const verification = { store, scratch: join(folder, '..', `${folder}-scratch`), onProgress() {} };

const addCustomer = async (person: Person, email: string) =>
  expect((await person.post('/api/v1/customers', { first_name: 'Asha', email })).status).toBe(201);
const countCustomers = async (person: Person): Promise<number> =>
  (await person.get('/api/v1/customers?per_page=1')).body.pagination.total;

async function listObjects(): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .sort();
}

/** Runs the command in this process. Returns its output. */
async function restore(id: string, backup: string): Promise<string> {
  const lines: string[] = [];
  const say = (line: string) => lines.push(line);
  const session = { kernel: async () => kernel, say, progress() {}, table() {} } as unknown as Session;
  await tenantRestoreCommand.run(session, { positionals: [id], options: { backup, yes: id } });
  return lines.join('\n');
}

test('a tenant is restored from a backup with its files while others are written to', async () => {
  const { tenant, owner, file } = acme;
  const ctx = tenant.context('products');
  const before = await countCustomers(owner);
  const { manifest } = await backUpPlatform(services);
  await addCustomer(owner, 'later@example.com');
  await ctx.files.remove(file);
  expect((await storedFiles(kernel)).filter((path) => path.endsWith(file))).toEqual([]);
  const { body: client } = await owner.post('/api/v1/api-clients', {
    name: 'ERP',
    scopes: ['customers.view'],
    password: owner.password,
  });

  let isWriting = true;
  const write = async () => {
    let written = 0;
    for (; isWriting; written += 1) await addCustomer(neighbourOwner, `w${written}@example.com`);
    return written;
  };
  const writer = write();
  const output = await restore(tenant.id, manifest.id);
  isWriting = false;
  expect(output).toMatch(/Backed up \S+ as \S+ before[\s\S]*Its data from before is in the database kept_/);
  const written = await writer;
  expect(await countCustomers(neighbourOwner)).toBe(written);
  expect(await countCustomers(owner)).toBe(before);
  const content = await (await kernel.directory.find(tenant.id))?.db.row(
    sql`SELECT FROM stored_files WHERE id = ${file}`,
  );
  expect(content).toEqual({});
  const restored = (await storedFiles(kernel)).find((path) => path.endsWith(file)) ?? '';
  expect(await readFile(join(kernel.config.storagePath, restored), 'utf8')).toBe('%PDF-1 invoice');
  // The client was made after the backup: what is in the central database stays.
  expect((await owner.get(`/api/v1/api-clients/${client.api_client.id}`)).status).toBe(200);

  // The safety backup has what the restore replaced.
  const safety = / as (\S+) before/.exec(output)?.[1] ?? '';
  await restore(tenant.id, safety);
  expect(await countCustomers(owner)).toBe(before + 1);
  await restore(tenant.id, manifest.id);
});

test('a message that waited at the time of the backup is not sent again after a restore', async () => {
  const tenant = await platform.tenant();
  const countQueued = async () =>
    (await kernel.directory.find(tenant.id))?.db.row<{ count: number }>(
      sql`SELECT count(*) FROM messages WHERE status = 'queued'`,
    );
  await tenant.db.run(sql`
    INSERT INTO messages (id, channel, provider, recipient, body, status, created_at, updated_at)
    VALUES (gen_random_uuid(), 'sms', 'log', '+4915112345678', 'Hello', 'queued', now(), now())`);
  const { manifest } = await backUpPlatform(services);
  expect(await countQueued()).toEqual({ count: 1 });
  await restore(tenant.id, manifest.id);
  expect(await countQueued()).toEqual({ count: 0 });
});

test('a second backup of what has not changed writes almost nothing, and old ones are removed with their objects', async () => {
  const tenant = await platform.tenant();
  const owner = await platform.person({ tenant });
  const content = Buffer.alloc(3_000_000, 'large');
  const ctx = tenant.context('products');
  const kept = await ctx.files.keep(await ctx.files.write(content, { type: 'application/pdf' }));
  // The events of earlier tests.
  for (const { id } of [acme.tenant, neighbour]) {
    const waiting = async () => (await kernel.directory.find(id))?.db.rows(sql`SELECT name FROM event_deliveries`);
    await expect.poll(waiting, { timeout: 30_000 }).toEqual([]);
  }
  const first = await backUpPlatform(services);
  expect(first.written).toBeGreaterThan(content.length);
  const second = await backUpPlatform(services);
  // The central database, and tenants whose log has grown.
  expect(second.written).toBeLessThan(content.length / 5);
  const archiveOf = ({ manifest }: typeof first, id: string) => findTenant(manifest, id).archive.object;
  expect(archiveOf(second, neighbour.id)).toBe(archiveOf(first, neighbour.id));
  await addCustomer(owner, 'changed@example.com');
  const third = await backUpPlatform(services);
  expect(archiveOf(third, tenant.id)).not.toBe(archiveOf(second, tenant.id));

  await ctx.files.remove(kept.id);
  const fourth = await backUpPlatform(services);
  const fifth = await backUpPlatform(services);
  expect(await store.listIds()).toEqual([fifth.manifest.id, fourth.manifest.id]);
  expect((await listObjects()).filter((name) => name.includes(kept.id))).toEqual([]);
  expect(await verifyBackup(verification, fourth.manifest)).toEqual([]);
  expect(await verifyBackup(verification, fifth.manifest)).toEqual([]);
});

test('a restore is rehearsed in another database, which is dropped', async () => {
  const { manifest } = await backUpPlatform(services);
  const { tenant } = acme;
  const result = await rehearseRestore(services, manifest, findTenant(manifest, tenant.id));
  expect(result).toMatchObject({ tenant: tenant.id, files: 2 });
  expect(result.rows).toBeGreaterThan(100);
  const left = await kernel.central.db.rows(
    sql`SELECT datname FROM pg_database WHERE datname LIKE ${`rehearsal_${tenant.id}%`}`,
  );
  expect(left).toEqual([]);
  expect(
    (await findProblems(kernel.central, kernel.databases)).filter(({ subject }) => /rehearsal/.test(subject)),
  ).toEqual([]);
});

test('an object that was changed, cut, or swapped with another is found, and a restore from it changes nothing', async () => {
  const { owner, tenant } = acme;
  const { manifest } = await backUpPlatform(services);
  const { archive, files } = findTenant(manifest, tenant.id);
  const path = join(folder, archive.object);
  const original = await readFile(path);
  const before = await countCustomers(owner);
  const damage = {
    changed: Buffer.from(original.map((byte, index) => (index === Math.floor(original.length / 2) ? byte ^ 1 : byte))),
    cut: original.subarray(0, -20),
    swapped: await readFile(join(folder, files.object)),
    extended: Buffer.concat([original, Buffer.alloc(16)]),
  };
  for (const [how, content] of Object.entries(damage)) {
    await writeFile(path, content);
    expect([how, await verifyBackup(verification, manifest)]).toEqual([
      how,
      [{ object: archive.object, problem: expect.stringMatching(/damaged|truncated/) }],
    ]);
    await expect(restore(tenant.id, manifest.id)).rejects.toThrow(/is damaged|is truncated/);
  }
  await writeFile(path, original);
  const [file = 'none'] = (await listObjects()).filter((name) => name.startsWith(`files/private/tenants/${tenant.id}`));
  await rm(join(folder, file));
  expect(await verifyBackup(verification, manifest)).toEqual([
    { object: file, problem: expect.stringContaining('is missing') },
  ]);
  expect(await countCustomers(owner)).toBe(before);
  // The next backup stores it again.
  const { manifest: next } = await backUpPlatform(services);
  expect(await verifyBackup(verification, next)).toEqual([]);
});

test('another passphrase opens nothing, and nothing readable is in the place', async () => {
  await expect(BackupStore.open(folderStore(folder), 'another-passphrase')).rejects.toThrow(
    'BACKUP_KEY is not the one that the backups in',
  );
  for (const name of await listObjects()) {
    const content = await readFile(join(folder, name));
    expect([name, content.includes('example.com'), content.includes('%PDF')]).toEqual([name, false, false]);
    expect((await stat(join(folder, name))).mode & 0o077).toBe(0);
  }
});

test('backups exclude each other', async () => {
  const [one, other] = await Promise.allSettled([backUpPlatform(services), backUpPlatform(services)]);
  const failures = [one, other].filter(({ status }) => status === 'rejected');
  expect(failures).toMatchObject([{ reason: { message: 'another backup is under way' } }]);
});
