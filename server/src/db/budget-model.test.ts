import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from '@chowk/kit';
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { aside, limits, scratchDatabases, terminate } from '../../testing/scratch-database.ts';
import { ConnectionBudget, type Lease } from './budget.ts';

const databases = await scratchDatabases(5);
const [central] = databases;
const missing = 'scratch_nowhere';
const connections = 6;
const perDatabase = 3;

type Step =
  | { readonly does: 'acquire'; readonly database: string }
  /** `which` counts those that are held, round and round. */
  | { readonly does: 'release' | 'kill'; readonly which: number }
  | { readonly does: 'pass time' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ does: fc.constant('acquire'), database: fc.constantFrom(...databases) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('acquire'), database: fc.constant(missing) }) },
  { weight: 5, arbitrary: fc.record({ does: fc.constant('release'), which: fc.nat(50) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('kill'), which: fc.nat(50) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('pass time') }) },
) as fc.Arbitrary<Step>;

/** Takes the steps, holding what was acquired, and keeps what the budget promises under watch. */
class Run {
  readonly budget: ConnectionBudget;
  readonly held: { lease: Lease; database: string; pid: number }[] = [];
  readonly failures: { database: string; code: unknown }[] = [];
  unsettled = 0;

  constructor(waitTimeoutMs: number) {
    this.budget = new ConnectionBudget({ ...limits, connections, perDatabase, waitTimeoutMs });
  }

  async take(step: Step): Promise<void> {
    if (step.does === 'acquire') void this.#acquire(step.database);
    else if (step.does === 'pass time') await nextTurn();
    else if (step.does === 'release') this.#release(step.which);
    else if (this.held.length > 0) await terminate(this.held[step.which % this.held.length]?.pid ?? 0);
    this.#check();
  }

  /** Gives back until nobody waits any more. */
  async finish(): Promise<void> {
    while (this.unsettled > 0 || this.held.length > 0) {
      if (this.held.length > 0) this.#release(0);
      await nextTurn();
      this.#check();
    }
    await this.budget.close();
  }

  async #acquire(database: string): Promise<void> {
    this.unsettled += 1;
    try {
      const target = { address: inject('server'), database, central: database === central };
      const lease = await this.budget.acquire(target);
      const pid = await lease.connection
        .query<{ pid: number }>(sql`SELECT pg_backend_pid() AS pid`)
        .then(({ rows }) => rows[0]?.pid ?? 0)
        // Killed when it was idle, and nobody knew yet.
        .catch(() => 0);
      this.held.push({ lease, database, pid });
    } catch (error) {
      this.failures.push({ database, code: (error as { code?: unknown }).code });
    }
    this.unsettled -= 1;
  }

  #release(which: number): void {
    const [one] = this.held.splice(which % this.held.length, 1);
    if (one) this.budget.release(one.lease);
  }

  #check(): void {
    const { open, idle, waiting } = this.budget.counts();
    expect(open).toBeLessThanOrEqual(connections);
    expect(open).toBeGreaterThanOrEqual(this.held.length + idle);
    expect(waiting).toBeLessThanOrEqual(this.unsettled);
    for (const database of databases) {
      const most = database === central ? 2 : perDatabase;
      expect(this.held.filter((one) => one.database === database).length).toBeLessThanOrEqual(most);
    }
  }
}

async function mostSessions(until: () => boolean): Promise<number> {
  let most = 0;
  await aside('postgres', async (connection) => {
    while (!until()) {
      const { rows } = await connection.query<{ count: number }>(
        sql`SELECT count(*) FROM pg_stat_activity WHERE datname = ANY(${databases})`,
      );
      most = Math.max(most, rows[0]?.count ?? 0);
    }
  });
  return most;
}

test('whatever is acquired, given back or killed, and in whatever order, the budget holds and nobody is forgotten', async () => {
  let done = false;
  const watching = mostSessions(() => done);
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 20, maxLength: 80 }),
      fc.constantFrom(2, 20, 20_000),
      async (steps, waitTimeoutMs) => {
        const run = new Run(waitTimeoutMs);
        for (const step of steps) await run.take(step);
        await run.finish();
        const expected = new Set(waitTimeoutMs > 20 ? ['3D000'] : ['3D000', 'db.busy']);
        for (const { database, code } of run.failures) {
          expect(expected).toContain(code);
          if (code === '3D000') expect(database).toBe(missing);
        }
        await eventually(() => expect(run.budget.counts()).toEqual({ open: 0, idle: 0, waiting: 0, databases: 0 }));
      },
    ),
    { numRuns: 25, timeout: 10_000 },
  );
  done = true;
  const most = await watching;
  expect(most).toBeGreaterThan(connections / 2);
  expect(most).toBeLessThanOrEqual(connections);
});
