import { action, type Listener, sql, Type } from '@chowk/kit/kernel';
import type { LoadedModule } from '../src/loader/load-modules.ts';
import { repositoryModules } from './repository-modules.ts';
import { testModule } from './test-module.ts';

/* A module that calls the internal API of customers and records the events it receives. */

const recordedEvents = ['customer.created', 'customer.updated', 'customer.merged', 'customer.deleted'];

/** In the emitting transaction, so that events of a rolled-back change are not recorded. */
const listeners = recordedEvents.map(
  (event): Listener => ({
    event,
    when: 'in_transaction',
    name: `record-${event}`,
    run: async (ctx, payload) => {
      await ctx.db.run(sql`INSERT INTO shop_events (name, payload) VALUES (${event}, ${JSON.stringify(payload)})`);
    },
  }),
);

const actions = {
  'shop.ask': action({
    summary: 'Call a helper of the customers module',
    http: 'POST /shop/ask/:helper',
    needs: 'shop.use',
    audited: false,
    errors: ['customers.not_found', 'customers.merged'],
    input: Type.Object({ helper: Type.String() }, { additionalProperties: true }),
    run: async (ctx, { helper, ...input }) => {
      const helpers = (await ctx.helpers('customers')) as Record<string, (input: unknown) => unknown> | undefined;
      const result = await helpers?.[helper]?.(input);
      return { result: result instanceof Map ? Object.fromEntries(result) : (result ?? null) };
    },
  }),
};

const shop = testModule({
  alias: 'shop',
  listeners,
  actions,
  migration: `
    CREATE TABLE shop_events (seq bigint GENERATED ALWAYS AS IDENTITY, name text NOT NULL, payload jsonb NOT NULL);`,
});

/** All modules, and the shop. */
export async function withShop(): Promise<LoadedModule[]> {
  return [...(await repositoryModules()), shop];
}

/** An order of one unit. */
export function orderOf(customer: object, total: string, more: object = {}) {
  return { customer, items: [{ name: 'Tea', quantity: 1, price: total }], note: 'Ring twice', ...more };
}
