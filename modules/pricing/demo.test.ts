import { sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { fillTenant } from '../../server/src/demo/fill-tenant.ts';
import { startPlatform } from '../../server/testing/platform.ts';

const platform = await startPlatform();
const acme = await platform.tenant();
const merchant = acme.caller('orders.create', 'products.edit', 'settings.edit');

function fill(seed: number) {
  const callbacks = { onRows: () => {}, onStep: () => {} };
  const now = new Date('2026-11-15T13:00:00Z');
  return fillTenant(platform.kernel, {
    tenant: acme,
    database: `tenant${acme.id}`,
    size: 20,
    seed,
    now,
    ...callbacks,
  });
}

const count = () =>
  acme.db.row(sql`
    SELECT (SELECT count(*) FROM discounts) AS discounts, (SELECT count(*) FROM tax_rates) AS tax_rates,
      (SELECT count(*) FROM shipping_zones) AS zones, (SELECT count(*) FROM shipping_rates) AS rates`);

test('a demo shop has discounts, taxes and shipping, and keeps its own', async () => {
  await merchant.post('/api/v1/discounts', { code: 'MINE', kind: 'percent', value: 5 });
  await fill(7);
  expect(await count()).toEqual({ discounts: 1, tax_rates: 15, zones: 2, rates: 4 });
  await fill(8);
  expect(await count()).toEqual({ discounts: 1, tax_rates: 15, zones: 2, rates: 4 });
  const cart = { lines: [{ quantity: 1, price: 500, weight: 300 }], address: { country: 'IN', state: 'Goa' } };
  const { body } = await merchant.post('/api/v1/pricing/preview', { ...cart, codes: ['MINE'] });
  expect(body.cart).toMatchObject({ discount_total: '25.00', taxes: [{ name: 'IGST', amount: '85.50' }] });
  expect(body.cart.shipping_rates).toMatchObject([{ name: 'Standard' }, { name: 'Express' }]);
});
