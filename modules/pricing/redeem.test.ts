import { randomUUID } from 'node:crypto';
import { type Ctx, sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { startPlatform, type TestTenant } from '../../server/testing/platform.ts';
import { repositoryModules } from '../../server/testing/repository-modules.ts';
import { testModule } from '../../server/testing/test-module.ts';

/** A module that takes orders, as the orders module does. */
const till = testModule({ alias: 'till', consumes: ['pricing.price', 'pricing.redeem', 'pricing.release'] });
const platform = await startPlatform({ modules: [...(await repositoryModules()), till] });
const permissions = ['products.view', 'products.edit', 'customers.view', 'customers.create', 'customers.merge'];
const caller = (tenant: TestTenant) => tenant.caller(...permissions, 'customers.delete');

async function openShop(...discounts: object[]): Promise<{ tenant: TestTenant; ctx: Ctx }> {
  const tenant = await platform.tenant();
  for (const fields of discounts) {
    const { status } = await caller(tenant).post('/api/v1/discounts', { kind: 'percent', value: 10, ...fields });
    expect(status).toBe(201);
  }
  return { tenant, ctx: tenant.context('till') };
}

const redeem = (ctx: Ctx, codes: string[], order_id: string = randomUUID(), customer_id: string | null = null) =>
  ctx.tx((tx) => tx.bus.call('pricing.redeem', { order_id, customer_id, codes }));

const uses = async ({ db }: TestTenant) =>
  Object.fromEntries(
    (await db.rows<{ code: string; uses: number }>(sql`SELECT code, uses FROM discounts`)).map((row) => [
      row.code,
      row.uses,
    ]),
  );

const outcome = (results: PromiseSettledResult<unknown>[]) => ({
  done: results.filter(({ status }) => status === 'fulfilled').length,
  codes: [...new Set(results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : [])))],
});

test('32 orders at once use a code with a limit of 5 five times', async () => {
  const { tenant, ctx } = await openShop({ code: 'FIRST5', usage_limit: 5 });
  const results = await Promise.allSettled(Array.from({ length: 32 }, () => redeem(ctx, ['FIRST5'])));
  expect(outcome(results)).toEqual({ done: 5, codes: ['pricing.discount_used_up'] });
  expect(await uses(tenant)).toEqual({ FIRST5: 5 });
});

test('a customer uses a code once, also with eight orders at once', async () => {
  const { tenant, ctx } = await openShop({ code: 'WELCOME', once_per_customer: true });
  const [asha, ravi] = [randomUUID(), randomUUID()];
  const results = await Promise.allSettled(
    Array.from({ length: 8 }, () => redeem(ctx, ['welcome'], randomUUID(), asha)),
  );
  expect(outcome(results)).toEqual({ done: 1, codes: ['pricing.discount_already_used'] });
  await redeem(ctx, ['WELCOME'], randomUUID(), ravi);
  expect(await uses(tenant)).toEqual({ WELCOME: 2 });
});

test('the same order counts once, however often it is repeated', async () => {
  const { tenant, ctx } = await openShop({ code: 'ONE', usage_limit: 1, once_per_customer: true });
  const [order, customer] = [randomUUID(), randomUUID()];
  const results = await Promise.allSettled(Array.from({ length: 32 }, () => redeem(ctx, ['ONE'], order, customer)));
  expect(outcome(results)).toEqual({ done: 32, codes: [] });
  expect(await uses(tenant)).toEqual({ ONE: 1 });
});

test('a release lets another order use the code, and repeating it changes nothing', async () => {
  const { tenant, ctx } = await openShop({ code: 'ONE', usage_limit: 1 });
  const order = randomUUID();
  await redeem(ctx, ['ONE'], order);
  await expect(redeem(ctx, ['ONE'])).rejects.toThrow('The discount code ONE has been used as often as it can be.');
  for (let n = 0; n < 2; n += 1) await ctx.bus.call('pricing.release', { order_id: order });
  await redeem(ctx, ['ONE']);
  expect(await uses(tenant)).toEqual({ ONE: 1 });
});

