import { type Listener, sql } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { loadModules } from '../../server/src/loader/load-modules.ts';
import { startPlatform } from '../../server/testing/platform.ts';
import { testConfig } from '../../server/testing/test-config.ts';
import { testModule } from '../../server/testing/test-module.ts';

/** Keeps the higher tier together with the name of the customer who had it. */
const keepHigherTier: Listener = {
  event: 'customer.merging',
  when: 'in_transaction',
  name: 'keep-higher-tier',
  async run(ctx, payload) {
    const { primary, secondary } = payload as { primary: { id: string }; secondary: { id: string } };
    await ctx.db.run(sql`
      UPDATE loyalty kept SET (tier, earned_by) = (removed.tier, removed.earned_by) FROM loyalty removed
      WHERE kept.customer_id = ${primary.id} AND removed.customer_id = ${secondary.id} AND removed.tier > kept.tier`);
  },
};

const loyalty = testModule({
  alias: 'loyalty',
  listeners: [keepHigherTier],
  migration: `CREATE TABLE loyalty (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), customer_id uuid NOT NULL UNIQUE,
    points integer NOT NULL, tier integer NOT NULL, earned_by text);`,
});
const withData = {
  ...loyalty,
  manifest: {
    ...loyalty.manifest,
    data: {
      loyalty: {
        customer: 'customer_id',
        unique_by: [],
        merge: { points: 'sum' as const, tier: 'keep' as const },
        columns: { earned_by: 'personal' as const },
      },
    },
  },
};

const platform = await startPlatform({ modules: [...(await loadModules(testConfig())), withData] });
const acme = await platform.tenant();
const merchant = acme.caller('customers.create', 'customers.merge');
const create = async (first_name: string, points: number, tier: number): Promise<string> => {
  const { id } = (await merchant.post('/api/v1/customers', { first_name })).body.customer;
  await acme.db.run(sql`
    INSERT INTO loyalty (customer_id, points, tier, earned_by) VALUES (${id}, ${points}, ${tier}, ${first_name})`);
  return id;
};

test('merging adds loyalty points and lets the module combine the rows of both customers', async () => {
  const [primary_id, secondary_id] = [await create('Asha', 100, 1), await create('Ravi', 50, 3)];
  const { status } = await merchant.post('/api/v1/customers/merge', { primary_id, secondary_id });
  expect(status).toBe(200);
  expect(await acme.db.rows(sql`SELECT customer_id, points, tier, earned_by FROM loyalty`)).toEqual([
    { customer_id: primary_id, points: 150, tier: 3, earned_by: 'Ravi' },
  ]);
});
