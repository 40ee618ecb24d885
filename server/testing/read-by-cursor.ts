import { expect } from 'vitest';
import type { TestResponse } from './platform.ts';

interface Reader {
  get(url: string): Promise<TestResponse>;
}

/** Reads a whole list by cursor, two rows at a time. Calls `between` after each page. */
export async function readByCursor<Row>(
  reader: Reader,
  url: string,
  between: () => Promise<unknown> = async () => {},
): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const separator = url.includes('?') ? '&' : '?';
    const { status, body } = await reader.get(`${url}${separator}limit=2${cursor && `&cursor=${cursor}`}`);
    expect(status, JSON.stringify(body)).toBe(200);
    const { pagination, ...lists } = body;
    rows.push(...(Object.values(lists)[0] as Row[]));
    if (pagination.has_more) expect(pagination.next_cursor).not.toBeNull();
    cursor = pagination.has_more ? pagination.next_cursor : null;
    await between();
  }
  return rows;
}
