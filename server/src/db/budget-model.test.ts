import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from '@chowk/kit/kernel';
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { limits, onSeparateConnection, scratchDatabases, terminate } from '../../testing/scratch-database.ts';
import { ConnectionBudget, type Lease } from './budget.ts';

const databases = await scratchDatabases(5);
const [central] = databases;
const missing = 'scratch_nowhere';
const connections = 6;
const perDatabase = 3;

type Step =
  | { readonly does: 'acquire'; readonly database: string }
  /** `which` is an index into the held leases, modulo their number. */
  | { readonly does: 'release' | 'kill'; readonly which: number }
  | { readonly does: 'pass time' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ does: fc.constant('acquire'), database: fc.constantFrom(...databases) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('acquire'), database: fc.constant(missing) }) },
  { weight: 5, arbitrary: fc.record({ does: fc.constant('release'), which: fc.nat(50) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('kill'), which: fc.nat(50) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('pass time') }) },
) as fc.Arbitrary<Step>;

/** Runs the steps and checks the guarantees of the budget after each. */
class ModelRun {
  readonly budget: ConnectionBudget;
  readonly held: { lease: Lease; database: string; pid: number }[] = [];
  readonly failures: { database: string; code: unknown }[] = [];
  unsettled = 0;

  constructor(waitTimeoutMs: number) {
    this.budget = new ConnectionBudget({ ...limits, connections, perDatabase, waitTimeoutMs });
  }

  async run(step: Step): Promise<void> {
    if (step.does === 'acquire') void this.#acquire(step.database);
    else if (step.does === 'pass time') await nextTurn();
    else if (step.does === 'release') this.#release(step.which);
    else if (this.held.length > 0) await terminate(this.held[step.which % this.held.length]?.pid ?? 0);
    this.#check();
  }

  /** Releases leases until no caller is waiting. */
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
        // It was killed while idle, and the budget has not noticed yet.
        .catch(() => 0);
      this.held.push({ lease, database, pid });
    } catch (error) {
      this.failures.push({ database, code: (error as { code?: unknown }).code });
    }
    this.unsettled -= 1;
  }

  #release(which: number): void {
    const [held] = this.held.splice(which % this.held.length, 1);
    if (held) this.budget.release(held.lease);
  }

  #check(): void {
    const { open, idle, waiting } = this.budget.counts();
    expect(open).toBeLessThanOrEqual(connections);
    expect(open).toBeGreaterThanOrEqual(this.held.length + idle);
    expect(waiting).toBeLessThanOrEqual(this.unsettled);
    for (const database of databases) {
      const max = database === central ? 2 : perDatabase;
      expect(this.held.filter((held) => held.database === database).length).toBeLessThanOrEqual(max);
    }
  }
}

async function countMaxSessions(until: () => boolean): Promise<number> {
  let max = 0;
  await onSeparateConnection('postgres', async (connection) => {
    while (!until()) {
      const { rows } = await connection.query<{ count: number }>(
        sql`SELECT count(*) FROM pg_stat_activity WHERE datname = ANY(${databases})`,
      );
      max = Math.max(max, rows[0]?.count ?? 0);
    }
  });
  return max;
}

test('the budget holds and every caller is served for any sequence of acquire, release and kill', async () => {
  let done = false;
  const watching = countMaxSessions(() => done);
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 20, maxLength: 80 }),
      fc.constantFrom(2, 20, 20_000),
      async (steps, waitTimeoutMs) => {
        const model = new ModelRun(waitTimeoutMs);
        for (const step of steps) await model.run(step);
        await model.finish();
        const expected = new Set(waitTimeoutMs > 20 ? ['3D000'] : ['3D000', 'db.busy']);
        for (const { database, code } of model.failures) {
          expect(expected).toContain(code);
          if (code === '3D000') expect(database).toBe(missing);
        }
        await eventually(() => expect(model.budget.counts()).toEqual({ open: 0, idle: 0, waiting: 0, databases: 0 }));
      },
    ),
    { numRuns: 25, timeout: 10_000 },
  );
  done = true;
  const maxSessions = await watching;
  expect(maxSessions).toBeGreaterThan(connections / 2);
  expect(maxSessions).toBeLessThanOrEqual(connections);
});
