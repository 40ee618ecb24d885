import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { sql } from '@chowk/kit';
import { expect, test, vi } from 'vitest';
import { findProblems } from '../../server/src/tenancy/doctor.ts';
import { startAccounts } from '../../server/testing/accounts.ts';
import { eventually } from '../../server/testing/eventually.ts';
import { writeLock } from '../../server/testing/module-sources.ts';
import { uniqueId } from '../../server/testing/platform.ts';
import { repositoryModules } from '../../server/testing/repository-modules.ts';
import { onSeparateConnection } from '../../server/testing/scratch-database.ts';
import { startProxy } from '../../server/testing/tcp-proxy.ts';
import { stepNames } from './schemas.ts';

/* Processes are killed while they provision. Another one completes what they have begun, exactly once. */

const aliases = ['administration', 'identity', 'onboarding', 'products'];
const modules = await repositoryModules(...aliases);
const platform = await startAccounts({ modules, environment: { APPLICATIONS_PER_MINUTE: '10000' } });
const { kernel } = platform;
const { central, databases } = kernel;
const platformOwner = await platform.tenant({ role: 'platform_owner' });
const owner = await platform.person({ tenant: platformOwner });
await owner.post('/api/v1/products', { sku: 'FLAG', title: 'Flag', price: '5.00', mandatory: true });
const { body } = await owner.post('/api/v1/admin/referral-codes', { kyc_required: false });
await databases.ensureTemplate();
// The processes load no other modules.
const MODULE_LOCK_PATH = await writeLock(kernel.config.storagePath, ...aliases);

/** An approved application that no job provisions yet. */
async function approved(): Promise<string> {
  const payload = {
    referral_code: body.referral_code.code,
    business_name: 'Tea House',
    contact_name: 'Ravi',
    email: `${uniqueId()}@example.com`,
  };
  const answer = await platform.request({ method: 'POST', url: '/api/v1/reseller-register/apply', payload });
  const { application_id: id } = answer.body;
  await central.db.run(sql`UPDATE reseller_applications SET status = 'provisioning' WHERE id = ${id}`);
  return id;
}

function start(moment: string, step: string, ids: readonly string[], { user, password, port } = central.address) {
  const child = spawn(
    process.execPath,
    [resolve(import.meta.dirname, '../../server/testing/provision-process.ts'), moment, step, ...ids],
    {
      env: {
        ...process.env,
        APP_ENV: 'testing',
        SPARE_DATABASES: '0',
        STORAGE_PATH: kernel.config.storagePath,
        MODULE_LOCK_PATH,
        DATABASE_URL: `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${central.database}`,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  return { child, exited: once(child, 'exit') };
}

/** As the job does that looks for abandoned applications every minute. */
async function resume(ids: readonly string[]): Promise<void> {
  await central.db.run(sql`
    UPDATE reseller_applications SET updated_at = now() - interval '1 hour'
    WHERE id = ANY(${ids}::uuid[]) AND status = 'provisioning'`);
  await kernel.jobs.add({ job: 'onboarding.resume', tenant: '', data: {}, requestId: 'test' });
}

async function mustBeCompletedOnce(ids: readonly string[]): Promise<void> {
  await eventually(async () => {
    await resume(ids);
    const rows = await central.db.rows<{ status: string }>(
      sql`SELECT status FROM reseller_applications WHERE id = ANY(${ids}::uuid[])`,
    );
    expect(rows.map(({ status }) => status)).toEqual(ids.map(() => 'completed'));
  });
  const tenants = await central.db.rows<{ id: string; owners: number; domains: number }>(sql`
    SELECT t.id, t.status, (SELECT count(*) FROM memberships m WHERE m.tenant_id = t.id) AS owners,
      (SELECT count(*) FROM domains d WHERE d.tenant_id = t.id) AS domains
    FROM reseller_applications a JOIN tenants t ON t.id = a.tenant_id WHERE a.id = ANY(${ids}::uuid[])`);
  expect(tenants.map(({ id: _, ...tenant }) => tenant)).toEqual(
    ids.map(() => ({ status: 'active', owners: 1, domains: 2 })),
  );
  for (const { id } of tenants) {
    const tenant = await kernel.directory.find(id);
    expect(await tenant?.db.rows(sql`SELECT sku FROM products`)).toEqual([{ sku: 'FLAG' }]);
  }
}

/** The beginning of a later step is the state after the one before it, with which every process begins. */
const kills = [['begin', stepNames[0] as string], ...stepNames.map((step) => ['end', step])] as const;

test(`applications survive ${kills.length} kills: at the beginning and at the end of each step`, async () => {
  const ids = [await approved(), await approved(), await approved()];
  for (const [moment = '', step = ''] of kills) {
    const [code, signal] = await start(moment, step, ids).exited;
    expect({ moment, step, code, signal }).toEqual({ moment, step, code: null, signal: 'SIGKILL' });
  }
  await mustBeCompletedOnce(ids);
}, 300_000);

/** Runs `work` while a database is being created: the lock makes it wait in the middle. */
async function whileCreatingDatabases(work: () => void): Promise<void> {
  await onSeparateConnection(central.database, async (connection) => {
    await connection.script('BEGIN; LOCK TABLE pg_database IN SHARE MODE');
    await eventually(async () => {
      const rows = await central.db.rows(sql`
        SELECT FROM pg_stat_activity
        WHERE datname = ${central.database} AND query LIKE 'CREATE DATABASE%' AND state = 'active'`);
      expect(rows).not.toEqual([]);
    });
    work();
    await connection.script('ROLLBACK');
  });
}

test('an outage of the database server in the middle', { timeout: 90_000 }, async () => {
  const ids = await Promise.all(Array.from({ length: 4 }, approved));
  const { address, cut } = await startProxy(central.address);
  const { exited } = start('never', '', ids, { ...central.address, ...address });
  await whileCreatingDatabases(cut);
  expect((await exited)[0]).toBe(0);
  await mustBeCompletedOnce(ids);
});

test('fifty applications at once', { timeout: 90_000 }, async () => {
  const ids = await Promise.all(Array.from({ length: 50 }, approved));
  await resume(ids);
  const unfinished = () =>
    central.db.rows(sql`SELECT FROM reseller_applications WHERE id = ANY(${ids}::uuid[]) AND status <> 'completed'`);
  await vi.waitFor(async () => expect(await unfinished()).toEqual([]), { timeout: 60_000, interval: 100 });
  await mustBeCompletedOnce(ids);
});

test('a process that is killed while it creates databases', { timeout: 90_000 }, async () => {
  const ids = await Promise.all(Array.from({ length: 4 }, approved));
  const { child, exited } = start('inside', '', ids);
  await whileCreatingDatabases(() => child.kill('SIGKILL'));
  await exited;
  await mustBeCompletedOnce(ids);
});

test('afterwards no database is left over and every tenant is complete', async () => {
  // Other test files have databases on the same server.
  const problems = await findProblems(central, databases);
  expect(problems.filter(({ problem }) => problem !== 'orphaned database')).toEqual([]);
  const [rows, applications] = await Promise.all([
    central.db.rows(sql`SELECT FROM tenants WHERE created_by_module = 'onboarding'`),
    central.db.rows(sql`SELECT FROM reseller_applications`),
  ]);
  expect(rows).toHaveLength(applications.length);
});
