import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findBreakingChanges, findBreakingSchemaChanges } from './api-changes.ts';

const release = JSON.parse(await readFile(join(import.meta.dirname, '../docs/releases/openapi-1.0.0.json'), 'utf8'));

/** The changes that a modification of the released document makes. */
// biome-ignore lint/suspicious/noExplicitAny: the document has many shapes
function changesAfter(modify: (document: any) => void): string[] {
  const copy = structuredClone(release);
  modify(copy);
  return findBreakingChanges(release, copy);
}

test('the released document does not differ from itself', () => {
  expect(findBreakingChanges(release, release)).toEqual([]);
});

test('what clients would notice is named', () => {
  const changes = changesAfter(({ paths, components: { schemas } }) => {
    delete paths['/api/v1/orders/{id}'].delete;
    paths['/api/v1/orders'].get.parameters.push({ name: 'shop', in: 'query', required: true, schema: {} });
    schemas.NewOrder.required.push('note');
    delete schemas.Customer.properties.email;
    schemas.Customer.properties.total_orders.type = ['integer', 'null'];
    schemas.OrderStatusChange.properties.status.enum = ['pending'];
  });
  expect(changes).toContain('DELETE /api/v1/orders/{id} is gone');
  expect(changes).toContain('GET /api/v1/orders: the parameter query shop is required');
  expect(changes).toContain('POST /api/v1/orders: body.note is required');
  expect(changes).toContain('GET /api/v1/customers: 200.customers[].email is gone');
  expect(changes).toContain('GET /api/v1/customers: 200.customers[].total_orders can be null');
  expect(changes.join('\n')).toContain('POST /api/v1/orders/{id}/status: body.status no longer takes confirmed');
});

test('tighter limits, required bodies and changes of webhooks are named', () => {
  const changes = changesAfter(({ paths, webhooks, components: { schemas } }) => {
    schemas.NewOrder.properties.note.maxLength = 10;
    schemas.NewOrder.properties.items.minItems = 2;
    schemas.NewCustomer.properties.email.pattern = '^a';
    const page = paths['/api/v1/orders'].get.parameters.find(({ name }: { name: string }) => name === 'per_page');
    page.schema.maximum = 50;
    paths['/api/v1/api-clients/{id}/secret'].post.requestBody.required = true;
    delete webhooks['order.deleted'];
    delete webhooks['customer.deleted'].post.requestBody.content['application/json'].schema.properties.data.properties
      .mode;
  });
  expect(changes).toContain('POST /api/v1/orders: body.note has the maxLength 10');
  expect(changes).toContain('POST /api/v1/orders: body.items has the minItems 2');
  expect(changes).toContain('POST /api/v1/customers: body.email has the pattern ^a');
  expect(changes).toContain('GET /api/v1/orders: query per_page has the maximum 50');
  expect(changes).toContain('POST /api/v1/api-clients/{id}/secret: the body is required');
  expect(changes).toContain('webhook order.deleted is gone');
  expect(changes).toContain('webhook customer.deleted.data.mode is gone');
});

test('looser limits break nothing', () => {
  const changes = changesAfter(({ components: { schemas } }) => {
    schemas.NewOrder.properties.note.maxLength = 1_000_000;
    delete schemas.NewOrder.properties.items.maxItems;
  });
  expect(changes).toEqual([]);
});

test('what clients of the GraphQL schema would notice is named', () => {
  const released = 'type Query { order(id: ID!): Order } type Order { id: ID! total: String }';
  expect(findBreakingSchemaChanges(released, released.replace(' total: String', ''))).toEqual([
    'GraphQL: Order.total was removed.',
  ]);
  expect(findBreakingSchemaChanges(released, released.replace('total', 'note: String total'))).toEqual([]);
});

test('what is added breaks nothing', () => {
  const changes = changesAfter(({ paths, components: { schemas } }) => {
    paths['/api/v1/more'] = paths['/api/v1/orders'];
    paths['/api/v1/orders'].get.parameters.push({ name: 'shop', in: 'query', required: false, schema: {} });
    schemas.NewOrder.properties.gift = { type: 'boolean' };
    schemas.Customer.properties.shoe_size = { type: 'integer' };
  });
  expect(changes).toEqual([]);
});
