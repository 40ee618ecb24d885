import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql, type Terminal } from '@chowk/kit';
import { expect, inject, onTestFinished, test } from 'vitest';
import { boot } from '../../server/src/boot.ts';
import { Context } from '../../server/src/context/context.ts';
import { withConnection } from '../../server/src/db/connection.ts';
import { createHttpServer } from '../../server/src/http/server.ts';
import { chowkd, serve, temporaryFolder } from '../../server/testing/chowkd.ts';
import { uniqueId } from '../../server/testing/platform.ts';
import { silent } from '../../server/testing/silent-log.ts';
import { testConfig, testSecrets } from '../../server/testing/test-config.ts';
import { ownerForm } from '../../server/testing/wizard.ts';
import { getAccounts } from '../identity/accounts/accounts.ts';
import { createOwner } from './owner.ts';
import { checkRequirements } from './requirements.ts';
import { resetCommand } from './reset-command.ts';
import { seedData } from './seed-data.ts';
import { setUpDatabase } from './set-up-database.ts';

const limits = { connectTimeoutMs: 5_000, queryTimeoutMs: 30_000 };

/**
 * A new installation. Not a copy as in other tests: copies share one template and one id, and a reset of one would drop
 * the databases of all.
 */
async function newInstallation() {
  const address = inject('server');
  const centralDatabase = `central_${randomBytes(6).toString('hex')}`;
  await withConnection(address, 'postgres', limits, (connection) =>
    connection.script(`CREATE DATABASE ${centralDatabase}`),
  );
  const server = { address, centralDatabase, embedded: false, close: async () => {} };
  const STORAGE_PATH = await temporaryFolder();
  await writeFile(join(STORAGE_PATH, 'oauth-private.key'), inject('signingKey'));
  return async () => {
    const kernel = await boot({ config: testConfig({ STORAGE_PATH }), log: silent, server, secrets: testSecrets });
    const app = await createHttpServer(kernel);
    onTestFinished(() => kernel.close());
    const ctx = new Context(kernel, { requestId: 'test', module: 'installation', system: true });
    return { kernel, ctx, status: () => app.inject('/api/v1/install/status') };
  };
}

async function install(ctx: Context, form = ownerForm()) {
  await checkRequirements(ctx);
  await setUpDatabase(ctx);
  await seedData(ctx);
  return createOwner(ctx, form);
}

function reset(ctx: Context, answer: string | undefined, options = {}) {
  const said: string[] = [];
  const terminal: Terminal = {
    say: (line) => void said.push(line),
    progress: (line) => void said.push(line),
    table: () => {},
    ask: async (question) => {
      said.push(question);
      return answer;
    },
  };
  return { said, done: resetCommand.run(ctx, { positionals: [], options }, terminal) };
}

test("a reset asks for the platform's name and destroys all data, and other processes continue with an empty platform", async () => {
  const start = await newInstallation();
  const secondProcess = await start();
  await secondProcess.kernel.work();
  const { ctx, kernel } = await start();
  const form = ownerForm();
  await install(ctx, form);
  await ctx.central.run(sql`UPDATE platform_settings SET value = '"Bazaar"' WHERE key = 'platform.name'`);
  const marker = join(kernel.config.storagePath, 'installed');
  const exists = (name: string) => kernel.databases.exists(name);
  const tenantDatabase = `tenant${form.organization_slug}`;
  const installation = await ctx.central.row(sql`SELECT id FROM installation`);
  expect(await exists(tenantDatabase)).toBe(true);
  expect((await secondProcess.status()).statusCode).toBe(403);
  expect(await secondProcess.kernel.directory.find(form.organization_slug)).toBeDefined();

  await expect(reset(ctx, 'Chowk').done).rejects.toThrow(/^the answer is not Bazaar; nothing was deleted$/);
  await expect(reset(ctx, undefined).done).rejects.toThrow(/--force$/);
  expect((await secondProcess.status()).statusCode).toBe(403);
  expect(JSON.parse(await readFile(marker, 'utf8'))).toMatchObject({ version: '1.0.0' });

  const { said, done } = reset(ctx, 'Bazaar');
  await done;
  expect(said).toEqual([
    expect.stringContaining('Type Bazaar'),
    expect.stringMatching(/^✓ all databases/),
    expect.stringMatching(/^✓ marker file/),
    expect.stringMatching(/^✓ seed: 5 roles, \d+ permissions/),
    expect.stringContaining('/install'),
  ]);
  await expect(readFile(marker)).rejects.toThrow('ENOENT');
  expect(await exists(tenantDatabase)).toBe(false);
  expect(await ctx.central.row(sql`SELECT id FROM installation`)).toEqual(installation);

  await expect.poll(async () => (await secondProcess.status()).statusCode).toBe(200);
  expect((await secondProcess.status()).json()).toMatchObject({
    current_step: 1,
    steps: { requirements: 'pending', database: 'pending', seed: 'pending', owner: 'pending' },
  });
  await expect.poll(() => secondProcess.kernel.directory.find(form.organization_slug)).toBeUndefined();

  // It serves the next installation: tenants, tokens and background jobs.
  await install(secondProcess.ctx, form);
  await expect
    .poll(() => secondProcess.kernel.directory.find(form.organization_slug))
    .toMatchObject({ role: 'platform_owner' });
  expect(await getAccounts(secondProcess.kernel.services).keys.list()).toHaveLength(1);
  await secondProcess.kernel.services.mail.send({
    to: 'asha@example.com',
    subject: 'Still here',
    organization: '',
    paragraphs: [],
  });
  await expect
    .poll(async () => (await secondProcess.kernel.services.mail.listStored()).map(({ subject }) => subject), {
      timeout: 30_000,
    })
    .toEqual(['Still here']);
  const { planned } = (await ctx.central.row<{ planned: number }>(
    sql`SELECT count(*) AS planned FROM pgboss.schedule`,
  )) ?? { planned: 0 };
  expect(planned).toBeGreaterThan(0);
});

