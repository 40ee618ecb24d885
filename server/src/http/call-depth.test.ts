import { Client } from 'pg';
import { expect, test } from 'vitest';
import { startPlatform } from '../../testing/platform.ts';

const platform = await startPlatform();
const acme = await platform.tenant();
const caller = acme.caller(
  'customers.view',
  'customers.create',
  'orders.view',
  'orders.create',
  'customers.view_sensitive',
);

function record() {
  const stacks: { text: string; frames: string[] }[] = [];
  const original = Client.prototype.query;
  Client.prototype.query = function (this: unknown, ...args: never[]) {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 200;
    const stack = new Error('x').stack ?? '';
    Error.stackTraceLimit = limit;
    const [config] = args as unknown as [{ text?: string } | string];
    stacks.push({
      text: String(typeof config === 'string' ? config : config.text)
        .replaceAll(/\s+/g, ' ')
        .slice(0, 90),
      frames: stack
        .split('\n')
        .filter((l) => /\/(server\/src|kit\/src|modules)\//.test(l) && !l.includes('call-depth'))
        .map((l) => l.replace(/file:.*?(server|kit|modules)\//, '$1/').trim()),
    });
    return original.apply(this as never, args as never);
  } as never;
  return {
    stacks,
    stop: () => {
      Client.prototype.query = original;
    },
  };
}

test('depth', async () => {
  const created = await caller.post('/api/v1/customers', { first_name: 'Asha' });
  const id = created.body.customer.id;
  for (const [name, run] of Object.entries({
    get: () => caller.get(`/api/v1/customers/${id}`),
    list: () => caller.get(`/api/v1/customers`),
    order: () =>
      caller.post('/api/v1/orders', { customer: { id }, items: [{ name: 'Tea', quantity: 1, price: '4.00' }] }),
    graphql: () => caller.post('/api/v1/graphql', { query: '{ customers(first: 5) { nodes { id first_name } } }' }),
  })) {
    await run();
    const recorder = record();
    const response = await run();
    recorder.stop();
    console.log(`\n== ${name} ${response.status}`);
    for (const { text, frames } of recorder.stacks)
      console.log(
        frames.length,
        new Set(frames.map((f) => f.replace(/.*?((server|kit|modules)\/[^:]+):.*/, '$1'))).size,
        text,
      );
    const deepest = recorder.stacks.toSorted((a, b) => b.frames.length - a.frames.length)[0];
    console.log(deepest?.frames.join('\n'));
  }
  expect(1).toBe(1);
});
