import { expect, test } from 'vitest';
import { type PageResult, pagesAround, perPage, resolveList, rowAt } from './list-pages.ts';

const page = (number: number, total: number, readAt = number): PageResult<string> => ({
  page: number,
  data: { rows: [`row ${(number - 1) * perPage}`, `row ${(number - 1) * perPage + 1}`], total },
  error: null,
  dataUpdatedAt: readAt,
});
const loading = (number: number): PageResult<string> => ({
  page: number,
  data: undefined,
  error: null,
  dataUpdatedAt: 0,
});
const all = { identity: 'all', tenant: 'acme', previous: undefined };

test('nothing is known until the first page has been read', () => {
  expect(resolveList({ ...all, results: [loading(1)] })).toMatchObject({ total: undefined, isOutdated: false });
});

test('rows are found on the pages that have been read', () => {
  const { pages, total } = resolveList({ ...all, results: [page(1, 350), loading(2), page(3, 350)] });
  expect(total).toBe(350);
  expect([0, 1, 100, 200].map((index) => rowAt(pages, index))).toEqual(['row 0', 'row 1', undefined, 'row 200']);
});

test('the total is that of the page that was read last', () => {
  expect(resolveList({ ...all, results: [page(1, 350, 20), page(2, 349, 30)] }).total).toBe(349);
});

test('the rows of the previous filters stay until those of the next are read', () => {
  const { snapshot: previous } = resolveList({ ...all, results: [page(1, 350)] });
  const next = resolveList({ ...all, identity: 'open', results: [loading(1)], previous });
  expect(next).toMatchObject({ total: 350, isOutdated: true });
  expect(rowAt(next.pages, 0)).toBe('row 0');
  const read = resolveList({ ...all, identity: 'open', results: [page(1, 7)], previous: next.snapshot });
  expect(read).toMatchObject({ total: 7, isOutdated: false });
});

test('the rows of one tenant are never shown to another', () => {
  const { snapshot: previous } = resolveList({ ...all, results: [page(1, 350)] });
  const other = resolveList({ identity: 'other', tenant: 'other', results: [loading(1)], previous });
  expect(other).toMatchObject({ isOutdated: false, total: undefined });
  expect(rowAt(other.pages, 0)).toBeUndefined();
});

test('an error of the next filters is shown instead of the previous rows', () => {
  const { snapshot: previous } = resolveList({ ...all, results: [page(1, 350)] });
  const error = new Error('The platform cannot be reached.');
  const failed = resolveList({ ...all, identity: 'open', results: [{ ...loading(1), error }], previous });
  expect(failed).toMatchObject({ error, isOutdated: false, total: undefined });
});

test('while the user scrolls to unread pages, the total stays', () => {
  const { snapshot: previous } = resolveList({ ...all, results: [page(1, 350)] });
  expect(resolveList({ ...all, results: [loading(3)], previous })).toMatchObject({ total: 350, isOutdated: false });
});

test('the same pages give the same snapshot, so that rendering ends', () => {
  const results = [page(1, 350)];
  const { snapshot } = resolveList({ ...all, results });
  expect(resolveList({ ...all, results, previous: snapshot }).snapshot).toBe(snapshot);
  const changed = resolveList({ ...all, results: [page(1, 349)], previous: snapshot });
  expect(changed.snapshot).not.toBe(snapshot);
});

test.each([
  [0, 20, 1_000, [1]],
  [60, 80, 1_000, [1, 2]],
  [125, 145, 1_000, [1, 2]],
  [140, 160, 1_000, [2]],
  [380, 410, 1_000, [4, 5]],
  // Not beyond the end.
  [90, 99, 100, [1]],
  [0, 0, 0, [1]],
])('rows %i to %i of a list of %3$i need these pages', (first, last, total, pages) => {
  expect(pagesAround(first, last, total)).toEqual(pages);
});
