import { expect, inject, onTestFinished, test } from 'vitest';
import { limits, scratchDatabase } from '../../testing/scratch-database.ts';
import { silent } from '../../testing/silent-log.ts';
import { ConnectionBudget } from '../db/budget.ts';
import { Signals } from '../db/signals.ts';
import { bossDatabase } from './boss-database.ts';

test('workers that poll at the same time share a few connections', async () => {
  const [address, database] = [inject('server'), await scratchDatabase()];
  const budget = new ConnectionBudget({ ...limits, connections: 50, perDatabase: 10, waitTimeoutMs: 5_000 });
  onTestFinished(() => budget.close());
  const signals = new Signals(address, database, limits, silent);
  const boss = bossDatabase(budget, { address, database, central: true }, signals);
  const polls = Array.from({ length: 30 }, (_, index) => boss.executeSql('SELECT $1::int AS number', [index]));
  const numbers = (await Promise.all(polls)).map(({ rows }) => rows[0].number);
  expect(numbers).toEqual(Array.from({ length: 30 }, (_, index) => index));
  expect(budget.counts().open).toBe(4);
});