test('a reset that is interrupted before the databases are dropped leaves a working installation', async () => {
  const start = await newInstallation();
  const { ctx, kernel, status } = await start();
  await install(ctx);
  const interrupted = async () => {
    throw new Error('interrupted');
  };
  const system = { ...kernel.services, reset: interrupted };
  const dead = { central: ctx.central, system } as unknown as Context;
  await expect(reset(dead, undefined, { force: true }).done).rejects.toThrow('interrupted');
  expect((await status()).statusCode).toBe(403);
  expect(JSON.parse(await readFile(join(kernel.config.storagePath, 'installed'), 'utf8'))).toMatchObject({
    version: '1.0.0',
  });
});

test('the command installs once and resets, and a running server follows', async () => {
  const { port, user, password } = inject('server');
  const database = `central_${randomBytes(6).toString('hex')}`;
  const environment = {
    STORAGE_PATH: await temporaryFolder(),
    DATABASE_URL: `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`,
  };
  const passwordFile = join(await temporaryFolder(), 'password');
  await writeFile(passwordFile, 'correct horse\n');
  const { url } = await serve(environment);
  const ask = async (path: string, body?: object) => {
    const init = body ? { method: 'POST', headers: { 'content-type': 'application/json' } } : {};
    const response = await fetch(`${url}/api/v1/install/${path}`, {
      ...init,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: response.status, body: await response.json() };
  };
  expect(await ask('status')).toMatchObject({ status: 200, body: { current_step: 1 } });

  const usage = await chowkd(['install'], environment);
  expect(usage).toMatchObject({
    code: 2,
    out: '',
    err: expect.stringMatching(/^chowkd: --organization is missing; .*\n$/),
  });

  const slug = uniqueId();
  const options = ['--organization=Acme Stores', `--slug=${slug}`, '--email=asha@example.com'];
  const installing = await chowkd(['install', ...options, `--password-file=${passwordFile}`, '--json'], environment);
  expect(installing).toMatchObject({ code: 0 });
  expect(JSON.parse(installing.out)).toMatchObject([{ tenant_id: slug, email: 'asha@example.com' }]);
  expect(installing.err.split('\n').map((line) => line.charAt(0))).toEqual(['✓', '✓', '✓', '✓', '✓', '']);
  expect(await ask('status')).toMatchObject({ status: 403, body: { redirect: '/login' } });

  const again = await chowkd(['install', ...options, '--password=correct horse'], environment);
  expect(again).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringMatching(/^chowkd: Chowk is already installed.*\n$/),
  });

  const unsure = await chowkd(['install:reset'], environment);
  expect(unsure).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/^chowkd: .*--force\n$/) });
  expect((await ask('status')).status).toBe(403);

  const resetting = await chowkd(['install:reset', '--force'], environment);
  expect(resetting).toMatchObject({ code: 0, out: expect.stringContaining('The platform is not installed') });
  await expect.poll(async () => (await ask('status')).status).toBe(200);
  expect((await ask('check-requirements')).body).toMatchObject({ passed: true });
  expect((await ask('setup-database', {})).status).toBe(200);
  const owner = ownerForm({ organization_slug: slug, email: 'asha@example.com' });
  expect(await ask('owner', owner)).toMatchObject({ status: 201, body: { tenant_id: slug } });
});
