import type { Db, Sql } from '@chowk/kit/kernel';
import type { QueryResult } from 'pg';
import type { Connection } from './connection.ts';
import { copyRows } from './copy.ts';
import { queryMethods, withCallerStack } from './query-methods.ts';
import { streamInTransaction } from './stream.ts';

type Work<Result> = (tx: Db) => Promise<Result>;

/** The state that the scopes of one transaction share. */
interface Session {
  readonly connection: Connection;
  /** The error that aborted the transaction. */
  failure: unknown;
  readonly openCursors: Set<number>;
  releasesLocksEarly: boolean;
}

/** The transaction itself, or a savepoint in it. */
interface Scope {
  readonly depth: number;
  readonly outer: Scope | undefined;
  /** The open savepoint in it. */
  inner: Scope | undefined;
  isOpen: boolean;
}

/** The error code of every statement in an aborted transaction. */
const transactionAborted = '25P02';

/** Runs `work` between BEGIN and COMMIT, or ROLLBACK if it fails. A nested transaction is a savepoint. */
export async function inTransaction<Result>(
  connection: Connection,
  work: Work<Result>,
  session: Session = { connection, failure: undefined, openCursors: new Set(), releasesLocksEarly: false },
  outer?: Scope,
): Promise<Result> {
  const scope: Scope = { depth: outer ? outer.depth + 1 : 0, outer, inner: undefined, isOpen: true };
  const { begin, commit, rollback } = commandsFor(scope);
  if (outer) outer.inner = scope;
  // Not awaited: it is pipelined with the first statement of `work`.
  const begun = connection.script(begin);
  begun.catch(() => {});
  try {
    const result = await work(createHandle(session, scope));
    requireUsable(scope);
    scope.isOpen = false;
    await begun;
    if (outer && !isOpen(outer)) throw new Error(notUsable);
    const committed = connection.script(commit);
    const flushed = session.releasesLocksEarly && !outer ? connection.script(flush) : undefined;
    flushed?.catch(() => {});
    // After a failed statement, even if its error was caught, PostgreSQL executes COMMIT as ROLLBACK.
    if ((await committed) === 'ROLLBACK') throw session.failure ?? new Error('nothing was committed');
    await flushed;
    return result;
  } catch (error) {
    scope.isOpen = false;
    if (isOpen(outer)) await connection.script(rollback).catch(() => {});
    throw errorCode(error) === transactionAborted ? (session.failure ?? error) : error;
  } finally {
    if (outer) outer.inner = undefined;
  }
}

/** A commit waits until all that was committed before it is on the disk, and on standby servers if there are some. */
const flush = "SELECT pg_logical_emit_message(true, 'chowk', '')";

function createHandle(session: Session, scope: Scope): Db {
  return {
    ...queryMethods(async (query, readResult) => {
      requireUsable(scope);
      return readResult(await send(session, query));
    }),
    runWithCommit(query) {
      requireUsable(scope);
      // The commit follows on the same connection, and throws `session.failure`.
      send(session, query).catch(() => {});
    },
    async *stream<Row extends object>(query: Sql) {
      const sendIfUsable = async <Result extends object>(statement: Sql) => {
        requireUsable(scope);
        return send<Result>(session, statement);
      };
      yield* streamInTransaction<Row>(sendIfUsable, query, session.openCursors);
    },
    async copy(table, columns, rows) {
      requireUsable(scope);
      // A savepoint blocks other statements on the connection until all rows are sent.
      return inTransaction(
        session.connection,
        () => copyRows(session.connection, { table, columns, rows }),
        session,
        scope,
      );
    },
    async tx(work) {
      requireUsable(scope);
      return inTransaction(session.connection, work, session, scope);
    },
    releaseLocksEarly() {
      requireUsable(scope);
      if (session.releasesLocksEarly) return;
      session.releasesLocksEarly = true;
      session.connection.script('SET LOCAL synchronous_commit = off').catch(() => {});
    },
  };
}

async function send<Row extends object>(session: Session, query: Sql): Promise<QueryResult<Row>> {
  try {
    return await session.connection.query<Row>(query);
  } catch (error) {
    if (errorCode(error) !== transactionAborted) session.failure = error;
    throw withCallerStack(error);
  }
}

function commandsFor({ depth }: Scope): { begin: string; commit: string; rollback: string } {
  if (depth === 0) return { begin: 'BEGIN', commit: 'COMMIT', rollback: 'ROLLBACK' };
  const savepoint = `SAVEPOINT s${depth}`;
  return {
    begin: savepoint,
    commit: `RELEASE ${savepoint}`,
    rollback: `ROLLBACK TO ${savepoint}; RELEASE ${savepoint}`,
  };
}

const notUsable =
  'The transaction is over, or a savepoint in it is open: await every statement of a transaction, ' +
  'and use only the savepoint while it is open.';

/**
 * A statement after the end would run outside the transaction, or in the transaction of the next lease. A statement
 * beside an open savepoint would be rolled back with it.
 */
function requireUsable(scope: Scope): void {
  if (!isOpen(scope) || scope.inner) throw new Error(notUsable);
}

function isOpen(scope: Scope | undefined): boolean {
  return scope === undefined || (scope.isOpen && isOpen(scope.outer));
}

function errorCode(error: unknown): unknown {
  return (error as { code?: unknown } | undefined)?.code;
}
