import { expect, test } from 'vitest';
import { newId } from './ids.ts';

test('ids are UUIDs of version 7 with the current time, different and in order', () => {
  const before = Date.now();
  const ids = Array.from({ length: 20_000 }, newId);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.toSorted()).toEqual(ids);
  const time = (id: string) => Number.parseInt(id.replace('-', '').slice(0, 12), 16);
  expect(time(ids[0] as string)).toBeGreaterThanOrEqual(before);
  // 2,048 to 4,096 ids fit into a millisecond; the time of further ones is ahead of the clock.
  expect(time(ids.at(-1) as string)).toBeLessThan(Date.now() + 20);
});
