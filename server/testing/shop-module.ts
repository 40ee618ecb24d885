import { action, type Listener, sql, Type } from '@chowk/kit/kernel';
import type { LoadedModule } from '../src/loader/load-modules.ts';
import { repositoryModules } from './repository-modules.ts';
import { testModule } from './test-module.ts';

/* A module that calls operations of customers and records the events it receives. */

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
    summary: 'Call an operation of the customers module',
    http: 'POST /shop/ask/:operation',
    needs: 'shop.use',
    audited: false,
    errors: ['customers.not_found', 'customers.merged'],
    input: Type.Object({ operation: Type.String() }, { additionalProperties: true }),
    run: async (ctx, { operation, ...input }) => {
      const result = await ctx.bus.callIfInstalled(`customers.${operation}` as never, input as never);
      return { result: result ?? null };
    },
  }),
};

const operations = [
  'getRecord',
  'findOrCreate',
  'checkIdentity',
  'lock',
  'findMatching',
  'listContacts',
  'setExternalId',
  'getExternalId',
  'setMetadata',
  'getMetadata',
];

const shop = testModule({
  alias: 'shop',
  consumes: operations.map((name) => ({ operation: `customers.${name}`, optional: true })),
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
export function buildOrder(customer: object, total: string, more: object = {}) {
  return { customer, items: [{ name: 'Tea', quantity: 1, price: total }], note: 'Ring twice', ...more };
}
