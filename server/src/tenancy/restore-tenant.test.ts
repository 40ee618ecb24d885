import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from '@chowk/kit/kernel';
import sharp from 'sharp';
import { afterAll, expect, inject, onTestFinished, test, vi } from 'vitest';
import { type Person, startAccounts } from '../../testing/accounts.ts';
import { eventually } from '../../testing/eventually.ts';
import { filePart, formRequest } from '../../testing/form-body.ts';
import { type TestTenant, uniqueId } from '../../testing/platform.ts';
import { onSeparateConnection } from '../../testing/scratch-database.ts';
import { archiveServices } from '../operator/archive-services.ts';
import type { Session } from '../operator/command.ts';
import { tenantRestoreCommand } from '../operator/tenant-restore.ts';
import { exportTenant } from './archive-export.ts';
import { importTenant } from './archive-import.ts';
import { deleteTenant } from './remove-tenant.ts';
import {
  activateTenant,
  addRandomDomain,
  createTenant,
  ensureDatabase,
  ensureDomain,
  reserveTenant,
} from './tenants.ts';

const platform = await startAccounts({ environment: { RATE_LIMIT_PER_MINUTE: '1000000' } });
const second = await startAccounts({ sharedWith: platform });
const { kernel } = platform;
const { central } = kernel;
const folder = await mkdtemp(join(tmpdir(), 'chowk-restore-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

const emails = async (person: Person): Promise<string[]> =>
  (await person.get('/api/v1/customers?per_page=100')).body.customers
    .map(({ email }: { email: string }) => email)
    .sort();
const addCustomer = async (person: Person, email: string) =>
  expect((await person.post('/api/v1/customers', { first_name: 'Asha', email })).status).toBe(201);

async function databaseName({ id }: TestTenant): Promise<string> {
  const row = await central.db.row<{ name: string }>(sql`SELECT database_name AS name FROM tenants WHERE id = ${id}`);
  return row?.name ?? '';
}

/** Runs the command in this process. Returns its output. */
async function restore(tenant: TestTenant, from: string, yes = tenant.id): Promise<string> {
  const lines: string[] = [];
  const say = (line: string) => lines.push(line);
  const session = { kernel: async () => kernel, say, progress() {}, table() {} } as unknown as Session;
  await tenantRestoreCommand.run(session, { positionals: [tenant.id], options: { from, yes } });
  return lines.join('\n');
}

async function shop() {
  const tenant = await platform.tenant();
  const owner = await platform.person({ tenant });
  await addCustomer(owner, 'first@example.com');
  return { tenant, owner };
}

const picture = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
  .png()
  .toBuffer();

test('a tenant is restored from a file with its pictures while others write; domains, tokens and clients stay', async () => {
  const { tenant, owner } = await shop();
  const { body: made } = await owner.post('/api/v1/products', {
    sku: 'TEA',
    title: 'Tea',
    price: '5.00',
    status: 'active',
  });
  const { body: uploaded } = await owner.request(
    formRequest(`/api/v1/products/${made.product.id}/images`, filePart(picture)),
  );
  const { body: client } = await owner.post('/api/v1/api-clients', {
    name: 'ERP',
    scopes: ['customers.view', 'activity.view'],
    password: owner.password,
  });
  const file = join(folder, 'shop.zip');
  await exportTenant(await archiveServices(kernel), tenant.id, file);

  await addCustomer(owner, 'later@example.com');
  expect((await owner.delete(`/api/v1/products/${made.product.id}`)).status).toBe(200);
  const before = await databaseName(tenant);
  const { body: log } = await owner.get('/api/v1/events?limit=1000');
  const cursor = log.pagination.next_cursor;

  const neighbour = await shop();
  let isWriting = true;
  const write = async (person: Person) => {
    const acknowledged: string[] = [];
    for (let count = 1; isWriting; count += 1) {
      await addCustomer(person, `w${count}@example.com`);
      acknowledged.push(`w${count}@example.com`);
    }
    return acknowledged;
  };
  const writers = [write(neighbour.owner), write(owner)];
  const output = await restore(tenant, file);
  const { length: written } = await emails(owner);
  await eventually(async () => expect((await emails(owner)).length).toBeGreaterThan(written));
  isWriting = false;
  const [others = [], own = []] = await Promise.all(writers);

  const kept = /Its data from before is in the database (kept_\w+), read-only/.exec(output)?.[1] ?? '';
  // None was refused, and those from the switch on are there.
  const after = (await emails(owner)).filter((email) => email.startsWith('w'));
  expect(after.toSorted()).toEqual(own.slice(-after.length).toSorted());
  expect(await emails(owner)).toContain('first@example.com');
  expect(await emails(owner)).not.toContain('later@example.com');
  const product = await owner.get(`/api/v1/products/${made.product.id}`);
  expect(product.body.product.images).toHaveLength(1);
  const image = await platform.request({ method: 'GET', url: uploaded.image.url });
  expect(image.status).toBe(200);
  await eventually(async () => {
    const answer = await second.request({
      method: 'GET',
      url: '/api/v1/customers',
      headers: { authorization: `Bearer ${owner.accessToken}`, 'x-tenant': tenant.id },
    });
    expect(answer.body.customers).toHaveLength(after.length + 1);
  });
  expect((await owner.get(`/api/v1/api-clients/${client.api_client.id}`)).status).toBe(200);
  // A follower goes on from where it was and learns of the restore.
  const next = await owner.get(`/api/v1/events?cursor=${cursor}`);
  const listTypes = (response: typeof next) => response.body.events.map(({ type }: { type: string }) => type);
  expect(listTypes(next)).toContain('tenant.restored');
  const { body: erp } = await platform.request({
    method: 'POST',
    url: '/oauth/token',
    payload: { grant_type: 'client_credentials', client_id: client.api_client.id, client_secret: client.client_secret },
  });
  const follower = await platform.request({
    method: 'GET',
    url: `/api/v1/events?cursor=${cursor}`,
    headers: { authorization: `Bearer ${erp.access_token}`, 'x-tenant': tenant.id },
  });
  expect(listTypes(follower)).toContain('tenant.restored');
  expect(next.body.events[0].sequence).toBeGreaterThan(log.events.at(-1).sequence);
  expect((await neighbour.owner.get('/api/v1/customers?per_page=1')).body.pagination.total).toBe(others.length + 1);
  expect(await kernel.databases.exists(before)).toBe(false);
  await expect(onSeparateConnection(kept, (connection) => connection.script('DELETE FROM customers'))).rejects.toThrow(
    'read-only transaction',
  );
});

test('a tenant is restored from a database, such as one of a server restored to a point in time', async () => {
  const { tenant, owner } = await shop();
  const copy = `copy_${tenant.id}`;
  await onSeparateConnection('postgres', async (connection) => {
    const name = await databaseName(tenant);
    await connection.query(sql`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ${name} AND pid <> pg_backend_pid()`);
    await connection.script(`CREATE DATABASE "${copy}" TEMPLATE "${name}"`);
  });
  await addCustomer(owner, 'later@example.com');
  const { user, password, port } = inject('server');
  // Others can see the password in an address.
  vi.stubEnv('PGPASSWORD', password);
  onTestFinished(() => void vi.unstubAllEnvs());
  await restore(tenant, `postgres://${user}@127.0.0.1:${port}/${copy}`);
  expect(await emails(owner)).toEqual(['first@example.com']);
  await addCustomer(owner, 'after@example.com');
  expect(await emails(owner)).toEqual(['after@example.com', 'first@example.com']);
});

test('after a restore and a deletion, a new tenant with the id has no data of the old one', async () => {
  const { tenant } = await shop();
  const { id } = tenant;
  const services = await archiveServices(kernel);
  const file = join(folder, 'again.zip');
  await exportTenant(services, id, file);
  const count = async () =>
    (await (await kernel.directory.find(id))?.db.row<{ count: number }>(sql`SELECT count(*) FROM customers`))?.count;
  const create: Record<string, () => Promise<unknown>> = {
    'at once': () => createTenant(central.db, kernel.databases, { id, name: id }),
    async 'step by step'() {
      await reserveTenant(central.db, kernel.databases, { id, name: id, role: 'merchant' }, 'onboarding');
      await ensureDatabase(kernel.databases, id);
      await addRandomDomain(central.db, id);
      await ensureDomain(central.db, id, id, 'alias');
      await activateTenant(central.db, kernel.databases, id);
    },
    'by an import': () => importTenant(services, emptyArchive, { id }),
  };
  const empty = await platform.tenant();
  const emptyArchive = join(folder, 'empty.zip');
  await exportTenant(services, empty.id, emptyArchive);
  for (const [how, createAgain] of Object.entries(create)) {
    await restore(tenant, file);
    await deleteTenant(services, id);
    await createAgain();
    await kernel.signals.waitUntilApplied();
    expect([how, await count()]).toEqual([how, 0]);
  }
});

test('a database of a deleted tenant is never used for a new one', async () => {
  const id = uniqueId();
  const services = await archiveServices(kernel);
  const file = join(folder, 'source.zip');
  await exportTenant(services, (await platform.tenant()).id, file);
  await kernel.databases.copyTemplate(`tenant${id}`);
  const refusal = { extras: { errors: { id: [{ message: expect.stringContaining(`${id} is taken`) }] } } };
  const { db } = central;
  await expect(createTenant(db, kernel.databases, { id, name: id })).rejects.toMatchObject(refusal);
  await expect(
    reserveTenant(db, kernel.databases, { id, name: id, role: 'merchant' }, 'onboarding'),
  ).rejects.toMatchObject(refusal);
  await expect(importTenant(services, file, { id })).rejects.toMatchObject(refusal);
  await expect(kernel.databases.create(`tenant${id}`, central.servers[0])).rejects.toThrow('already exists');
  expect(await db.row(sql`SELECT FROM tenants WHERE id = ${id}`)).toBeUndefined();
  await kernel.databases.drop(`tenant${id}`);
});

test('what is not a backup of the tenant changes nothing', async () => {
  const { tenant, owner } = await shop();
  const other = await shop();
  const file = join(folder, 'other.zip');
  await exportTenant(await archiveServices(kernel), other.tenant.id, file);
  const name = await databaseName(tenant);
  const { user, password, port } = inject('server');
  await expect(restore(tenant, file)).rejects.toThrow(`is not an export of ${tenant.id} from this installation`);
  await expect(restore(tenant, file, 'other')).rejects.toThrow('nothing was changed');
  await expect(restore(tenant, `postgres://${user}:${password}@127.0.0.1:${port}/postgres`)).rejects.toThrow(
    'is not one of this installation',
  );
  const otherName = await databaseName(other.tenant);
  const otherUrl = `postgres://${user}:${password}@127.0.0.1:${port}/${otherName}`;
  await expect(restore(tenant, otherUrl)).rejects.toThrow(`is that of ${other.tenant.id}, not of ${tenant.id}`);
  // A backup of a version that did not record whose database it is.
  await onSeparateConnection(otherName, (connection) => connection.script('DROP TABLE tenant_identity'));
  await expect(restore(tenant, otherUrl)).rejects.toThrow('does not say whose it is');
  expect(await databaseName(tenant)).toBe(name);
  expect(await emails(owner)).toEqual(['first@example.com']);
});
