import { raw, sql } from '@chowk/kit/kernel';
import { expect, inject, test } from 'vitest';
import { limits } from '../../testing/scratch-database.ts';
import { type Connection, withConnection } from './connection.ts';
import { maxStatements, renameStatement, statementName } from './statement-names.ts';

function connected<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
  return withConnection(inject('server'), 'postgres', limits, work);
}

/** One of many statements, which returns its number and the value. */
async function select(connection: Connection, number: number, value = number): Promise<object | undefined> {
  const { rows } = await connection.query(sql`SELECT ${raw(String(number))} AS number, ${value}::int AS value`);
  return rows[0];
}

test('a statement text keeps its name, and no two texts share one', () => {
  const name = statementName('SELECT 1');
  expect(name).toMatch(/^c\w+$/);
  expect(statementName('SELECT 1')).toBe(name);
  expect(statementName('SELECT 2')).not.toBe(name);
});

test('a renamed statement gets a name that was never used', () => {
  const names = [statementName('SELECT 3'), statementName('SELECT 4')];
  for (let turn = 0; turn < 3; turn += 1) {
    renameStatement('SELECT 3');
    names.push(statementName('SELECT 3'));
  }
  names.push(statementName('SELECT 5'));
  expect(new Set(names).size).toBe(names.length);
});

test('a text in use keeps its name; an unused one loses it and never gets it again', () => {
  const [used, unused] = [statementName('SELECT 6'), statementName('SELECT 7')];
  for (let index = 0; index < 3 * maxStatements; index += 1) {
    statementName(`SELECT 'filler', ${index}`);
    if (index % 100 === 0) expect(statementName('SELECT 6')).toBe(used);
  }
  expect(statementName('SELECT 7')).not.toBe(unused);
});

test('a connection keeps the statements in use and closes those that are not', async () => {
  await connected(async (connection) => {
    const prepared = async () => {
      const { rows } = await connection.query<{ count: number; used_since: string }>(sql`
        SELECT count(*), min(prepare_time) FILTER (WHERE statement LIKE 'SELECT -1 %') AS used_since
        FROM pg_prepared_statements`);
      return rows[0];
    };
    await select(connection, -1);
    const first = await prepared();
    for (let round = 0; round < 25; round += 1) {
      const numbers = Array.from({ length: maxStatements / 10 }, (_, index) => round * 1_000 + index);
      await Promise.all([-1, ...numbers].map((number) => select(connection, number)));
    }
    const last = await prepared();
    expect(last?.used_since).toBe(first?.used_since);
    expect(last?.count).toBeLessThanOrEqual(maxStatements + 1);
  });
});

test('in a transaction, statements that are pipelined while others are closed all succeed', async () => {
  await connected(async (connection) => {
    await connection.script('BEGIN');
    for (let round = 0; round < 4; round += 1) {
      const numbers = Array.from({ length: 0.8 * maxStatements }, (_, index) => (index * 7 + round * 311) % 1_700);
      const rows = await Promise.all(numbers.map((number, index) => select(connection, number, index)));
      expect(rows).toEqual(numbers.map((number, value) => ({ number, value })));
    }
    expect(await connection.script('COMMIT')).toBe('COMMIT');
  });
});
