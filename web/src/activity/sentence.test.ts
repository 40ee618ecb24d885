import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { describeChange } from './sentence.ts';

const text = (action: string, fields: object = {}) => {
  const { before, thing, after } = describeChange({ action, outcome: 'ok', input: {}, changes: null, ...fields });
  return before + (thing ? `{${thing}}` : '') + after;
};

test.each([
  ['orders.cancel', {}, 'cancelled {order}'],
  ['orders.updateStatus', { input: { status: 'shipped' } }, 'marked {order} as shipped'],
  ['orders.cancel', { outcome: 'refused' }, 'was not allowed to cancel {order}'],
  ['orders.refund', { outcome: 'failed' }, 'could not refund {order}'],
  ['conversations.reply', {}, 'replied in {conversation}'],
  ['customers.reveal', { input: { field: 'phone' } }, 'looked up the phone of {customer}'],
  ['customers.update', { changes: { email: ['a', 'b'] } }, 'changed the email of {customer}'],
  ['customers.update', { changes: { first_name: [], tags: [] } }, 'changed the first name and tags of {customer}'],
  ['products.update', { changes: { a: 1, b: 1, c: 1, d: 1 } }, 'changed the a, b and other fields of {product}'],
  ['customers.update', { changes: {} }, 'changed {customer}'],
])('%s %j is “%s”', (action, fields, expected) => {
  expect(text(action, fields)).toBe(expected);
});

test.each([
  ['pricing.createTaxRate', 'created a tax rate'],
  ['webhooks.delete', 'deleted a webhook'],
  ['apiClients.create', 'created an API client'],
  ['roles.update', 'changed a role'],
  ['warehouse.addShelf', 'added a shelf'],
  ['loyalty.updatePoints', 'changed points'],
])('an action without a phrase of its own is described by its name: %s', (action, expected) => {
  expect(text(action)).toBe(expected);
});

test('every action of the platform has a sentence of plain words', async () => {
  const { paths } = JSON.parse(await readFile('docs/openapi.json', 'utf8'));
  const operations = Object.values(paths).flatMap((path) =>
    Object.entries(path as Record<string, { operationId: string }>),
  );
  const sentences = operations.flatMap(([method, { operationId }]) => (method === 'get' ? [] : [text(operationId)]));
  expect(sentences.length).toBeGreaterThan(150);
  for (const sentence of sentences) expect(sentence).toMatch(/^[a-z]+ [a-zA-Z {}-]+$/);
});
