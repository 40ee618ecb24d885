import { type Ctx, type Listener, route, sql, Type, Uuid } from '@chowk/kit';
import { type LoadedModule, loadModules } from '../src/loader/load-modules.ts';
import { testConfig } from './test-config.ts';
import { testModule } from './test-module.ts';

/* A module beside the real ones: it takes orders for customers, calls their helpers, and writes down what it hears. */

const common = { tag: 'Test', needs: 'shop.use', method: 'POST' } as const;
const Anything = Type.Record(Type.String(), Type.Unknown());
const heard = ['customer.created', 'customer.updated', 'customer.merged', 'customer.deleted'];

/** In the emitter's transaction: what is undone was never heard. */
const listeners = heard.map(
  (event): Listener => ({
    event,
    when: 'within',
    name: `hear-${event}`,
    run: async (ctx, payload) => {
      await ctx.db.run(sql`INSERT INTO shop_events (name, payload) VALUES (${event}, ${JSON.stringify(payload)})`);
    },
  }),
);

const takeOrder = route({
  ...common,
  path: '/shop/orders',
  summary: 'Takes an order, as the orders module does: the customer first, then the order, then the event.',
  body: Type.Object({
    customer: Anything,
    total: Type.String(),
    status: Type.String({ default: 'pending' }),
    placed_at: Type.Optional(Type.String()),
    address: Type.Optional(Anything),
  }),
  answer: Type.Object({ order: Type.Object({ id: Uuid, customer_id: Uuid }) }),
  run: (ctx, { body }) =>
    ctx.tx(async (tx) => {
      const customer = (await ask(tx, 'findOrCreate', body.customer)) as { id: string };
      const order = { id: tx.newId(), customer_id: customer.id };
      const now = tx.now();
      await tx.db.run(sql`
        INSERT INTO orders (id, number, customer_id, status, currency, total, shipping_address, note, placed_at, created_at,
          updated_at)
        VALUES (${order.id}, nextval('shop_numbers'), ${order.customer_id}, ${body.status}, 'INR', ${body.total},
          ${body.address ? JSON.stringify(body.address) : null}, 'Ring twice', ${body.placed_at ?? now}, ${now}, ${now})`);
      await tx.emit('order.created' as never, { order } as never, { about: order.id });
      return { order };
    }),
});

const askHelper = route({
  ...common,
  path: '/shop/ask/:helper',
  summary: 'Calls a helper of the customers module.',
  params: Type.Object({ helper: Type.String() }),
  body: Anything,
  run: async (ctx, { params, body }) => {
    const result = await ask(ctx, params.helper, body);
    return { result: result instanceof Map ? Object.fromEntries(result) : (result ?? null) };
  },
});

async function ask(ctx: Ctx, name: string, input: unknown): Promise<unknown> {
  const helpers = (await ctx.helpers('customers' as never)) as Record<string, (input: unknown) => unknown> | undefined;
  return helpers?.[name]?.(input);
}

const shop = testModule({
  alias: 'shop',
  emits: ['order.created'],
  listeners,
  routes: [takeOrder, askHelper],
  migration: `
    CREATE SEQUENCE shop_numbers START 5000000;
    CREATE TABLE shop_events (seq bigint GENERATED ALWAYS AS IDENTITY, name text NOT NULL, payload jsonb NOT NULL);`,
});

/** The modules there are, and the shop. */
export async function withShop(): Promise<LoadedModule[]> {
  return [...(await loadModules(testConfig())), shop];
}
