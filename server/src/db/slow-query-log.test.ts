import { type Log, sql } from '@chowk/kit/kernel';
import { expect, inject, onTestFinished, test } from 'vitest';
import { silent } from '../../testing/silent-log.ts';
import { Connection } from './connection.ts';
import { SlowQueryLog } from './slow-query-log.ts';

/** In milliseconds: every query takes longer. */
const everyQuery = 0.001;
const limits = { connectTimeoutMs: 5_000, queryTimeoutMs: 30_000 };

async function openWithThreshold(thresholdMs: number) {
  const entries: unknown[] = [];
  const log: Log = { ...silent, warn: (details, message) => entries.push({ ...(details as object), message }) };
  const slowQueries = new SlowQueryLog(log, thresholdMs);
  const connection = await Connection.open(inject('server'), 'postgres', { ...limits, slowQueries });
  onTestFinished(() => connection.close());
  return { connection, entries };
}

test('a slow statement is logged with its database, name, duration and SQL, without its values', async () => {
  const { connection, entries } = await openWithThreshold(everyQuery);
  await connection.query(sql`SELECT ${1}::integer AS number,
    ${'secret'}::text AS value`);
  expect(entries).toEqual([
    {
      database: 'postgres',
      statement: expect.stringMatching(/^\w+$/),
      duration_ms: expect.any(Number),
      sql: 'SELECT $1::integer AS number, $2::text AS value',
      message: 'slow query',
    },
  ]);
});

test('a slow statement that fails is logged too', async () => {
  const { connection, entries } = await openWithThreshold(everyQuery);
  const failing = connection.query(sql`SELECT 1 / 0`);
  await expect(failing).rejects.toThrow('division by zero');
  expect(entries).toHaveLength(1);
});

test('a fast statement is not logged', async () => {
  const { connection, entries } = await openWithThreshold(30_000);
  await connection.query(sql`SELECT 1`);
  expect(entries).toEqual([]);
});

test('a threshold of 0 turns the log off', async () => {
  const { connection, entries } = await openWithThreshold(0);
  await connection.query(sql`SELECT 1`);
  expect(entries).toEqual([]);
});
