import { type Db, sql } from '@chowk/kit/kernel';
import { afterAll, beforeEach, expect, inject, test } from 'vitest';
import { limits, onSeparateConnection, scratchDatabase, terminate } from '../../testing/scratch-database.ts';
import { ConnectionBudget } from './budget.ts';
import { openDatabase } from './database.ts';
import { databaseFailure } from './failures.ts';

const database = await scratchDatabase();
// PostgreSQL looks for a deadlock after a second, and commits of tests do not wait for the disk.
await onSeparateConnection('postgres', async (connection) => {
  await connection.script(`ALTER DATABASE ${database} SET deadlock_timeout = '20ms'`);
  await connection.script(`ALTER DATABASE ${database} SET synchronous_commit = 'on'`);
});
const budget = new ConnectionBudget({ ...limits, connections: 10, perDatabase: 8, waitTimeoutMs: 10_000 });
const db = openDatabase(budget, { address: inject('server'), database, central: false });
afterAll(() => budget.close());

await db.run(sql`CREATE TABLE notes (id int PRIMARY KEY, text text NOT NULL DEFAULT '')`);
await db.run(sql`CREATE TABLE links (id int REFERENCES notes DEFERRABLE INITIALLY DEFERRED)`);
beforeEach(() => db.run(sql`TRUNCATE notes, links`));

const add = (tx: Db, id: number) => tx.run(sql`INSERT INTO notes (id) VALUES (${id})`);
const failing = sql`SELECT 1 / 0`;
const pid = async (tx: Db) => (await tx.row<{ pid: number }>(sql`SELECT pg_backend_pid() AS pid`))?.pid ?? 0;

async function notes(): Promise<number[]> {
  const { rows } = await onSeparateConnection(database, (connection) =>
    connection.query<{ id: number }>(sql`SELECT id FROM notes ORDER BY id`),
  );
  return rows.map(({ id }) => id);
}

/** Returns a function that waits until it was called by all parties. */
function barrier(parties: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let missing = parties;
  return () => {
    missing -= 1;
    if (missing === 0) resolve();
    return promise;
  };
}

test('changes of a transaction become visible together after the commit', async () => {
  const result = await db.tx(async (tx) => {
    await add(tx, 1);
    await add(tx, 2);
    expect(await notes()).toEqual([]);
    return (await tx.rows(sql`SELECT id FROM notes`)).length;
  });
  expect(result).toBe(2);
  expect(await notes()).toEqual([1, 2]);
});

test('a failed transaction is rolled back, after an error of PostgreSQL and of the caller', async () => {
  const own = new Error('of the caller');
  const ours = db.tx(async (tx) => {
    await add(tx, 1);
    throw own;
  });
  await expect(ours).rejects.toBe(own);
  const theirs = db.tx(async (tx) => {
    await add(tx, 1);
    await tx.run(failing);
  });
  await expect(theirs).rejects.toMatchObject({ code: '22012' });
  expect(await notes()).toEqual([]);
});

test('an error of the first statement fails the transaction, and the connection stays usable', async () => {
  const before = await pid(db);
  await expect(db.tx((tx) => tx.run(failing))).rejects.toMatchObject({ code: '22012' });
  expect(await pid(db)).toBe(before);
});

test('a commit that PostgreSQL refuses is an error', async () => {
  const dangling = db.tx(async (tx) => {
    await add(tx, 1);
    await tx.run(sql`INSERT INTO links VALUES (99)`);
  });
  await expect(dangling).rejects.toMatchObject({ code: '23503' });
  expect(await notes()).toEqual([]);
  await db.tx((tx) => add(tx, 2));
  expect(await notes()).toEqual([2]);
});

test('a transaction with a caught error is not reported as committed', async () => {
  const hidden = db.tx(async (tx) => {
    await add(tx, 1);
    await tx.run(failing).catch(() => {});
    return 'fine';
  });
  await expect(hidden).rejects.toMatchObject({ code: '22012' });
  const continued = db.tx(async (tx) => {
    await tx.run(failing).catch(() => {});
    await add(tx, 1);
  });
  await expect(continued).rejects.toMatchObject({ code: '22012' });
  expect(await notes()).toEqual([]);
});

test('the commit waits for a statement that is sent with it, and fails if the statement fails', async () => {
  await db.tx(async (tx) => tx.runWithCommit(sql`INSERT INTO notes (id) VALUES (1)`));
  expect(await notes()).toEqual([1]);
  const failed = db.tx(async (tx) => {
    await add(tx, 2);
    tx.runWithCommit(sql`INSERT INTO notes (id) VALUES (1)`);
  });
  await expect(failed).rejects.toMatchObject({ code: '23505' });
  expect(await notes()).toEqual([1]);
  expect(() => db.runWithCommit(failing)).toThrow('transactions only');
});

