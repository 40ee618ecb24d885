import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { Answer } from './answer.ts';
import type { Ctx } from './context.ts';

const ctx = { now: () => new Date('2026-11-14T23:59:59Z') } as Ctx;
const columns = { n: ({ n }: { n: number }) => String(n), text: ({ text }: { text: string }) => text };

async function* items(count: number, text = 'x') {
  for (let n = 1; n <= count; n += 1) yield { n, text };
}

async function readPieces(body: unknown): Promise<string[]> {
  return (body as Readable).map(String).toArray();
}

test('a CSV file begins with a byte order mark and its columns, and is named for the day', async () => {
  const { body, headers } = Answer.download(ctx, { name: 'items', format: 'csv', rows: items(2, 'a,b'), columns });
  expect(headers).toEqual({
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': 'attachment; filename="items-2026-11-14.csv"',
  });
  expect((await readPieces(body)).join('')).toBe('\ufeffn,text\r\n1,"a,b"\r\n2,"a,b"\r\n');
});

test('a CSV column can be omitted and replaced, and additional columns come last', async () => {
  const rows = Readable.from([{ id: 1, by: { id: 7, name: 'Asha' }, at: 'today' }]);
  const more = { by: null, by_id: ({ by }: { by: { id: number } }) => by.id, at: () => 'now', last: () => 'x' };
  const { body } = Answer.download(ctx, {
    name: 'items',
    format: 'csv',
    rows,
    fields: ['id', 'by', 'at'],
    columns: more,
  });
  expect((await readPieces(body)).join('')).toBe('\ufeffid,by_id,at,last\r\n1,7,now,x\r\n');
});

test.each([0, 1, 2, 3_000])('a JSON file of %i rows is valid', async (count) => {
  const { body, headers } = Answer.download(ctx, { name: 'items', format: 'json', rows: items(count), columns });
  expect(headers['content-disposition']).toBe('attachment; filename="items-2026-11-14.json"');
  expect(JSON.parse((await readPieces(body)).join(''))).toEqual({ items: await Array.fromAsync(items(count)) });
});

test('rows are read only as fast as the file is consumed', async () => {
  let taken = 0;
  async function* endless() {
    for (;;) yield { n: ++taken, text: 'x'.repeat(1_000) };
  }
  const { body } = Answer.download(ctx, { name: 'items', format: 'csv', rows: endless(), columns });
  const reader = (body as Readable)[Symbol.asyncIterator]();
  for (let read = 0; read < 10; read += 1) expect((await reader.next()).value.length).toBeLessThan(34_000);
  // The stream reads a few pieces ahead, of some 32 rows each.
  expect(taken).toBeLessThan(32 * 40);
  await reader.return?.();
});

test('an error in the middle of a file fails the download', async () => {
  async function* failing() {
    yield* items(5_000);
    throw new Error('no luck');
  }
  const { body } = Answer.download(ctx, { name: 'items', format: 'csv', rows: failing(), columns });
  await expect(readPieces(body)).rejects.toThrow('no luck');
});
