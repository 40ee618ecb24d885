import type { Notification } from '@chowk/client';
import { expect, test } from 'vitest';
import { addNotification, findMissed, findNewestId, type Inbox, markReadAt, mergeLatest } from './merge.ts';

/** Received on a day of November. */
const received = (id: string, day: number, fields: Partial<Notification> = {}) =>
  ({
    id,
    created_at: `2026-11-${String(day).padStart(2, '0')}T10:00:00Z`,
    read_at: null,
    count: 1,
    ...fields,
  }) as Notification;
const ids = (rows: readonly Notification[]) => rows.map(({ id }) => id);

const inbox: Inbox = { latest: [received('b', 2), received('a', 1, { read_at: '2026-11-01T11:00:00Z' })], unread: 5 };

test('a new notification comes first and is counted', () => {
  const next = addNotification(inbox, received('c', 3));
  expect({ ids: ids(next.latest), unread: next.unread }).toEqual({ ids: ['c', 'b', 'a'], unread: 6 });
});

test('one that is older than others takes its place by time', () => {
  const { latest } = addNotification({ latest: [received('c', 3), received('a', 1)], unread: 2 }, received('b', 2));
  expect(ids(latest)).toEqual(['c', 'b', 'a']);
});

test('one that arrives twice changes nothing', () => {
  expect(addNotification(inbox, received('b', 2))).toBe(inbox);
});

test('a repeated notification moves to the top and is counted once', () => {
  const next = addNotification(inbox, received('b', 4, { count: 2 }));
  expect({ ids: ids(next.latest), unread: next.unread }).toEqual({ ids: ['b', 'a'], unread: 5 });
});

test('a repeated one that is no longer among the latest was counted before', () => {
  expect(addNotification(inbox, received('old', 4, { count: 3 })).unread).toBe(5);
});

test('a notification that was read and comes again is unread again', () => {
  const next = addNotification(inbox, received('a', 4));
  expect({ ids: ids(next.latest), unread: next.unread }).toEqual({ ids: ['a', 'b'], unread: 6 });
});

test('the inbox keeps the ten latest', () => {
  const full = Array.from({ length: 10 }, (_, index) => received(`n${index}`, 20 - index));
  const { latest } = addNotification({ latest: full, unread: 10 }, received('new', 25));
  expect(ids(latest)).toEqual(['new', ...ids(full).slice(0, 9)]);
});

test('after a lost connection, only what the inbox does not have was missed', () => {
  const read = [received('b', 4, { count: 2 }), received('c', 3), received('b', 2)];
  const missed = findMissed(inbox.latest, read);
  expect(ids(missed)).toEqual(['b', 'c']);
  expect(ids(mergeLatest(inbox.latest, missed))).toEqual(['b', 'c', 'a']);
});

test('what was missed is asked for after the newest id, which is not always first', () => {
  expect(findNewestId([received('a', 9, { count: 2 }), received('c', 3)])).toBe('c');
  expect(findNewestId([])).toBeUndefined();
});

test('marking as read keeps the time of those that were read before', () => {
  const rows = markReadAt(inbox.latest, '2026-11-05T00:00:00Z', () => true);
  expect(rows.map(({ read_at }) => read_at)).toEqual(['2026-11-05T00:00:00Z', '2026-11-01T11:00:00Z']);
});
