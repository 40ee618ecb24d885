import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Db, sql } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { startAccounts } from '../../testing/accounts.ts';
import { archiveFolder, dumpTenant, type FilledTenant, filledTenant, readAllCounters } from '../../testing/archives.ts';
import { startPlatform, uniqueId } from '../../testing/platform.ts';
import { repositoryModules } from '../../testing/repository-modules.ts';
import { storedFiles } from '../../testing/stored-files.ts';
import { testModule } from '../../testing/test-module.ts';
import type { Kernel } from '../kernel.ts';
import type { LoadedModule } from '../loader/load-modules.ts';
import { archiveServices } from '../operator/archive-services.ts';
import type { Session } from '../operator/command.ts';
import { tenantImportCommand } from '../operator/tenant-import.ts';
import { SecretBox } from '../secrets.ts';
import { exportTenant } from './archive-export.ts';
import { cloneTenant, importTenant } from './archive-import.ts';
import { openArchive } from './archive-source.ts';
import { deleteTenant } from './remove-tenant.ts';
import { showTenant } from './tenants.ts';

const platform = await startAccounts();
const { kernel } = platform;
const services = await archiveServices(kernel);
const folder = await archiveFolder();
const newFile = () => join(folder, `${uniqueId()}.zip`);
const secretTables = { webhooks: expect.any(String), message_providers: expect.any(String) };

async function findDatabase({ directory }: Kernel, id: string): Promise<Db> {
  return (await directory.find(id))?.db as Db;
}

test.each([1, 2, 3])('a tenant that is exported, deleted and imported is the same again (seed %i)', async (seed) => {
  const { tenant, owner, webhook, file } = await filledTenant(platform, { size: 20 * seed, seed });
  const path = newFile();
  const before = { content: await dumpTenant(kernel, tenant.id), counters: await readAllCounters(kernel, tenant.id) };
  const { created_at: _, ...summary } = (await showTenant(kernel.central.db, tenant.id)) as { created_at: string };
  expect(await exportTenant(services, tenant.id, path)).toMatchObject({ files: 2, missingFiles: 0 });
  await deleteTenant(services, tenant.id);
  expect(await showTenant(kernel.central.db, tenant.id)).toBeUndefined();
  expect(await importTenant(services, path)).toEqual({ id: tenant.id, reports: [] });
  expect(await dumpTenant(kernel, tenant.id)).toEqual({ ...before.content, ...secretTables });
  expect(await readAllCounters(kernel, tenant.id)).toEqual(before.counters);
  expect(await showTenant(kernel.central.db, tenant.id)).toMatchObject({ ...summary, domains: expect.any(Array) });
  await kernel.signals.waitUntilApplied();
  expect((await owner.get('/api/v1/auth/me')).body).toMatchObject({ role: 'Owner' });
  expect((await owner.get('/api/v1/roles')).body.roles).toContainEqual(
    expect.objectContaining({ name: 'Packer', permissions: ['orders.edit', 'orders.view'] }),
  );
  expect((await owner.get('/api/v1/settings')).body.settings).toMatchObject({ 'general.timezone': 'Europe/Berlin' });
  const db = await findDatabase(kernel, tenant.id);
  const hook = await db.row<{ secret: string; is_active: boolean }>(sql`SELECT secret, is_active FROM webhooks`);
  expect(hook?.is_active).toBe(true);
  expect(tenant.context('webhooks').secrets.open(webhook.id, hook?.secret ?? '')).toBe(webhook.secret);
  const content = await Array.fromAsync(await tenant.context('products').files.read(file));
  expect(Buffer.concat(content as Buffer[]).toString()).toBe('%PDF-1 invoice');
  const created = await owner.post('/api/v1/customers', { first_name: 'New', email: 'new@example.com' });
  expect(created.status).toBe(201);
  const counted = await db.row<{ value: number }>(sql`
    SELECT sum(value)::bigint - (SELECT count(*) FROM products WHERE deleted_at IS NULL) AS value
    FROM counters WHERE name = 'products'`);
  expect(counted?.value).toBe(0);
});

