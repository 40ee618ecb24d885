import { readFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sql, sql } from '@chowk/kit/kernel';
import pg from 'pg';
import { expect, inject, test } from 'vitest';
import { limits, onSeparateConnection } from '../../testing/scratch-database.ts';
import { fail } from '../errors.ts';
import { Connection } from './connection.ts';
import { databaseFailure } from './failures.ts';

const raise = (code: string) => sql`SELECT pg_temp.raise(${code})`;

async function catchError(query: Sql): Promise<unknown> {
  return onSeparateConnection('postgres', async (connection) => {
    await connection.script(`CREATE FUNCTION pg_temp.raise(code text) RETURNS void LANGUAGE plpgsql
      AS $$ BEGIN RAISE EXCEPTION 'raised' USING ERRCODE = code; END $$`);
    return connection.query(query).catch((error: unknown) => error);
  });
}

test.each([
  ['57P01', 'db.unavailable', 503],
  ['57P03', 'db.unavailable', 503],
  ['3D000', 'db.unavailable', 503],
  ['08006', 'db.unavailable', 503],
  ['53300', 'db.unavailable', 503],
  ['53100', 'db.out_of_resources', 503],
  ['53200', 'db.out_of_resources', 503],
  ['58030', 'db.out_of_resources', 503],
  ['57014', 'db.too_slow', 503],
  ['55P03', 'db.too_slow', 503],
  ['22001', 'http.unstorable', 422],
  ['22003', 'http.unstorable', 422],
  ['22007', 'http.unstorable', 422],
  ['22008', 'http.unstorable', 422],
  ['22P02', 'http.unstorable', 422],
  ['22P05', 'http.unstorable', 422],
  ['54000', 'http.unstorable', 422],
])('SQLSTATE %s is reported as %s', async (state, code, status) => {
  const error = await catchError(raise(state));
  expect(databaseFailure(error)).toMatchObject({ code, status, cause: error });
});

test('a NUL character is reported as a value that cannot be stored', async () => {
  expect(databaseFailure(await catchError(sql`SELECT ${'a\0b'}::text`))).toMatchObject({ code: 'http.unstorable' });
});

test.each(['23505', '42P01', '42601', 'P0001'])(
  'SQLSTATE %s is left to the code that sent the query',
  async (state) => {
    expect(databaseFailure(await catchError(raise(state)))).toBeUndefined();
  },
);

test.each([
  ['a closed port', { host: '127.0.0.1', port: 1 }],
  ['a missing socket', { host: join(tmpdir(), 'chowk-nowhere') }],
  ['an unknown host', { host: 'nowhere.invalid' }],
])('%s is reported as an unavailable database', async (_, where) => {
  const error = await Connection.open({ ...inject('server'), ...where }, 'postgres', limits).catch((e: unknown) => e);
  expect(databaseFailure(error)).toMatchObject({ code: 'db.unavailable', status: 503 });
});

test('a host with several addresses and no response is reported as unavailable', async () => {
  const lookup = (_host: string, _options: object, callback: (error: null, addresses: object[]) => void) =>
    callback(
      null,
      ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 })),
    );
  const error = await new Promise((resolve) => {
    createConnection({ host: 'two.example', port: 1, autoSelectFamily: true, lookup: lookup as never }).on(
      'error',
      resolve,
    );
  });
  expect(error).toBeInstanceOf(AggregateError);
  expect(databaseFailure(error)).toMatchObject({ code: 'db.unavailable' });
});

test('other errors are not reported as database failures', async () => {
  const missingFile = await readFile(join(tmpdir(), 'chowk-nowhere')).catch((error: unknown) => error);
  for (const error of [missingFile, new TypeError('timeout'), fail('db.busy'), 'text', undefined, null]) {
    expect(databaseFailure(error)).toBeUndefined();
  }
});

test('a wrong password is not an outage', async () => {
  const error = await Connection.open({ ...inject('server'), password: 'wrong' }, 'postgres', limits).catch((e) => e);
  expect(error).toBeInstanceOf(pg.DatabaseError);
  expect(databaseFailure(error)).toBeUndefined();
});
