import type { Db, Sql } from '@chowk/kit';
import type { QueryResult } from 'pg';

type Send = <Row extends object>(query: Sql) => Promise<QueryResult<Row>>;

/** The ways to ask, whatever the question is sent over. */
export function reader(send: Send): Pick<Db, 'rows' | 'row' | 'run'> {
  return {
    rows: async <Row extends object>(query: Sql) => (await send<Row>(query)).rows,
    row: async <Row extends object>(query: Sql) => (await send<Row>(query)).rows[0],
    run: async (query) => (await send(query)).rowCount ?? 0,
  };
}
