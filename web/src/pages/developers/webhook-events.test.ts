import { expect, test } from 'vitest';
import { chosenEvents, groupEvents } from './webhook-events.ts';

const events = [
  { name: 'order.created', summary: 'An order was created' },
  { name: 'order.updated', summary: 'An order was changed' },
  { name: 'customer.created', summary: 'A customer was added' },
];

test('events are offered by subject, with what the webhook already gets', () => {
  const groups = groupEvents(events, ['order.*', 'shelf.*', 'loyalty.earned']);
  expect(groups.map(({ title, pattern }) => [title, pattern])).toEqual([
    ['Order', 'order.*'],
    ['Customer', 'customer.*'],
    ['Loyalty', 'loyalty.*'],
    ['Shelf', 'shelf.*'],
  ]);
  expect(groups[2]?.events.map(({ name }) => name)).toEqual(['loyalty.earned']);
});

test('a chosen pattern stands for its events', () => {
  const fields = ['url', 'event.order.*', 'event.order.created', 'event.customer.created'];
  expect(chosenEvents(fields)).toEqual(['order.*', 'customer.created']);
  expect(chosenEvents([...fields, 'event.*'])).toEqual(['*']);
  expect(chosenEvents(['url'])).toEqual([]);
});
