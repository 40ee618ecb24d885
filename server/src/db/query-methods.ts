import type { Db, Sql } from '@chowk/kit/kernel';
import type { QueryResult } from 'pg';

/** Sends a query and selects from its result. */
export type Send = <Row extends object, Selected>(
  query: Sql,
  readResult: (result: QueryResult<Row>) => Selected,
) => Promise<Selected>;

const allRows = <Row extends object>({ rows }: QueryResult<Row>): Row[] => rows;
const firstRow = <Row extends object>({ rows }: QueryResult<Row>): Row | undefined => rows[0];
const rowCount = ({ rowCount: count }: QueryResult): number => count ?? 0;

export function queryMethods(send: Send): Pick<Db, 'rows' | 'row' | 'run'> {
  return {
    rows: <Row extends object>(query: Sql) => send(query, allRows<Row>),
    row: <Row extends object>(query: Sql) => send(query, firstRow<Row>),
    run: (query) => send(query, rowCount),
  };
}

/** Replaces the stack of an error, which ends in the socket, by the stack of the query's caller. */
export function withCallerStack(error: unknown): unknown {
  if (error instanceof Error) Error.captureStackTrace(error, withCallerStack);
  return error;
}
