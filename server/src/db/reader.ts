import type { Db, Sql } from '@chowk/kit';
import type { QueryResult } from 'pg';

/** Sends a query and picks from its result. */
export type Send = <Row extends object, Answer>(
  query: Sql,
  pick: (result: QueryResult<Row>) => Answer,
) => Promise<Answer>;

const allRows = <Row extends object>({ rows }: QueryResult<Row>): Row[] => rows;
const firstRow = <Row extends object>({ rows }: QueryResult<Row>): Row | undefined => rows[0];
const count = ({ rowCount }: QueryResult): number => rowCount ?? 0;

/** The ways to ask, whatever the question is sent over. */
export function reader(send: Send): Pick<Db, 'rows' | 'row' | 'run'> {
  return {
    rows: <Row extends object>(query: Sql) => send(query, allRows<Row>),
    row: <Row extends object>(query: Sql) => send(query, firstRow<Row>),
    run: (query) => send(query, count),
  };
}

/** Where the query came from says more than the socket that its answer came from. */
export function withCallersStack(error: unknown): unknown {
  if (error instanceof Error) Error.captureStackTrace(error, withCallersStack);
  return error;
}
