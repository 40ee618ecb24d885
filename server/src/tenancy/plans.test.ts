import { sql } from '@chowk/kit/kernel';
import sharp from 'sharp';
import { beforeEach, describe, expect, test } from 'vitest';
import { chowkd } from '../../testing/chowkd.ts';
import { filePart, formRequest } from '../../testing/form-body.ts';
import { startPlatform, type TestTenant } from '../../testing/platform.ts';
import { serverUrl } from '../../testing/second-server.ts';

const platform = await startPlatform({ environment: { RATE_LIMIT_PER_MINUTE: '100', DATABASE_CONNECTIONS: '20' } });
const { kernel } = platform;
const acme = await platform.tenant();
const globex = await platform.tenant();
const permissions = ['products.view', 'products.create', 'products.edit', 'settings.view'];

async function run(...args: string[]) {
  const { central, config } = kernel;
  const outcome = await chowkd(args, {
    DATABASE_URL: `${serverUrl(central.address)}/${central.database}`,
    STORAGE_PATH: config.storagePath,
    APP_KEY: Buffer.alloc(32, 'test').toString('base64'),
  });
  await kernel.signals.waitUntilApplied();
  return outcome;
}

async function runWell(...args: string[]) {
  expect(await run(...args)).toMatchObject({ code: 0, err: '' });
}

async function listPlans(): Promise<Record<string, unknown>[]> {
  return JSON.parse((await run('plan:list', '--json')).out);
}

beforeEach(async () => {
  await kernel.central.db.run(sql`UPDATE tenants SET plan = NULL`);
  await kernel.central.db.run(sql`DELETE FROM plans`);
  await kernel.signals.waitUntilApplied();
});

describe('commands', () => {
  test('a plan is created, changed, made the default and listed with its tenants', async () => {
    expect((await run('plan:list')).out).toMatch(/There is no plan/);
    expect((await run('plan:set', 'basic', '--requests-per-minute=600', '--storage-mb=500')).out).toMatch(
      /^Created the plan basic\./,
    );
    expect((await run('plan:set', 'basic', '--messages-per-day=50', '--storage-mb=none', '--default')).out).toMatch(
      /^Changed the plan basic\./,
    );
    await runWell('plan:set', 'pro', '--connections=8');
    await runWell('plan:assign', acme.id, 'pro');
    const none = { requests_per_minute: null, storage_mb: null, messages_per_day: null, connections: null };
    expect(await listPlans()).toEqual([
      { ...none, name: 'basic', requests_per_minute: 600, messages_per_day: 50, is_default: true, tenants: 1 },
      { ...none, name: 'pro', connections: 8, is_default: false, tenants: 1 },
    ]);
    await runWell('plan:set', 'pro', '--default');
    expect((await listPlans()).map(({ name, is_default, tenants }) => [name, is_default, tenants])).toEqual([
      ['basic', false, 0],
      ['pro', true, 2],
    ]);
    expect(JSON.parse((await run('tenant:show', acme.id, '--json')).out)).toMatchObject([{ plan: 'pro' }]);
    expect((await run('plan:delete', 'pro')).err).toMatch(/tenants have the plan pro; give them another one/);
    await runWell('plan:assign', acme.id, '--default');
    await runWell('plan:delete', 'pro');
  });

  test.each([
    ['an invalid name', ['plan:set', 'Basic'], /lower-case letters/],
    ['a limit of 0', ['plan:set', 'basic', '--storage-mb=0'], /--storage-mb must be an integer from 1, or none/],
    ['a limit that is a word', ['plan:set', 'basic', '--storage-mb=much'], /--storage-mb must be an integer from 1/],
    ['an unknown tenant', ['plan:assign', 'nobody', 'basic'], /nobody/],
    ['no plan', ['plan:assign', acme.id], /give the name of a plan, or --default/],
    ['a plan and the default', ['plan:assign', acme.id, 'basic', '--default'], /give the name of a plan, or --default/],
    ['an unknown plan', ['plan:assign', acme.id, 'basic'], /there is no plan basic; create it/],
    ['an unknown plan to delete', ['plan:delete', 'basic'], /there is no plan basic; create it/],
  ])('%s is refused', async (_, args, message) => {
    const { code, err } = await run(...args);
    expect(code).toBeGreaterThan(0);
    expect(err).toMatch(message);
    expect(await kernel.central.db.rows(sql`SELECT FROM plans`)).toEqual([]);
  });
});

