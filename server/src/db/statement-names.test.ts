import { raw, sql } from '@chowk/kit';
import { expect, inject, test } from 'vitest';
import { limits } from '../../testing/scratch-database.ts';
import { withConnection } from './connection.ts';
import { renameStatement, statementName } from './statement-names.ts';

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

test('statements beyond the limit are sent unnamed and work', async () => {
  const first = statementName('SELECT 1');
  for (let index = 0; index < 5_000; index += 1) statementName(`SELECT 'filler', ${index}`);
  expect(statementName('SELECT 1')).toBe(first);
  expect(statementName("SELECT 'one more'")).toBeUndefined();
  renameStatement("SELECT 'one more'");
  expect(statementName("SELECT 'one more'")).toBeUndefined();
  await withConnection(inject('server'), 'postgres', limits, async (connection) => {
    for (const id of [1, 2]) {
      const { rows } = await connection.query(sql`SELECT 'unnamed' AS kind, ${id}::int AS id ${raw('')}`);
      expect(rows).toEqual([{ kind: 'unnamed', id }]);
    }
    const prepared = await connection.query<{ count: number }>(
      sql`SELECT count(*) FROM pg_prepared_statements WHERE statement ~ 'unnamed'`,
    );
    expect(prepared.rows).toEqual([{ count: 0 }]);
  });
});