test('concurrent statements run in order, and an error of one fails the transaction', async () => {
  await db.tx((tx) => Promise.all([1, 2, 3].map((id) => add(tx, id))));
  expect(await notes()).toEqual([1, 2, 3]);
  const clash = db.tx((tx) => Promise.all([4, 1, 5].map((id) => add(tx, id))));
  await expect(clash).rejects.toMatchObject({ code: '23505' });
  expect(await notes()).toEqual([1, 2, 3]);
});

test('a failed savepoint is rolled back alone, and the transaction continues', async () => {
  await db.tx(async (tx) => {
    await add(tx, 1);
    const failed = tx.tx(async (inner) => {
      await add(inner, 3);
      await inner.tx((innermost) => add(innermost, 4));
      await inner.run(failing);
    });
    await expect(failed).rejects.toMatchObject({ code: '22012' });
    await tx.tx(async (inner) => {
      await add(inner, 5);
      await expect(inner.tx((innermost) => innermost.run(failing))).rejects.toMatchObject({ code: '22012' });
      await add(inner, 6);
    });
    await add(tx, 7);
  });
  expect(await notes()).toEqual([1, 5, 6, 7]);
});

test('a savepoint with a caught error is rolled back and reports it', async () => {
  await db.tx(async (tx) => {
    const hidden = tx.tx(async (inner) => {
      await add(inner, 1);
      await inner.run(failing).catch(() => {});
    });
    await expect(hidden).rejects.toMatchObject({ code: '22012' });
    await add(tx, 2);
  });
  expect(await notes()).toEqual([2]);
});

test('successful savepoints are rolled back if the transaction fails', async () => {
  const failed = db.tx(async (tx) => {
    await tx.tx((inner) => add(inner, 1));
    throw new Error('test failure');
  });
  await expect(failed).rejects.toThrow('test failure');
  expect(await notes()).toEqual([]);
});

test('two concurrent savepoints are refused', async () => {
  const both = db.tx((tx) =>
    Promise.all([
      tx.tx(async (inner) => {
        await add(inner, 1);
        await inner.run(failing);
      }),
      tx.tx((inner) => add(inner, 2)),
    ]),
  );
  await expect(both).rejects.toThrow('savepoint');
  expect(await notes()).toEqual([]);
});

test('the transaction is refused while a savepoint in it is open', async () => {
  await db.tx(async (tx) => {
    await expect(tx.tx(() => add(tx, 1))).rejects.toThrow('savepoint');
    await add(tx, 2);
  });
  expect(await notes()).toEqual([2]);
});

test('the handle of a finished transaction is refused', async () => {
  let leaked = db;
  let inner = db;
  await db.tx(async (tx) => {
    leaked = tx;
    await tx.tx(async (savepoint) => {
      inner = savepoint;
    });
    await expect(add(inner, 1)).rejects.toThrow('over');
  });
  await expect(add(leaked, 2)).rejects.toThrow('over');
  await expect(leaked.tx((tx) => add(tx, 3))).rejects.toThrow('over');
  expect(await notes()).toEqual([]);
});

test('a statement after the end of its failed transaction changes nothing', async () => {
  const late = Promise.withResolvers<void>();
  let straggler: Promise<unknown> = late.promise;
  const failed = db.tx((tx) => {
    straggler = late.promise.then(() => add(tx, 1));
    return Promise.all([tx.run(failing), straggler]);
  });
  await expect(failed).rejects.toMatchObject({ code: '22012' });
  await db.tx(async (tx) => {
    late.resolve();
    await expect(straggler).rejects.toThrow('over');
    await add(tx, 2);
  });
  expect(await notes()).toEqual([2]);
});

test.each([
  ['has more statements', (tx: Db) => add(tx, 2)],
  ['has no more statements', async () => {}],
])(
  'a transaction that does not await a savepoint is rolled back, and a savepoint that %s changes nothing',
  async (_, rest) => {
    const late = Promise.withResolvers<void>();
    let forgotten: Promise<unknown> = late.promise;
    const early = db.tx(async (tx) => {
      await add(tx, 1);
      forgotten = tx.tx(async (inner) => {
        await late.promise;
        await rest(inner);
      });
      forgotten.catch(() => {});
    });
    await expect(early).rejects.toThrow('savepoint');
    await db.tx(async (tx) => {
      await add(tx, 3);
      late.resolve();
      await expect(forgotten).rejects.toThrow('over');
    });
    expect(await notes()).toEqual([3]);
  },
);

