import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { startPlatform } from '../../testing/platform.ts';

/* How many functions of ours stand between a route and its SQL: what an engineer steps through in a debugger. */

const platform = await startPlatform();
const acme = await platform.tenant();
const permissions = ['customers.view', 'customers.create', 'orders.create'];
const caller = acme.caller(...permissions);
const { body } = await caller.post('/api/v1/customers', { first_name: 'Asha' });
const { id } = body.customer;

const requests = {
  'GET /customers/:id': {
    send: () => caller.get(`/api/v1/customers/${id}`),
    statement: /FROM customers c WHERE id = ANY/,
    most: 8,
  },
  'POST /orders': {
    send: () =>
      caller.post('/api/v1/orders', { customer: { id }, items: [{ name: 'Tea', quantity: 1, price: '4.00' }] }),
    statement: /INSERT INTO orders/,
    most: 14,
  },
  'a call of another module over the bus': {
    send: () =>
      caller.post('/api/v1/orders', { customer: { id }, items: [{ name: 'Tea', quantity: 1, price: '4.00' }] }),
    statement: /FROM customers c WHERE id = \S+ FOR NO KEY UPDATE/,
    most: 6,
  },
  'a list in GraphQL': {
    send: () => caller.post('/api/v1/graphql', { query: '{ customers(first: 5) { nodes { id } } }' }),
    statement: /FROM customers c/,
    most: 16,
  },
};

/** Our frames of the statements that are sent, without the database layer below `ctx.db`. */
function recordFrames(statement: RegExp): string[][] {
  const found: string[][] = [];
  const { query } = Client.prototype;
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 200;
  onTestFinished(() => {
    Client.prototype.query = query;
    Error.stackTraceLimit = stackTraceLimit;
  });
  Client.prototype.query = function (this: Client, ...args: [{ text: string }]) {
    if (statement.test(args[0].text)) {
      const lines = (new Error('frames').stack ?? '').split('\n');
      found.push(
        lines.filter((line) => /\/(server\/src|kit\/src|modules)\//.test(line) && !/\/db\/|\.test\.ts/.test(line)),
      );
    }
    return query.apply(this, args as never);
  } as typeof query;
  return found;
}

test.each(Object.entries(requests))('%s reaches its SQL in few steps', async (_, { send, statement, most }) => {
  const found = recordFrames(statement);
  expect((await send()).status).toBeLessThan(300);
  const [frames = []] = found;
  expect(frames.length, frames.join('\n')).toBeGreaterThan(3);
  expect(frames.length, frames.join('\n')).toBeLessThanOrEqual(most);
});
