import type { Db } from '@chowk/kit/kernel';
import { outsideTransaction } from './database.ts';

/** A handle whose queries wait for the database. */
export function heldDatabase(ready: () => Promise<Db>): Db {
  return {
    row: async (query) => (await ready()).row(query),
    rows: async (query) => (await ready()).rows(query),
    run: async (query) => (await ready()).run(query),
    tx: async (work) => (await ready()).tx(work),
    runWithCommit: outsideTransaction,
    releaseLocksEarly: outsideTransaction,
    copy: async (table, columns, rows) => (await ready()).copy(table, columns, rows),
    async *stream<Row extends object>(query: Parameters<Db['stream']>[0]) {
      yield* (await ready()).stream<Row>(query);
    },
  };
}
