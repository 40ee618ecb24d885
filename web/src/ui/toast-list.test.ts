import { expect, test } from 'vitest';
import { type Toast, toastList } from './toast-list.ts';

const texts = (list: readonly Toast[]) => list.map(({ text }) => text);

test('a toast about the same is changed in place, and comes again at the earliest after half a minute', () => {
  const add = toastList();
  const orders = (count: number) => ({ text: `${count} new orders`, about: 'orders' });
  const [first] = add([], orders(1), 0) as [Toast];
  const both = add([first], { text: 'Saved.' }, 500);
  const changed = add(both, orders(2), 1_000);
  expect(texts(changed)).toEqual(['2 new orders', 'Saved.']);
  expect(changed[0]?.id).toBe(first.id);
  expect(add([], orders(3), 29_999)).toEqual([]);
  expect(texts(add([], orders(4), 30_000))).toEqual(['4 new orders']);
  expect(add([], orders(5), 40_000)).toEqual([]);
});

test('others always come, and three are shown', () => {
  const add = toastList();
  let list: readonly Toast[] = [];
  for (const text of ['Saved.', 'Saved.', 'Saved.', 'Sent.']) list = add(list, { text }, 0);
  expect(texts(list)).toEqual(['Saved.', 'Saved.', 'Sent.']);
  expect(texts(add(list, { text: 'A note', about: 'note 1' }, 0))).toEqual(['Saved.', 'Sent.', 'A note']);
});
