import type { Db, Sql } from '@chowk/kit';
import type { QueryResult } from 'pg';
import type { Connection } from './connection.ts';
import { copyRows } from './copy.ts';
import { reader, withCallersStack } from './reader.ts';
import { streamInTransaction } from './stream.ts';

type Work<Result> = (tx: Db) => Promise<Result>;

/** What the scopes of one transaction share. */
interface Session {
  readonly connection: Connection;
  /** The last statement that failed of itself: if PostgreSQL has given the transaction up, this is why. */
  failure: unknown;
}

/** The transaction itself, or a savepoint in it. */
interface Scope {
  readonly depth: number;
  readonly outer: Scope | undefined;
  /** The savepoint that is open in it. */
  inner: Scope | undefined;
  /** Until its work is done. */
  open: boolean;
}

/** What PostgreSQL says to every statement after one that failed. */
const transactionFailed = '25P02';

/** Runs `work` between BEGIN and COMMIT, or ROLLBACK if it fails. A transaction in it is a savepoint. */
export function inTransaction<Result>(connection: Connection, work: Work<Result>): Promise<Result> {
  return inScope({ connection, failure: undefined }, undefined, work);
}

async function inScope<Result>(session: Session, outer: Scope | undefined, work: Work<Result>): Promise<Result> {
  const { connection } = session;
  const scope: Scope = { depth: outer ? outer.depth + 1 : 0, outer, inner: undefined, open: true };
  const { begin, keep, undo } = wordsFor(scope);
  if (outer) outer.inner = scope;
  // Not awaited: it is pipelined before the first statement of `work`, whose failure would tell of its own.
  const begun = connection.script(begin);
  begun.catch(() => {});
  try {
    const result = await perform(session, scope, work);
    await begun;
    if (outer && !isOpen(outer)) throw new Error(notUsable);
    // After a failed statement, even if the failure was caught, PostgreSQL answers COMMIT with ROLLBACK.
    if ((await connection.script(keep)) === 'ROLLBACK') throw session.failure ?? new Error('nothing was committed');
    return result;
  } catch (error) {
    if (isOpen(outer)) await connection.script(undo).catch(() => {});
    throw codeOf(error) === transactionFailed ? (session.failure ?? error) : error;
  } finally {
    if (outer) outer.inner = undefined;
  }
}

async function perform<Result>(session: Session, scope: Scope, work: Work<Result>): Promise<Result> {
  try {
    const result = await work(handleOf(session, scope));
    mustBeUsable(scope);
    return result;
  } finally {
    scope.open = false;
  }
}

function handleOf(session: Session, scope: Scope): Db {
  return {
    ...reader(async (query, pick) => {
      mustBeUsable(scope);
      return pick(await send(session, query));
    }),
    async *stream<Row extends object>(query: Sql) {
      yield* streamInTransaction<Row>(async (each) => {
        mustBeUsable(scope);
        return send(session, each);
      }, query);
    },
    async copy(table, columns, rows) {
      mustBeUsable(scope);
      // A savepoint: until the rows are through, nothing else may be sent on the connection.
      return inScope(session, scope, () => copyRows(session.connection, { table, columns, rows }));
    },
    async tx(work) {
      mustBeUsable(scope);
      return inScope(session, scope, work);
    },
  };
}

async function send<Row extends object>(session: Session, query: Sql): Promise<QueryResult<Row>> {
  try {
    return await session.connection.query<Row>(query);
  } catch (error) {
    if (codeOf(error) !== transactionFailed) session.failure = error;
    throw withCallersStack(error);
  }
}

function wordsFor({ depth }: Scope): { begin: string; keep: string; undo: string } {
  if (depth === 0) return { begin: 'BEGIN', keep: 'COMMIT', undo: 'ROLLBACK' };
  const savepoint = `SAVEPOINT s${depth}`;
  return { begin: savepoint, keep: `RELEASE ${savepoint}`, undo: `ROLLBACK TO ${savepoint}; RELEASE ${savepoint}` };
}

const notUsable =
  'The transaction is over, or a savepoint in it is open: await everything that is done in a transaction, ' +
  'and while a savepoint is open use nothing else.';

/**
 * A statement sent after the end would run outside the transaction, or in that of whoever has the connection next; one
 * sent beside an open savepoint would be undone with it.
 */
function mustBeUsable(scope: Scope): void {
  if (!isOpen(scope) || scope.inner) throw new Error(notUsable);
}

function isOpen(scope: Scope | undefined): boolean {
  return scope === undefined || (scope.open && isOpen(scope.outer));
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | undefined)?.code;
}