describe('a tenant', () => {
  const get = (tenant: TestTenant) => tenant.caller(...permissions).get('/api/v1/products');

  test('is refused above the requests of its plan, all users together, while another one is served', async () => {
    await runWell('plan:set', 'small', '--requests-per-minute=3');
    await runWell('plan:assign', acme.id, 'small');
    for (let index = 0; index < 3; index += 1) expect((await get(acme)).status).toBe(200);
    const refused = await get(acme);
    expect(refused).toMatchObject({
      status: 429,
      body: { code: 'tenancy.too_many_requests', message: expect.stringContaining('the 3 requests that its plan') },
    });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    const query = await acme
      .caller(...permissions)
      .post('/api/v1/graphql', { query: '{ products { edges { node { id } } } }' });
    expect(query.status).toBe(429);
    expect((await get(globex)).status).toBe(200);
    await runWell('plan:set', 'small', '--requests-per-minute=none');
    expect((await get(acme)).status).toBe(200);
  });

  test('waits for refusals if it goes on sending in spite of hundreds of them', async () => {
    await runWell('plan:set', 'one', '--requests-per-minute=1');
    const tenant = await platform.tenant();
    await runWell('plan:assign', tenant.id, 'one');
    await get(tenant);
    for (let refused = 0; refused < 300; refused += 1) {
      kernel.limiter.take(`refused ${tenant.id}`, 300, kernel.now().getTime());
    }
    const startedAt = performance.now();
    expect((await get(tenant)).status).toBe(429);
    expect(performance.now() - startedAt).toBeGreaterThan(900);
  });

  test('gets the limits of a plan that becomes the default', async () => {
    await runWell('plan:set', 'free', '--requests-per-minute=1', '--default');
    const tenant = await platform.tenant();
    expect([(await get(tenant)).status, (await get(tenant)).status]).toEqual([200, 429]);
  });

  test('cannot upload more than the storage of its plan; what a job writes is kept', async () => {
    const merchant = globex.caller(...permissions);
    const created = await merchant.post('/api/v1/products', { sku: 'P-1', title: 'Tea', price: 1 });
    const url = `/api/v1/products/${created.body.product.id}/images`;
    const noise = {
      create: { width: 700, height: 700, channels: 3, noise: { type: 'gaussian', mean: 128, sigma: 90 } },
    };
    const picture = await sharp(noise as unknown as Parameters<typeof sharp>[1])
      .png()
      .toBuffer();
    const upload = () => merchant.request(formRequest(url, filePart(picture)));
    await runWell('plan:set', 'small', '--storage-mb=1');
    await runWell('plan:assign', globex.id, 'small');
    const statuses: number[] = [];
    while (!statuses.includes(422) && statuses.length < 20) statuses.push((await upload()).status);
    expect(statuses.slice(0, -1)).toEqual(statuses.slice(0, -1).map(() => 201));
    expect(statuses.length).toBeGreaterThan(1);
    expect((await upload()).body).toMatchObject({
      code: 'tenancy.storage_full',
      message: expect.stringContaining('the 1 MB that its plan allows'),
    });
    const row = await globex.db.row<{ used: number }>(sql`SELECT sum(size)::int AS used FROM stored_files`);
    expect(row?.used).toBeLessThanOrEqual(1_000_000);
    const written = await globex
      .context('products')
      .files.write(Buffer.alloc(1_000_000), { type: 'application/octet-stream' });
    expect(written.size).toBe(1_000_000);
  });

  test('has at most the connections of its plan, also those that it had before', async () => {
    const wait = (tenant: string) =>
      kernel.directory.find(tenant).then((entry) => entry?.db.run(sql`SELECT pg_sleep(0.2)`));
    const countConnections = async () => {
      const row = await kernel.central.db.row<{ count: number }>(sql`
        SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = ${`tenant${acme.id}`}`);
      return row?.count ?? 0;
    };
    const useMany = () => Promise.all(Array.from({ length: 8 }, () => wait(acme.id)));
    await useMany();
    expect(await countConnections()).toBeGreaterThan(4);
    await runWell('plan:set', 'small', '--connections=2');
    await runWell('plan:assign', acme.id, 'small');
    await useMany();
    await expect.poll(countConnections).toBeLessThanOrEqual(2);
  });
});
