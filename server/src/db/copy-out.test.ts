import { setImmediate as pause } from 'node:timers/promises';
import { sql } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { onSeparateConnection } from '../../testing/scratch-database.ts';

const largeCopy = "COPY (SELECT repeat('x', 1000) FROM generate_series(1, 100000)) TO STDOUT";

test('a slow reader gets all rows of a large table in small blocks', async () => {
  await onSeparateConnection('postgres', async (connection) => {
    const sizes: number[] = [];
    for await (const block of connection.copyOut(largeCopy)) {
      sizes.push(block.length);
      // Long enough for the whole table to arrive, if nothing holds it back.
      for (let turn = 0; turn < 2_000 && sizes.length < 5; turn += 1) await pause();
    }
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(100_000 * 1_001);
    // One megabyte, and what the socket had read already.
    expect(Math.max(...sizes)).toBeLessThan(2_000_000);
    expect((await connection.query(sql`SELECT 1 AS one`)).rows).toEqual([{ one: 1 }]);
  });
});

test('a failure reaches the reader, before the first row and after many', async () => {
  await onSeparateConnection('postgres', async (connection) => {
    await expect(Array.fromAsync(connection.copyOut('COPY nothing TO STDOUT'))).rejects.toThrow(/does not exist/);
    const late = 'COPY (SELECT 1 / (50000 - n) FROM generate_series(1, 100000) AS n) TO STDOUT';
    await expect(Array.fromAsync(connection.copyOut(late))).rejects.toThrow(/division by zero/);
    expect((await connection.query(sql`SELECT 1 AS one`)).rows).toEqual([{ one: 1 }]);
  });
});

test('a reader that stops can close the connection', async () => {
  await onSeparateConnection('postgres', async (connection) => {
    for await (const block of connection.copyOut(largeCopy)) {
      expect(block.length).toBeGreaterThan(0);
      break;
    }
  });
});
