import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SystemCtx, sql } from '@chowk/kit';
import { expect, onTestFinished, test } from 'vitest';
import { boot } from '../../server/src/boot.ts';
import { Context } from '../../server/src/context/context.ts';
import { createHttpServer } from '../../server/src/http/server.ts';
import { silent } from '../../server/testing/silent-log.ts';
import { startProxy } from '../../server/testing/tcp-proxy.ts';
import { testConfig, testSecrets } from '../../server/testing/test-config.ts';
import { ownerForm, startWizard, type Wizard } from '../../server/testing/wizard.ts';
import { createUser } from '../identity/accounts/users.ts';
import { isInstalled } from './installed.ts';
import { hasMarker, type Marker, writeMarker } from './marker.ts';

const paths = ['status', 'check-requirements', 'setup-database', 'seed-data', 'owner'] as const;

test('the platform is installed if the marker file exists', async () => {
  const wizard = await startWizard();
  const file = join(wizard.kernel.config.storagePath, 'installed');
  await writeFile(file, '');
  expect(await wizard.get('status')).toMatchObject({ status: 403, body: { redirect: '/login' } });
  await rm(file);
  expect(await wizard.get('status')).toMatchObject({ status: 200, body: { installed: false } });
});

test('without the marker file, the platform is installed if there is a user and a tenant', async () => {
  const wizard = await startWizard();
  const { db } = wizard.kernel.central;
  const { id } = await wizard.tenant();
  expect((await wizard.get('status')).status).toBe(200);
  await createUser(db, { name: 'Asha', email: 'asha@example.com' });
  expect(await wizard.get('status')).toMatchObject({ status: 403, body: { redirect: '/login' } });
  await db.run(sql`DELETE FROM tenants WHERE id = ${id}`);
  // Cached for a minute, unless the cache is cleared as by a reset.
  expect((await wizard.get('status')).status).toBe(403);
  await wizard.kernel.services.cache.delete('app.installed');
  expect((await wizard.get('status')).status).toBe(200);
  // Not installed by the wizard, so there is no content for a marker file.
  expect(await wizard.marker()).toBeUndefined();
});

test('a database without users and tenants is not installed', async () => {
  const wizard = await startWizard();
  const { db } = wizard.kernel.central;
  await db.run(sql`ALTER TABLE users RENAME TO people`);
  expect((await wizard.get('status')).status).toBe(200);
});

test('while the database is unreachable every install route returns 503', async () => {
  const wizard = await startWizard();
  const { wire, ask } = await throughProxy(wizard);
  expect((await ask('status')).statusCode).toBe(200);
  wire.cut();
  for (const path of paths) {
    const answer = await ask(path);
    expect({ path, status: answer.statusCode }).toEqual({ path, status: 503 });
    expect(answer.json()).not.toHaveProperty('installed');
  }
  wire.heal();
  await expect.poll(async () => (await ask('status')).statusCode).toBe(200);
});

test('every page redirects to the wizard until the platform is installed, and the wizard to the sign-in page afterwards', async () => {
  const { app, untilOwner, post } = await startWizard();
  const open = async (url: string) => {
    const { statusCode, headers } = await app.inject({ url, headers: { accept: 'text/html' } });
    return { url, statusCode, to: headers.location, cached: headers['cache-control'] };
  };
  const redirected = (url: string, to: string) => ({ url, statusCode: 302, to, cached: 'no-store' });
  const shown = (url: string) => ({ url, statusCode: 200, to: undefined, cached: 'no-cache' });
  for (const url of ['/', '/login', '/orders/1042?tab=history', '/nowhere']) {
    expect(await open(url)).toEqual(redirected(url, '/install'));
  }
  expect(await open('/install')).toEqual(shown('/install'));
  await untilOwner();
  expect(await open('/')).toEqual(redirected('/', '/install'));
  expect((await post('owner', ownerForm())).status).toBe(201);
  for (const url of ['/', '/login', '/orders/1042?tab=history']) expect(await open(url)).toEqual(shown(url));
  expect(await open('/install')).toEqual(redirected('/install', '/login'));
});

test('while the database is unreachable pages are shown', async () => {
  const { wire, open } = await throughProxy(await startWizard());
  expect((await open('/login')).statusCode).toBe(302);
  wire.cut();
  expect((await open('/login')).statusCode).toBe(200);
});

test('an installed platform without its marker file cannot be installed again while the database is unreachable', async () => {
  const wizard = await startWizard();
  await wizard.untilOwner();
  expect((await wizard.post('owner', ownerForm())).status).toBe(201);
  const { wire, ask, ctx } = await throughProxy(wizard);
  wire.cut();
  for (const path of paths) expect((await ask(path)).statusCode, path).toBe(503);
  await expect(isInstalled(ctx)).rejects.toThrow();
});

test('a marker file is removed if the data is deleted concurrently', async () => {
  const { kernel } = await startWizard();
  const marker: Marker = { installed_at: '2026-01-01T00:00:00.000Z', version: '1.0.0' };
  const ctxOver = (...rows: (object | undefined | Error)[]) => {
    const row = async () => {
      const next = rows.shift();
      if (next instanceof Error) throw next;
      return next;
    };
    return { system: kernel.services, central: { row } } as unknown as SystemCtx;
  };
  const lost = ctxOver({ value: marker }, undefined);
  await writeMarker(lost);
  expect(await hasMarker(lost)).toBe(false);
  const cut = ctxOver({ value: marker }, new Error('the database is being dropped'));
  await expect(writeMarker(cut)).rejects.toThrow('being dropped');
  expect(await hasMarker(cut)).toBe(false);
  const kept = ctxOver({ value: marker }, { value: marker });
  await writeMarker(kept);
  expect(await hasMarker(kept)).toBe(true);
});

/** A process with a storage folder of its own that reaches the same databases through a proxy that the test controls. */
async function throughProxy({ kernel: { central } }: Wizard) {
  const wire = await startProxy(central.address);
  const server = {
    address: wire.address,
    centralDatabase: central.database,
    embedded: false,
    close: async () => {},
  };
  const storage = await mkdtemp(join(tmpdir(), 'chowk-storage-'));
  const config = testConfig({ STORAGE_PATH: storage });
  const kernel = await boot({ config, log: silent, server, secrets: testSecrets });
  const app = await createHttpServer(kernel);
  onTestFinished(async () => {
    await kernel.close();
    await rm(storage, { recursive: true, force: true });
  });
  const ask = (path: (typeof paths)[number]) =>
    app.inject({
      method: ['status', 'check-requirements'].includes(path) ? 'GET' : 'POST',
      url: `/api/v1/install/${path}`,
      ...(path === 'owner' ? { payload: ownerForm() } : {}),
    });
  const open = (url: string) => app.inject({ url, headers: { accept: 'text/html' } });
  const ctx = new Context(kernel, { requestId: 'test', module: 'installation', system: true });
  return { wire, ask, open, ctx };
}
