import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { sql } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { startAccounts } from '../../testing/accounts.ts';
import { archiveFolder, filledTenant } from '../../testing/archives.ts';
import { uniqueId } from '../../testing/platform.ts';
import { storedFiles } from '../../testing/stored-files.ts';
import { archiveServices } from '../operator/archive-services.ts';
import { exportTenant } from './archive-export.ts';
import { importTenant } from './archive-import.ts';
import { findProblems } from './doctor.ts';
import { deleteTenant, finishRemoval } from './remove-tenant.ts';
import { createTenant } from './tenants.ts';

const platform = await startAccounts();
const { kernel } = platform;
const { central, databases } = kernel;
// A separate installation and template, so that databases of other test files are ignored.
await central.db.run(sql`DELETE FROM prepared_databases`);
await central.db.run(sql`UPDATE installation SET id = gen_random_uuid()`);
await databases.ensureTemplate();
const services = await archiveServices(kernel);
const folder = await archiveFolder();

/** Runs a task in a process that kills itself at a moment. */
async function killAt(moment: string, task: string, id: string, path = ''): Promise<void> {
  const { host, port, user, password } = central.address;
  const url = `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${central.database}`;
  const program = resolve(import.meta.dirname, '../../testing/archive-process.ts');
  const child = spawn(process.execPath, [program, task, moment, id, path], {
    env: {
      ...process.env,
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

const findings = async () =>
  (await findProblems(central, databases, (id) => finishRemoval(services, id))).filter(({ problem }) =>
    problem.startsWith('interrupted'),
  );

/** PostgreSQL notices within seconds that the process is gone. */
async function interrupted(problem: string, id: string) {
  await expect.poll(findings, { timeout: 20_000 }).toMatchObject([{ problem, subject: id }]);
  return (await findings())[0];
}

async function findTraces(id: string): Promise<unknown> {
  return {
    row: await central.db.row(sql`SELECT status FROM tenants WHERE id = ${id}`),
    hasDatabase: await databases.exists(`tenant${id}`),
    files: (await storedFiles(kernel)).filter((path) => path.includes(`/${id}/`)),
    settings: await central.db.rows(sql`SELECT key FROM tenant_settings WHERE tenant_id = ${id}`),
    domains: await central.db.rows(sql`SELECT domain FROM domains WHERE tenant_id = ${id}`),
  };
}

const nothing = { row: undefined, hasDatabase: false, files: [], settings: [], domains: [] };

test('a killed export leaves no file under its name', async () => {
  const { tenant } = await filledTenant(platform);
  await killAt('tables', 'export', tenant.id, join(folder, 'killed.zip'));
  expect(await readdir(folder)).toEqual([expect.stringMatching(/^killed\.zip\.[0-9a-f]{8}\.partial$/)]);
});

test.each(['tables', 'files', 'team'])('an import that is killed at its %s is removed by a repair', async (moment) => {
  const { tenant } = await filledTenant(platform, { size: 10 });
  const [id, path] = [uniqueId(), join(folder, `${tenant.id}.zip`)];
  await exportTenant(services, tenant.id, path);
  await killAt(moment, 'import', id, path);
  expect(await findTraces(id)).toMatchObject({ row: { status: 'importing' }, hasDatabase: true });
  const finding = await interrupted('interrupted import', id);
  await finding?.repair?.();
  expect(await findTraces(id)).toEqual(nothing);
  expect(await findings()).toEqual([]);
  expect(await importTenant(services, path, { id })).toMatchObject({ id });
});

test.each([
  ['database dropped', 'a repair'],
  ['files removed', 'a repetition'],
  ['rows', 'a repair'],
])('a deletion that is killed with its %s is finished by %s', async (moment, how) => {
  const { tenant, owner } = await filledTenant(platform, { size: 10 });
  await killAt(moment, 'delete', tenant.id);
  expect(await findTraces(tenant.id)).toMatchObject({ row: { status: 'deleting' } });
  await kernel.signals.waitUntilApplied();
  expect((await owner.get('/api/v1/customers')).status).toBe(404);
  const finding = await interrupted('interrupted deletion', tenant.id);
  await (how === 'a repair' ? finding?.repair?.() : deleteTenant(services, tenant.id));
  expect(await findTraces(tenant.id)).toEqual(nothing);
  const log = sql`SELECT FROM activity_log WHERE action = 'tenant_deleted' AND details->>'id' = ${tenant.id}`;
  expect(await central.db.rows(log)).toHaveLength(1);
});

test.each([
  ['tables', 'a repair', 'new'],
  ['paused', 'a job', 'new'],
  ['switched', 'a deletion', 'old'],
  ['switched', 'a repair', 'old'],
])('a restore that is killed when it is at "%s" is settled by %s', async (moment, how, data) => {
  const { tenant, owner } = await filledTenant(platform, { size: 10 });
  const { id } = tenant;
  const path = join(folder, `${id}.zip`);
  await exportTenant(services, id, path);
  await owner.post('/api/v1/customers', { first_name: 'New', email: 'new@example.com' });
  await killAt(moment, 'restore', id, path);
  const finding = await interrupted('interrupted restore', id);
  const leftovers = () =>
    central.db.rows<{ name: string }>(sql`
      SELECT datname AS name FROM pg_database WHERE strpos(datname, ${id}) > 0 ORDER BY 1`);
  if (how === 'a deletion') {
    await deleteTenant(services, id);
    expect(await leftovers()).toEqual([{ name: expect.stringMatching(`^kept_tenant${id}_`) }]);
    await createTenant(central.db, databases, { id, name: id });
    return;
  }
  if (how === 'a repair') await finding?.repair?.();
  else {
    const task = { job: 'kernel.settle_moves', tenant: '', data: {}, requestId: 'test' };
    await kernel.jobs.getHandler('kernel.settle_moves').perform(task);
  }
  expect(await findings()).toEqual([]);
  await kernel.signals.waitUntilApplied();
  const { body } = await owner.get('/api/v1/customers?search=new@example.com');
  expect(body.customers).toHaveLength(data === 'new' ? 1 : 0);
  expect((await owner.post('/api/v1/customers', { first_name: 'N', email: 'next@example.com' })).status).toBe(201);
  const kept = (await findProblems(central, databases)).filter(({ problem }) => problem === 'kept database');
  expect(kept.map(({ subject }) => subject).filter((name) => name.includes(id))).toHaveLength(data === 'new' ? 0 : 1);
  expect(await leftovers()).toHaveLength(data === 'new' ? 1 : 2);
});

test('an import under way is left alone', async () => {
  const { tenant } = await filledTenant(platform, { size: 10 });
  const [id, path] = [uniqueId(), join(folder, `${tenant.id}.zip`)];
  await exportTenant(services, tenant.id, path);
  const seen: unknown[] = [];
  const importTeam: typeof services.teams.importTeam = async (...call) => {
    seen.push(...(await findings()));
    await expect(importTenant(services, path, { id })).rejects.toThrow();
    return services.teams.importTeam(...call);
  };
  await importTenant({ ...services, teams: { ...services.teams, importTeam } }, path, { id });
  expect(seen).toEqual([]);
});