test('a transaction whose session is terminated fails and is rolled back', async () => {
  const endings: ((tx: Db) => Promise<unknown>)[] = [
    async (tx) => {
      await terminate(await pid(tx));
      await add(tx, 2);
    },
    (tx) => tx.tx(async (inner) => terminate(await pid(inner))),
    // Only the commit is left.
    async (tx) => terminate(await pid(tx)),
  ];
  for (const end of endings) {
    const ended = db.tx(async (tx) => {
      await add(tx, 1);
      await end(tx);
    });
    const error = await ended.catch((error: unknown) => error);
    expect(databaseFailure(error)).toMatchObject({ code: 'db.unavailable', status: 503 });
  }
  expect(await notes()).toEqual([]);
  await add(db, 3);
  expect(await notes()).toEqual([3]);
});

test('two transactions in a deadlock both succeed after a retry', async () => {
  await Promise.all([add(db, 1), add(db, 2)]);
  const both = barrier(2);
  let attempts = 0;
  const lockInTurn = (first: number, second: number) =>
    db.tx(async (tx) => {
      attempts += 1;
      await tx.run(sql`UPDATE notes SET text = text || ${`${first}${second} `} WHERE id = ${first}`);
      if (attempts <= 2) await both();
      await tx.run(sql`UPDATE notes SET text = text || ${`${first}${second} `} WHERE id = ${second}`);
    });
  await Promise.all([lockInTurn(1, 2), lockInTurn(2, 1)]);
  // The retry can take the row back before the other transaction wakes up, which is a deadlock once more.
  expect(attempts).toBeGreaterThanOrEqual(3);
  const rows = await db.rows<{ text: string }>(sql`SELECT text FROM notes`);
  for (const { text } of rows) expect(text.trim().split(' ').sort()).toEqual(['12', '21']);
});

test('conflicting serializable transactions are retried until both succeed', async () => {
  const both = barrier(2);
  let attempts = 0;
  const addNext = () =>
    db.tx(async (tx) => {
      attempts += 1;
      await tx.run(sql`SET TRANSACTION ISOLATION LEVEL SERIALIZABLE`);
      const next = await tx.row<{ id: number }>(sql`SELECT coalesce(max(id), 0) + 1 AS id FROM notes`);
      if (attempts <= 2) await both();
      await tx.tx((inner) => add(inner, (next?.id ?? 0) + (attempts % 2) * 100));
    });
  await Promise.all([addNext(), addNext()]);
  expect(attempts).toBe(3);
  expect(await notes()).toHaveLength(2);
});

test('other errors are not retried', async () => {
  let attempts = 0;
  const failed = db.tx(async (tx) => {
    attempts += 1;
    await tx.run(failing);
  });
  await expect(failed).rejects.toMatchObject({ code: '22012' });
  expect(attempts).toBe(1);
});

test('a transaction that fails on every retry is rolled back', async () => {
  let attempts = 0;
  const lost = db.tx(async (tx) => {
    attempts += 1;
    await add(tx, attempts);
    await tx.run(sql`DO $$ BEGIN RAISE EXCEPTION 'lost' USING ERRCODE = '40001'; END $$`);
  });
  await expect(lost).rejects.toMatchObject({ code: '40001' });
  expect(attempts).toBe(6);
  expect(await notes()).toEqual([]);
  expect(budget.counts().idle).toBe(budget.counts().open);
});

test('a transaction that releases its locks early is on the disk when it has ended', async () => {
  for (let id = 0; id < 20; id += 1) {
    const written = await db.tx(async (tx) => {
      tx.releaseLocksEarly();
      await add(tx, id);
      return tx.row<{ lsn: string; waits: string }>(sql`
        SELECT pg_current_wal_insert_lsn()::text AS lsn, current_setting('synchronous_commit') AS waits`);
    });
    expect(
      await db.row(sql`
      SELECT pg_current_wal_flush_lsn() > ${written?.lsn}::pg_lsn AS flushed, current_setting('synchronous_commit') AS waits
    `),
    ).toEqual({ flushed: true, waits: 'on' });
    expect(written?.waits).toBe('off');
  }
  expect(await notes()).toHaveLength(20);
});

test('a transaction that releases its locks early fails as a whole', async () => {
  const failed = db.tx(async (tx) => {
    tx.releaseLocksEarly();
    await add(tx, 1);
    await tx.run(sql`INSERT INTO links (id) VALUES (2)`);
  });
  await expect(failed).rejects.toMatchObject({ code: '23503' });
  await db.tx(async (tx) => {
    await expect(
      tx.tx(async (inner) => {
        inner.releaseLocksEarly();
        await inner.run(failing);
      }),
    ).rejects.toThrow('division by zero');
    await add(tx, 3);
  });
  expect(await notes()).toEqual([3]);
  expect(() => db.releaseLocksEarly()).toThrow('transactions only');
});