test('an order that changes its codes releases those that it no longer uses', async () => {
  const { tenant, ctx } = await openShop({ code: 'A' }, { code: 'B' }, { code: 'C' });
  const order = randomUUID();
  await redeem(ctx, ['A', 'B'], order);
  await redeem(ctx, ['b', 'C'], order);
  expect(await uses(tenant)).toEqual({ A: 0, B: 1, C: 1 });
});

test('orders that name the same codes in another order do not block each other', async () => {
  const { tenant, ctx } = await openShop({ code: 'A' }, { code: 'B' });
  await Promise.all(Array.from({ length: 16 }, (_, n) => redeem(ctx, n % 2 ? ['A', 'B'] : ['B', 'A'])));
  expect(await uses(tenant)).toEqual({ A: 16, B: 16 });
});

test('an unknown code is refused, and nothing is counted', async () => {
  const { tenant, ctx } = await openShop({ code: 'A' });
  await expect(redeem(ctx, ['A', 'NOPE'])).rejects.toThrow('There is no discount code NOPE.');
  expect(await uses(tenant)).toEqual({ A: 0 });
});

test('an order that fails does not count', async () => {
  const { tenant, ctx } = await openShop({ code: 'A', usage_limit: 1 });
  const failing = ctx.tx(async (tx) => {
    await tx.bus.call('pricing.redeem', { order_id: randomUUID(), codes: ['A'] });
    throw new Error('out of stock');
  });
  await expect(failing).rejects.toThrow('out of stock');
  expect(await uses(tenant)).toEqual({ A: 0 });
});

test('the price knows which codes are used up, but not for the order that has used them', async () => {
  const { ctx } = await openShop(
    { code: 'ONE', usage_limit: 1, combines: true },
    { code: 'ONCE', once_per_customer: true, combines: true },
  );
  const [order, customer] = [randomUUID(), randomUUID()];
  const codes = ['ONE', 'ONCE'];
  await redeem(ctx, codes, order, customer);
  const price = async (keys: object) => {
    const cart = { lines: [{ quantity: 1, price: '100' }], codes, ...keys };
    const { total, problems } = await ctx.bus.call('pricing.price', cart);
    return { total, problems: problems.map(({ code }) => code) };
  };
  expect(await price({ customer_id: customer })).toEqual({ total: '100.00', problems: ['used_up', 'already_used'] });
  expect(await price({})).toEqual({ total: '90.00', problems: ['used_up'] });
  expect(await price({ customer_id: customer, order_id: order })).toEqual({ total: '81.00', problems: [] });
});

test('merging customers moves exemptions and used codes, and erasing removes them', async () => {
  const { tenant, ctx } = await openShop({ code: 'WELCOME', once_per_customer: true });
  const admin = caller(tenant);
  const edit = tenant.caller('customers.view', 'customers.edit');
  const create = async (first_name: string) => (await admin.post('/api/v1/customers', { first_name })).body.customer.id;
  const [asha, double, ravi] = [await create('Asha'), await create('Asha R'), await create('Ravi')];
  const exempt = (id: string) =>
    edit.request({ method: 'PUT', url: `/api/v1/tax-exemptions/${id}`, payload: { reason: `Certificate of ${id}` } });
  expect((await exempt(double)).status).toBe(200);
  await redeem(ctx, ['WELCOME'], randomUUID(), double);
  expect((await admin.post('/api/v1/customers/merge', { primary_id: asha, secondary_id: double })).status).toBe(200);
  expect((await edit.get(`/api/v1/tax-exemptions/${asha}`)).body.tax_exemption.reason).toBe(`Certificate of ${double}`);
  await expect(redeem(ctx, ['WELCOME'], randomUUID(), asha)).rejects.toThrow('already used');

  await exempt(ravi);
  await admin.post('/api/v1/customers/merge', { primary_id: asha, secondary_id: ravi });
  expect(await tenant.db.rows(sql`SELECT customer_id FROM tax_exemptions`)).toEqual([{ customer_id: asha }]);

  expect((await admin.delete(`/api/v1/customers/${asha}?mode=anonymize`)).status).toBe(200);
  expect(await tenant.db.rows(sql`SELECT FROM tax_exemptions`)).toEqual([]);
  expect(await tenant.db.rows(sql`SELECT FROM discount_redemptions`)).toHaveLength(1);
});