test('an archive holds no secret of the installation and names the sealed columns', async () => {
  const { tenant, webhook, owner } = await filledTenant(platform);
  const path = newFile();
  await exportTenant(services, tenant.id, path);
  const archive = await openArchive(path);
  let text = JSON.stringify(archive.manifest);
  for (const table of archive.manifest.tables) {
    for await (const chunk of archive.rows(table)) text += Buffer.from(chunk).toString();
  }
  await archive.close();
  expect(archive.manifest.sealed).toContainEqual({ table: 'webhooks', columns: ['secret', 'previous_secret'] });
  expect(archive.manifest.omitted).toEqual(expect.arrayContaining(['added_jobs', 'event_deliveries', 'devices']));
  const { password_hash } = (await kernel.central.db.row<{ password_hash: string }>(
    sql`SELECT password_hash FROM users WHERE id = ${owner.id}`,
  )) as { password_hash: string };
  const key = Buffer.alloc(32, 'test');
  for (const secret of [webhook.secret, 'f'.repeat(32), password_hash, key.toString('base64'), key.toString('hex')]) {
    expect(text.includes(secret)).toBe(false);
  }
  expect((await readFile(path)).subarray(0, 2).toString()).toBe('PK');
});

test('on an installation with another key, members are joined by verified address and secrets are not usable', async () => {
  const { tenant, owner, webhook } = await filledTenant(platform);
  const [gone, doubtful] = [await platform.person({ tenant }), await platform.person({ tenant, role: 'Agent' })];
  const path = newFile();
  await exportTenant(services, tenant.id, path);
  const other = await startAccounts({ secrets: new SecretBox(Buffer.alloc(32, 'other')) });
  const db = other.kernel.central.db;
  // The same people have other ids there; the owner's old id is that of a stranger.
  const strangers = await Promise.all(Array.from({ length: 4 }, () => other.person()));
  const joined = await db.row<{ id: number }>(sql`
    INSERT INTO users (name, email, email_verified_at) VALUES ('Asha', ${owner.email}, now()) RETURNING id`);
  await db.run(sql`INSERT INTO users (name, email) VALUES ('Unproven', ${doubtful.email})`);
  const id = uniqueId();
  const { reports } = await importTenant(await archiveServices(other.kernel), path, { id });
  const unknown = 'is not a member: no user has verified this address, or the role does not exist';
  expect(reports.toSorted()).toEqual(
    [
      'message_providers: 1 removed; their secrets cannot be opened with the key of this installation',
      'webhooks: 1 turned off; their secrets cannot be opened with the key of this installation',
      `${gone.email} ${unknown}`,
      `${doubtful.email} ${unknown}`,
    ].toSorted(),
  );
  const members = await db.rows<{ user_id: number }>(sql`SELECT user_id FROM memberships WHERE tenant_id = ${id}`);
  expect(members).toEqual([{ user_id: joined?.id }]);
  const data = await findDatabase(other.kernel, id);
  expect(await data.rows(sql`SELECT DISTINCT user_id FROM notifications`)).toEqual([{ user_id: joined?.id }]);
  const authors = await data.rows<{ user_id: number | null }>(sql`
    SELECT DISTINCT user_id FROM module_bus_audit_log WHERE user_id IS NOT NULL`);
  expect(authors.every(({ user_id }) => user_id === joined?.id)).toBe(true);
  expect(strangers.some((stranger) => authors.some(({ user_id }) => user_id === stranger.id))).toBe(false);
  const hook = await data.row<{ id: string; secret: string; is_active: boolean }>(sql`SELECT * FROM webhooks`);
  expect(hook).toMatchObject({ id: webhook.id, is_active: false });
  const opened = other.kernel.secrets.open('module webhooks', hook?.secret ?? '', `${id} ${webhook.id}`);
  expect(opened).not.toBe(webhook.secret);
  expect((await storedFiles(other.kernel)).filter((name) => name.includes(`/${id}/`))).toHaveLength(2);
});

/** Work of the tenant that is waiting, as a crash could leave it. */
async function addPendingWork({ tenant, owner, webhook }: FilledTenant): Promise<void> {
  await tenant.db.run(sql`
    INSERT INTO event_deliveries (event_id, name, payload, emitted_at, listener, due_at)
    VALUES (gen_random_uuid(), 'order.created', '{}', now(), 'webhooks/queue', 'infinity')`);
  await tenant.db.run(sql`
    INSERT INTO webhook_deliveries (id, webhook_id, event_id, event, status, task_id, started_at, created_at, updated_at)
    VALUES (gen_random_uuid(), ${webhook.id}, gen_random_uuid(), 'order.created', 'pending', gen_random_uuid(),
      now(), now(), now())`);
  await tenant.db.run(sql`
    INSERT INTO messages (id, channel, provider, status, created_at, updated_at)
    VALUES (gen_random_uuid(), 'sms', 'twilio', 'queued', now(), now()),
      (gen_random_uuid(), 'sms', 'twilio', 'sent', now(), now())`);
  await tenant.db.run(sql`
    INSERT INTO notification_digest_items (user_id, notification_id, created_at)
    VALUES (${owner.id}, gen_random_uuid(), now())`);
  await tenant.db.run(sql`
    INSERT INTO devices (id, user_id, session_id, token, platform, created_at, updated_at)
    VALUES (gen_random_uuid(), ${owner.id}, gen_random_uuid(), ${uniqueId()}, 'ios', now(), now())`);
  await tenant.db.run(sql`
    INSERT INTO idempotency_keys (caller, key, request_hash, expires_at) VALUES ('1', 'k', 'h', now() + interval '1 day')`);
}

