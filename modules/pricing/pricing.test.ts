import { sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { startPlatform, type TestCaller, type TestTenant } from '../../server/testing/platform.ts';

const platform = await startPlatform();
const permissions = ['orders.create', 'products.view', 'products.edit', 'settings.view', 'settings.edit'];
const people = ['customers.view', 'customers.create', 'customers.edit', 'customers.merge', 'customers.delete'];

interface Shop {
  readonly tenant: TestTenant;
  readonly caller: TestCaller;
  create(path: string, body: object): Promise<{ id: string } & Record<string, unknown>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of every shape
  price(cart: object): Promise<any>;
}

async function openShop(): Promise<Shop> {
  const tenant = await platform.tenant();
  const caller = tenant.caller(...permissions, ...people);
  return {
    tenant,
    caller,
    async create(path, body) {
      const { status, body: answer } = await caller.post(`/api/v1${path}`, body);
      expect(status, JSON.stringify(answer)).toBe(201);
      const { message: _, ...records } = answer;
      return Object.values(records)[0] as never;
    },
    async price(cart) {
      const { status, body } = await caller.post('/api/v1/pricing/preview', cart);
      expect(status, JSON.stringify(body)).toBe(200);
      return body.cart;
    },
  };
}

const acme = await openShop();
const line = { quantity: 1, price: '100' };
const { id: zoneId } = await acme.create('/shipping-zones', { name: 'India', regions: [{ country: 'IN' }] });

interface Resource {
  readonly path: string;
  readonly valid: object;
  readonly changes: object;
  readonly saved: object;
}

const resources: Record<string, Resource> = {
  discount: {
    path: '/discounts',
    valid: { code: 'Spring', kind: 'percent', value: 12.525, minimum_subtotal: '1.23' },
    changes: { kind: 'fixed', value: '3', ends_at: '2030-01-01T00:00:00+01:00' },
    saved: {
      code: 'Spring',
      kind: 'fixed',
      value: '3.00',
      minimum_subtotal: '1.23',
      ends_at: '2029-12-31T23:00:00.000Z',
    },
  },
  tax_rate: {
    path: '/tax-rates',
    valid: { name: 'Sales tax', country: 'US', state: 'New York', rate: 8.8755 },
    changes: { rate: '4', state: 'CA' },
    saved: { name: 'Sales tax', state: 'CA', rate: '4.00', tax_class: 'standard', is_active: true },
  },
  shipping_zone: {
    path: '/shipping-zones',
    valid: { name: 'West', regions: [{ country: 'IN', states: ['Maharashtra', 'goa', 'MH'] }] },
    changes: { name: 'West coast' },
    saved: { name: 'West coast', regions: [{ country: 'IN', states: ['MH', 'GA'] }], rest_of_world: false },
  },
  shipping_rate: {
    path: '/shipping-rates',
    valid: { zone_id: zoneId, name: 'Express', price: '99.5', maximum_weight: 500 },
    changes: { price: '120', free_above: '999.99' },
    saved: { name: 'Express', price: '120.00', maximum_weight: 500, free_above: '999.99', minimum_total: null },
  },
};

test.each(Object.entries(resources))('a %s is created, changed, listed and deleted', async (key, resource) => {
  const { path, valid, changes, saved } = resource;
  const { id, updated_at } = await acme.create(path, valid);
  const url = `/api/v1${path}/${id}`;
  const changed = await acme.caller.patch(url, changes);
  expect(changed.status).toBe(200);
  expect(changed.body[key]).toMatchObject(saved);
  expect(changed.body[key].updated_at > (updated_at as string)).toBe(true);
  expect((await acme.caller.get(url)).body[key]).toEqual(changed.body[key]);
  const list = (await acme.caller.get(`/api/v1${path}?limit=100`)).body[`${key}s`];
  expect(list).toContainEqual(changed.body[key]);
  expect((await acme.caller.patch(url, {}, { 'if-match': '"other"' })).status).toBe(412);
  expect((await acme.caller.delete(url)).status).toBe(200);
  expect((await acme.caller.get(url)).status).toBe(404);
  expect((await acme.caller.patch(url, changes)).status).toBe(404);
  expect((await acme.caller.delete(url)).status).toBe(404);
});

test.each([
  ['/discounts', { code: 'two words', kind: 'percent' }, ['code', 'value']],
  ['/discounts', { code: 'A', kind: 'percent', value: '100.001' }, ['value']],
  ['/discounts', { code: 'A', kind: 'fixed', value: '1.2345' }, ['value']],
  [
    '/discounts',
    { code: 'A', kind: 'fixed', value: '1.234', minimum_subtotal: '1.234' },
    ['value', 'minimum_subtotal'],
  ],
  ['/discounts', { code: 'A', kind: 'fixed', value: 1, applies_to: 'products' }, ['target_ids']],
  ['/discounts', { code: 'A', kind: 'fixed', value: 1, usage_limit: 0 }, ['usage_limit']],
  [
    '/discounts',
    { code: 'A', kind: 'free_shipping', starts_at: '2026-02-01T00:00:00Z', ends_at: '2026-02-01T00:00:00Z' },
    ['ends_at'],
  ],
  ['/tax-rates', { name: 'VAT', country: 'Germany', rate: '19' }, ['country']],
  ['/tax-rates', { name: 'VAT', country: 'DE', rate: '100.1' }, ['rate']],
  ['/tax-rates', { name: 'VAT', country: 'DE', rate: 101 }, ['rate']],
  ['/tax-rates', { name: 'VAT', country: 'DE', rate: '1.23456' }, ['rate']],
  ['/tax-rates/presets/FR', {}, ['country']],
  ['/tax-rates/presets/IN', {}, ['state']],
  ['/shipping-zones', { name: 'Nowhere' }, ['regions']],
  ['/shipping-rates', { zone_id: '00000000-0000-4000-8000-000000000000', name: 'A', price: 1 }, ['zone_id']],
  [
    '/shipping-rates',
    { zone_id: zoneId, name: 'A', price: 1, minimum_weight: 2, maximum_weight: 1, minimum_total: 2, maximum_total: 1 },
    ['maximum_weight', 'maximum_total'],
  ],
  [
    '/shipping-rates',
    { zone_id: zoneId, name: 'A', price: '1.234', minimum_total: '0.001', maximum_total: '9.999', free_above: '0.005' },
    ['price', 'minimum_total', 'maximum_total', 'free_above'],
  ],
  ['/pricing/preview', { lines: [] }, ['lines']],
  [
    '/pricing/preview',
    {
      currency: 'JPY',
      lines: [{ quantity: 1, price: '1.5', discount: { kind: 'fixed', value: '0.5' } }],
      discounts: [{ kind: 'fixed', value: '0.5' }],
      shipping: { price: '0.5' },
    },
    ['lines.0.price', 'lines.0.discount.value', 'discounts.0.value', 'shipping.price'],
  ],
  ['/pricing/preview', { lines: [{ quantity: 1, price: '1.2345' }] }, ['lines.0.price']],
  [
    '/pricing/preview',
    {
      lines: [{ ...line, discount: { kind: 'percent', value: 101 } }],
      discounts: [{ kind: 'percent', value: 100.001 }],
    },
    ['lines.0.discount.value', 'discounts.0.value'],
  ],
  ['/pricing/preview', { lines: [{ quantity: 1_000_000, price: '9999999999' }] }, ['lines']],
])('%s refuses %j', async (path, body, fields) => {
  const { status, body: answer } = await acme.caller.post(`/api/v1${path}`, body);
  expect({ status, fields: Object.keys(answer.errors ?? {}) }).toEqual({ status: 422, fields });
});

test('a code is unique in any case, also for two requests at once', async () => {
  const shop = await openShop();
  const codes = ['Deal', 'DEAL', 'deal', 'dEAL'];
  const answers = await Promise.all(
    codes.map((code) => shop.caller.post('/api/v1/discounts', { code, kind: 'percent', value: 5 })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422]);
});

test('a rate is unique by name, country, state and class', async () => {
  const shop = await openShop();
  const rate = { name: 'VAT', country: 'FR', rate: 20 };
  await shop.create('/tax-rates', rate);
  await shop.create('/tax-rates', { ...rate, tax_class: 'reduced', rate: 5.5 });
  const { status, body } = await shop.caller.post('/api/v1/tax-rates', { ...rate, name: 'vat' });
  expect({ status, codes: body.error_codes }).toEqual({ status: 422, codes: { name: ['taken'] } });
});

test('GST of the preset: CGST and SGST in the state of the shop, IGST elsewhere, and none abroad', async () => {
  const shop = await openShop();
  const preset = { state: 'Maharashtra' };
  expect((await shop.caller.post('/api/v1/tax-rates/presets/IN', preset)).body.tax_rates).toHaveLength(15);
  expect((await shop.caller.post('/api/v1/tax-rates/presets/IN', preset)).body.tax_rates).toHaveLength(0);
  const taxes = async (address: object, tax_class = 'standard') => {
    const cart = await shop.price({ lines: [{ ...line, tax_class }], address });
    return cart.taxes.map(({ name, rate, amount }: Record<string, string>) => `${name} ${rate} ${amount}`);
  };
  const both = ['CGST 9.00 9.00', 'SGST 9.00 9.00'];
  expect(await taxes({ country: 'India', state: 'maharashtra' })).toEqual(both);
  expect(await taxes({ country: 'in', state: ' MH ' })).toEqual(both);
  expect(await taxes({ country: 'IN', state: 'Karnataka' })).toEqual(['IGST 18.00 18.00']);
  expect(await taxes({ country: 'IN', state: 'MH' }, 'gst-5')).toEqual(['CGST 2.50 2.50', 'SGST 2.50 2.50']);
  expect(await taxes({ country: 'IN', state: 'MH' }, 'gst-28')).toEqual([]);
  expect(await taxes({ country: 'United Kingdom' })).toEqual([]);
});

test.each([
  ['DE', ['MwSt. 19.00', 'MwSt. 7.00']],
  ['GB', ['VAT 0.00', 'VAT 20.00', 'VAT 5.00']],
])('the preset of %s', async (country, expected) => {
  const shop = await openShop();
  const { body } = await shop.caller.post(`/api/v1/tax-rates/presets/${country}`, {});
  expect(body.tax_rates.map(({ name, rate }: Record<string, string>) => `${name} ${rate}`).sort()).toEqual(expected);
});

test('an order without an address is taxed where the shop is', async () => {
  const shop = await openShop();
  await shop.caller.post('/api/v1/tax-rates/presets/IN', { state: 'KA' });
  expect((await shop.price({ lines: [line] })).taxes).toMatchObject([{ name: 'IGST' }]);
  await shop.caller.patch('/api/v1/settings', { 'pricing.state': 'Karnataka' });
  expect((await shop.price({ lines: [line] })).taxes).toMatchObject([{ name: 'CGST' }, { name: 'SGST' }]);
});

test('settings decide whether prices include tax and whether shipping is taxed', async () => {
  const shop = await openShop();
  await shop.create('/tax-rates', { name: 'GST', country: 'IN', rate: 25 });
  const cart = { lines: [line], shipping: { title: 'Courier', price: 10 } };
  const totals = async () => {
    const { tax_total, total } = await shop.price(cart);
    return { tax_total, total };
  };
  expect(await totals()).toEqual({ tax_total: '27.50', total: '137.50' });
  await shop.caller.patch('/api/v1/settings', { 'pricing.tax_shipping': false });
  expect(await totals()).toEqual({ tax_total: '25.00', total: '135.00' });
  await shop.caller.patch('/api/v1/settings', { 'pricing.prices_include_tax': true });
  expect(await totals()).toEqual({ tax_total: '20.00', total: '110.00' });
});

test('an exempt customer pays no tax until the exemption ends', async () => {
  const shop = await openShop();
  await shop.create('/tax-rates', { name: 'GST', country: 'IN', rate: 18 });
  const { id } = await shop.create('/customers', { first_name: 'Asha' });
  const url = `/api/v1/tax-exemptions/${id}`;
  const put = (payload: object) => shop.caller.request({ method: 'PUT', url, payload });
  const total = async () => (await shop.price({ lines: [line], customer_id: id })).total;
  expect((await shop.caller.get(url)).status).toBe(404);
  expect(await total()).toBe('118.00');
  await put({});
  expect((await put({ reason: 'Certificate 7' })).body.tax_exemption).toMatchObject({ reason: 'Certificate 7' });
  expect(await total()).toBe('100.00');
  expect((await shop.caller.delete(url)).status).toBe(200);
  expect((await shop.caller.delete(url)).status).toBe(404);
  expect(await total()).toBe('118.00');
});

test('an unknown customer cannot be exempt', async () => {
  const url = '/api/v1/tax-exemptions/00000000-0000-4000-8000-000000000000';
  expect((await acme.caller.request({ method: 'PUT', url, payload: {} })).status).toBe(404);
});

test('the rates of the zone that matches the address best are offered, the cheapest first', async () => {
  const shop = await openShop();
  const zones = {
    world: await shop.create('/shipping-zones', { name: 'World', rest_of_world: true }),
    india: await shop.create('/shipping-zones', { name: 'India', regions: [{ country: 'IN' }] }),
    goa: await shop.create('/shipping-zones', { name: 'Goa', regions: [{ country: 'IN', states: ['Goa'] }] }),
  };
  const rate = (zone: keyof typeof zones, fields: object) =>
    shop.create('/shipping-rates', { zone_id: zones[zone].id, ...fields });
  await rate('world', { name: 'Air', price: 900 });
  await rate('india', { name: 'Express', price: 120 });
  await rate('india', { name: 'Standard', price: 60, free_above: 500 });
  await rate('india', { name: 'Light', price: 30, maximum_weight: 200 });
  await rate('india', { name: 'Off', price: 1, is_active: false });
  await rate('goa', { name: 'Scooter', price: 20 });
  const offers = async (address: object, changes: object = {}) => {
    const { shipping_rates } = await shop.price({ lines: [{ ...line, weight: 201, ...changes }], address });
    return shipping_rates.map(({ name, price }: Record<string, string>) => `${name} ${price}`);
  };
  expect(await offers({ country: 'FR' })).toEqual(['Air 900.00']);
  expect(await offers({ country: 'India', state: 'Kerala' })).toEqual(['Standard 60.00', 'Express 120.00']);
  expect(await offers({ country: 'IN' }, { weight: 200 })).toEqual(['Light 30.00', 'Standard 60.00', 'Express 120.00']);
  expect(await offers({ country: 'IN' }, { quantity: 5 })).toEqual(['Standard 0.00', 'Express 120.00']);
  expect(await offers({ country: 'IN', state: 'GA' })).toEqual(['Scooter 20.00']);
});

test('a code is refused outside its time and when it is not active', async () => {
  const shop = await openShop();
  const add = (code: string, fields: object) =>
    shop.create('/discounts', { code, kind: 'percent', value: 10, ...fields });
  await add('OLD', { ends_at: '2020-01-01T00:00:00Z' });
  await add('SOON', { starts_at: '2999-01-01T00:00:00Z' });
  await add('OFF', { is_active: false });
  const now = await add('NOW', {
    starts_at: '2020-01-01T00:00:00Z',
    ends_at: '2999-01-01T00:00:00Z',
    title: 'Ten off',
  });
  const cart = await shop.price({ lines: [line], codes: ['old', 'soon', 'off', 'none', 'now'] });
  expect(cart.problems).toEqual([
    { code: 'expired', discount_code: 'OLD', message: 'The discount code OLD has expired.' },
    { code: 'not_started', discount_code: 'SOON', message: 'The discount code SOON cannot be used yet.' },
    { code: 'inactive', discount_code: 'OFF', message: 'The discount code OFF is not active.' },
    { code: 'unknown', discount_code: 'none', message: 'There is no discount code none.' },
  ]);
  expect(cart.discounts).toMatchObject([
    { source: 'code', discount_id: now.id, code: 'NOW', title: 'Ten off', amount: '10.00' },
  ]);
  expect(cart.total).toBe('90.00');
});

test('a preview writes nothing but its own entry in the log', async () => {
  const shop = await openShop();
  await shop.create('/discounts', { code: 'TEN', kind: 'percent', value: 10, usage_limit: 1 });
  for (let n = 0; n < 3; n += 1) expect((await shop.price({ lines: [line], codes: ['TEN'] })).total).toBe('90.00');
  expect(await shop.tenant.db.rows(sql`SELECT uses FROM discounts`)).toEqual([{ uses: 0 }]);
});

test('a cart in dinars has three decimals', async () => {
  const shop = await openShop();
  await shop.caller.patch('/api/v1/settings', { 'general.currency': 'KWD', 'general.country': 'KW' });
  await shop.create('/discounts', { code: 'FILS', kind: 'fixed', value: '0.125' });
  const cart = await shop.price({ lines: [{ quantity: 3, price: '0.333' }], codes: ['FILS'] });
  expect(cart).toMatchObject({ currency: 'KWD', subtotal: '0.999', discount_total: '0.125', total: '0.874' });
});

test('a discount says whether it can be used now, and the list is filtered by it', async () => {
  const shop = await openShop();
  const used = await shop.create('/discounts', { code: 'USED', kind: 'percent', value: '5', usage_limit: 1 });
  await shop.tenant.db.run(sql`UPDATE discounts SET uses = 1 WHERE id = ${used.id}`);
  const discount = { kind: 'percent', value: '5' };
  await shop.create('/discounts', { ...discount, code: 'NOW' });
  await shop.create('/discounts', { ...discount, code: 'OFF', is_active: false });
  await shop.create('/discounts', { ...discount, code: 'PAST', ends_at: '2020-01-01T00:00:00Z' });
  await shop.create('/discounts', { ...discount, code: 'LATER', starts_at: '2999-01-01T00:00:00Z' });
  const expected = { NOW: 'active', OFF: 'inactive', PAST: 'expired', LATER: 'scheduled', USED: 'used_up' };
  const list = async (query = '') => (await shop.caller.get(`/api/v1/discounts${query}`)).body.discounts;
  const statuses = (await list()).map(({ code, status }: { code: string; status: string }) => [code, status]);
  expect(Object.fromEntries(statuses)).toEqual(expected);
  for (const [code, status] of Object.entries(expected)) {
    expect(await list(`?status=${status}`)).toMatchObject([{ code, status }]);
  }
});

test('the presets are what adding one adds', async () => {
  const shop = await openShop();
  const { presets } = (await shop.caller.get('/api/v1/tax-rates/presets')).body;
  expect(presets).toHaveLength(3);
  for (const { country, needs_state, rates } of presets) {
    const { body } = await shop.caller.post(`/api/v1/tax-rates/presets/${country}`, needs_state ? { state: 'MH' } : {});
    const added = body.tax_rates.map(({ name, tax_class, rate, state, is_active }: Record<string, unknown>) => {
      return { name, tax_class, rate: Number(rate), in_shop_state: state === 'MH', is_active };
    });
    expect(rates.map((one: { rate: string }) => ({ ...one, rate: Number(one.rate) }))).toEqual(added);
  }
});

test('states that are known by name and code are listed', async () => {
  const { states } = (await acme.caller.get('/api/v1/pricing/states')).body;
  expect(states.IN).toMatchObject({ MH: 'Maharashtra', KA: 'Karnataka' });
});
