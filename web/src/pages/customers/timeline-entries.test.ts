import type { Conversation, CustomerDetail, CustomerOrder } from '@chowk/client';
import { expect, test } from 'vitest';
import type { Change } from '../../activity/read-changes.ts';
import { combine } from './timeline-entries.ts';

const at = (day: number) => `2026-01-${String(day).padStart(2, '0')}T10:00:00.000Z`;
const order = (day: number) => ({ id: `order ${day}`, placed_at: at(day) }) as CustomerOrder;
const conversation = (day: number) => ({ id: `talk ${day}`, last_message_at: at(day) }) as Conversation;
const change = (day: number, action: string) =>
  ({ id: `change ${day}`, at: at(day), action, user_id: 7 }) as unknown as Change;
const customer = { created_at: at(1) } as CustomerDetail;
const complete = <Item>(...items: Item[]) => ({ items, hasMore: false });

test('orders, messages and changes are combined, newest first', () => {
  const { items, hasMore } = combine({
    customer,
    orders: complete(order(9), order(3)),
    conversations: complete(conversation(5)),
    changes: complete(change(7, 'customers.update')),
  });
  expect(items.map(({ id }) => id)).toEqual(['order 9', 'change 7', 'talk 5', 'order 3', 'created']);
  expect(hasMore).toBe(false);
});

test('it ends where one of them has not been read further', () => {
  const { items, hasMore } = combine({
    customer,
    orders: { items: [order(9), order(6)], hasMore: true },
    conversations: complete(conversation(8), conversation(2)),
    changes: complete(change(1, 'customers.create')),
  });
  expect(items.map(({ id }) => id)).toEqual(['order 9', 'talk 8', 'order 6']);
  expect(hasMore).toBe(true);
});

test('the creation is shown once', () => {
  const { items } = combine({
    customer,
    orders: complete(),
    conversations: complete(),
    changes: complete(change(1, 'customers.create')),
  });
  expect(items).toMatchObject([{ kind: 'change', change: { action: 'customers.create' } }]);
});