test('a clone has the same data and sends nothing', async () => {
  const filled = await filledTenant(platform);
  const { tenant, owner } = filled;
  await addPendingWork(filled);
  const [id, before] = [uniqueId(), await dumpTenant(kernel, tenant.id)];
  const { reports } = await cloneTenant(services, tenant.id, { id });
  expect(reports).toEqual([
    'message_providers: 1 removed; a copy sends nothing',
    'webhooks: 1 turned off; a copy sends nothing',
  ]);
  const original = (text: string) => text.replaceAll(`/media/${id}/`, `/media/${tenant.id}/`);
  expect(await dumpTenant(kernel, id, original)).toEqual({ ...before, ...secretTables });
  expect(await dumpTenant(kernel, tenant.id)).toEqual(before);
  const db = await findDatabase(kernel, id);
  const waiting = await db.row(sql`
    SELECT (SELECT count(*) FROM event_deliveries WHERE name <> 'tenant.database_migrated') AS events,
      (SELECT count(*) FROM added_jobs) AS jobs, (SELECT count(*) FROM idempotency_keys) AS keys,
      (SELECT count(*) FROM webhook_deliveries) AS deliveries, (SELECT count(*) FROM devices) AS devices,
      (SELECT count(*) FROM notification_digest_items) AS digests, (SELECT count(*) FROM webhooks WHERE is_active) AS hooks,
      (SELECT count(*) FROM message_providers) AS providers, (SELECT array_agg(status) FROM messages) AS messages`);
  expect(waiting).toEqual({
    events: 0,
    jobs: 0,
    keys: 0,
    deliveries: 0,
    devices: 0,
    digests: 0,
    hooks: 0,
    providers: 0,
    messages: ['sent'],
  });
  await kernel.signals.waitUntilApplied();
  const inClone = { 'x-tenant': id };
  const created = await owner.post('/api/v1/customers', { first_name: 'New', email: 'n@example.com' }, inClone);
  expect(created.status).toBe(201);
  const url = (
    await db.row<{ url: string }>(
      sql`SELECT images->0->>'url' AS url FROM products WHERE images <> '[]' ORDER BY id LIMIT 1`,
    )
  )?.url as string;
  expect(url).toMatch(new RegExp(`^/media/${id}/`));
  expect((await platform.request({ url })).status).toBe(200);
});

/** The module `notes` in one of its versions: the second one has another migration and other rules for archives. */
async function withNotes(version: 1 | 2): Promise<LoadedModule[]> {
  const notes = testModule({ alias: 'notes' });
  const migrations = [
    'CREATE TABLE notes (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, text text NOT NULL); CREATE TABLE drafts (id int)',
    'ALTER TABLE notes ADD COLUMN length integer, ADD COLUMN images jsonb; UPDATE notes SET length = length(text)',
  ].slice(0, version);
  const data: LoadedModule['manifest']['data'] = {
    notes: version === 2 ? { file_urls: ['images'] } : {},
    drafts: version === 2 ? { omit: true } : {},
  };
  const files = migrations.map((text, index) => ({ name: `000${index + 1}_notes.sql`, text, checksum: text }));
  return [
    ...(await repositoryModules('identity', 'administration')),
    { ...notes, manifest: { ...notes.manifest, data }, migrations: { owner: 'notes', migrations: files } },
  ];
}

