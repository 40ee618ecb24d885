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
/** All archives are of this tenant. Other tenants are imported from one, which is faster than filling them. */
const { tenant, owner } = await filledTenant(platform, { size: 10 });
const path = join(await archiveFolder(), `${tenant.id}.zip`);
await exportTenant(services, tenant.id, path);

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
  await expect.poll(findings, { timeout: 20_000, interval: 100 }).toMatchObject([{ problem, subject: id }]);
  return (await findings())[0];
}

async function findTraces(id: string) {
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
  await killAt('tables', 'export', tenant.id, join(folder, 'killed.zip'));
  expect(await readdir(folder)).toEqual([expect.stringMatching(/^killed\.zip\.[0-9a-f]{8}\.partial$/)]);
});

test.each(['tables', 'files', 'team'])('an import that is killed at its %s is removed by a repair', async (moment) => {
  const id = uniqueId();
  await killAt(moment, 'import', id, path);
  expect(await findTraces(id)).toMatchObject({ row: { status: 'importing' }, hasDatabase: true });
  const finding = await interrupted('interrupted import', id);
  await finding?.repair?.();
  expect(await findTraces(id)).toEqual(nothing);
  expect(await findings()).toEqual([]);
  expect(await importTenant(services, path, { id })).toMatchObject({ id });
});

test('a deletion that is killed again and again is continued by a repetition and finished by a repair', async () => {
  const id = uniqueId();
  await importTenant(services, path, { id });
  await kernel.signals.waitUntilApplied();
  const status = async () => (await owner.get('/api/v1/customers', { 'x-tenant': id })).status;
  expect(await status()).toBe(200);
  let finding: Awaited<ReturnType<typeof interrupted>>;
  for (const moment of ['database dropped', 'files removed', 'rows']) {
    await killAt(moment, 'delete', id);
    expect(await findTraces(id)).toMatchObject({ row: { status: 'deleting' }, hasDatabase: false });
    if (moment !== 'database dropped') expect((await findTraces(id)).files).toEqual([]);
    await kernel.signals.waitUntilApplied();
    expect(await status()).toBe(404);
    finding = await interrupted('interrupted deletion', id);
  }
  await finding?.repair?.();
  expect(await findTraces(id)).toEqual(nothing);
  const log = sql`SELECT FROM activity_log WHERE action = 'tenant_deleted' AND details->>'id' = ${id}`;
  expect(await central.db.rows(log)).toHaveLength(1);
});

test.each([
  ['tables', 'a repair', 'new'],
  ['paused', 'a job', 'new'],
  ['switched', 'a repair', 'old'],
  ['switched', 'a deletion', 'old'],
])('a restore that is killed when it is at "%s" is settled by %s', async (moment, how, data) => {
  const { id } = tenant;
  const [email, next] = [`${uniqueId()}@example.com`, `${uniqueId()}@example.com`];
  await owner.post('/api/v1/customers', { first_name: 'New', email });
  const leftovers = async () =>
    (
      await central.db.rows<{ name: string }>(sql`
        SELECT datname AS name FROM pg_database WHERE strpos(datname, ${id}) > 0 ORDER BY 1`)
    ).map(({ name }) => name);
  const isKept = (name: string) => name.startsWith('kept_');
  const keptBefore = (await leftovers()).filter(isKept);
  await killAt(moment, 'restore', id, path);
  const finding = await interrupted('interrupted restore', id);
  if (how === 'a deletion') {
    await deleteTenant(services, id);
    expect(await leftovers()).toHaveLength(keptBefore.length + 1);
    expect((await leftovers()).filter(isKept)).toHaveLength(keptBefore.length + 1);
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
  const { body } = await owner.get(`/api/v1/customers?search=${email}`);
  expect(body.customers).toHaveLength(data === 'new' ? 1 : 0);
  expect((await owner.post('/api/v1/customers', { first_name: 'N', email: next })).status).toBe(201);
  const kept = (await findProblems(central, databases)).filter(({ problem }) => problem === 'kept database');
  const keptNow = (await leftovers()).filter(isKept);
  expect(
    kept
      .map(({ subject }) => subject)
      .filter((name) => name.includes(id))
      .sort(),
  ).toEqual(keptNow);
  expect(keptNow).toHaveLength(keptBefore.length + (data === 'new' ? 0 : 1));
  expect(await leftovers()).toHaveLength(keptNow.length + 1);
});

test('an import under way is left alone', async () => {
  const id = uniqueId();
  const seen: unknown[] = [];
  const importTeam: typeof services.teams.importTeam = async (...call) => {
    seen.push(...(await findings()));
    await expect(importTenant(services, path, { id })).rejects.toThrow();
    return services.teams.importTeam(...call);
  };
  await importTenant({ ...services, teams: { ...services.teams, importTeam } }, path, { id });
  expect(seen).toEqual([]);
});