test('an archive of an older version is brought up to date, one of a newer version is refused', async () => {
  const [older, newer] = [
    await startPlatform({ modules: await withNotes(1) }),
    await startPlatform({ modules: await withNotes(2) }),
  ];
  const [olderParts, newerParts] = [await archiveServices(older.kernel), await archiveServices(newer.kernel)];
  const [from, to, path, back] = [await older.tenant(), uniqueId(), newFile(), newFile()];
  await from.db.run(sql`INSERT INTO notes (text) VALUES ('one'), ('three')`);
  await from.db.run(sql`INSERT INTO drafts VALUES (1)`);
  await exportTenant(olderParts, from.id, path);
  await importTenant(newerParts, path, { id: to });
  const db = await findDatabase(newer.kernel, to);
  await db.run(sql`INSERT INTO notes (text) VALUES ('new')`);
  expect(await db.rows(sql`SELECT id, text, length FROM notes ORDER BY id`)).toEqual([
    { id: 1, text: 'one', length: 3 },
    { id: 2, text: 'three', length: 5 },
    { id: 3, text: 'new', length: null },
  ]);
  expect(await db.rows(sql`SELECT id FROM drafts`)).toEqual([]);
  await exportTenant(newerParts, to, back);
  await expect(importTenant(olderParts, back, { id: uniqueId() })).rejects.toThrow(
    'this installation does not have its migrations notes/0002_notes.sql; update it or add their modules',
  );
});

test('an operator names the owner of an imported tenant and sees the progress', async () => {
  const { tenant } = await filledTenant(platform);
  const [path, id, ravi] = [newFile(), uniqueId(), await platform.person()];
  await exportTenant(services, tenant.id, path);
  const [said, progress]: [string[], string[]] = [[], []];
  const session: Session = {
    config: kernel.config,
    environment: {},
    kernel: async () => kernel,
    table() {},
    ask: async () => undefined,
    bootOn: async () => kernel,
    say: (line) => void said.push(line),
    progress: (line) => void progress.push(line),
  };
  await tenantImportCommand.run(session, { positionals: [path], options: { id, owner: ravi.email } });
  expect(said).toEqual([
    `Imported ${id}.`,
    `${ravi.email} has an account and gets a mail with a link to agree to own it.`,
  ]);
  expect(progress[0]).toMatch(/^ {2}\d+\/\d+ \w+: [\d,]+ rows$/);
  const token = /invitations\/([\w-]+)/.exec((await platform.mailTo(ravi.email, /^Do you want to own/)).text)?.[1];
  expect((await ravi.post(`/api/v1/invitations/${token}/accept`)).status).toBe(200);
  expect((await ravi.get('/api/v1/auth/me', { 'x-tenant': id })).body.role).toBe('Owner');
});

test('a failed import or export leaves nothing', async () => {
  const { tenant } = await filledTenant(platform);
  const path = newFile();
  const fail = async () => {
    throw new Error('the storage is full');
  };
  const removeTenant = (id: string) => services.files.removeTenant(id);
  const failing = { ...services, files: { readContent: fail, writeContent: fail, removeTenant } };
  await expect(exportTenant(failing, tenant.id, path)).rejects.toThrow('the storage is full');
  expect((await readdir(folder)).filter((name) => path.endsWith(name) || name.endsWith('.partial'))).toEqual([]);
  await exportTenant(services, tenant.id, path);
  const id = uniqueId();
  await expect(importTenant(failing, path, { id })).rejects.toThrow('the storage is full');
  expect(await kernel.central.db.row(sql`SELECT FROM tenants WHERE id = ${id}`)).toBeUndefined();
  expect(await kernel.databases.exists(`tenant${id}`)).toBe(false);
  expect(await importTenant(services, path, { id })).toMatchObject({ id });
  await expect(importTenant(services, path, { id })).rejects.toMatchObject({
    extras: { errors: { id: expect.anything() } },
  });
});

test('a tenant with 100,000 large rows is exported in little memory', async () => {
  const [tenant, path] = [await platform.tenant(), newFile()];
  await tenant.db.run(sql`
    INSERT INTO module_bus_audit_log (id, at, transport, action, resource, outcome, request_id, duration_ms, input)
    SELECT gen_random_uuid(), now(), 'rest', 'x', 'x', 'ok', n::text, 1, jsonb_build_object('text', repeat('x', 2000))
    FROM generate_series(1, 100000) AS n`);
  const used = () => process.memoryUsage().heapUsed + process.memoryUsage().external;
  const before = used();
  let peak = before;
  const sampling = setInterval(() => {
    peak = Math.max(peak, used());
  }, 5);
  expect((await exportTenant(services, tenant.id, path)).rows).toBeGreaterThanOrEqual(100_000);
  clearInterval(sampling);
  // The rows have more than 200 MB; what is counted includes garbage.
  expect((peak - before) / 1_048_576).toBeLessThan(150);
});
