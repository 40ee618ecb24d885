import { sql } from '@chowk/kit/kernel';
import { expect, inject, test } from 'vitest';
import { limits } from '../../testing/scratch-database.ts';
import { withConnection } from './connection.ts';
import { parseDatabaseUrl } from './server-address.ts';

test.each([
  ['postgres://ann:secret@db.example:6543/shop', { host: 'db.example', port: 6543, user: 'ann', password: 'secret' }],
  ['postgresql://ann:secret@db.example/shop', { host: 'db.example', port: 5432, user: 'ann', password: 'secret' }],
  ['postgres://ann:p%40ss%2Fw%3Ard@db.example/shop', { host: 'db.example', password: 'p@ss/w:rd' }],
  ['postgres://ann@[::1]:6543/shop', { host: '::1', port: 6543, password: '' }],
  ['postgres://ann:secret@/shop?host=/run/postgresql', { host: '/run/postgresql', port: 5432 }],
])('%s', (url, expected) => {
  const { address, database } = parseDatabaseUrl(url);
  expect(database).toBe('shop');
  expect(address).toMatchObject(expected);
  expect(address).not.toHaveProperty('ssl');
});

test('sslmode controls TLS', () => {
  const parseSsl = (mode: string) => parseDatabaseUrl(`postgres://a:b@h/shop?sslmode=${mode}`).address.ssl;
  expect(parseSsl('disable')).toBeUndefined();
  expect(parseSsl('no-verify')).toMatchObject({ rejectUnauthorized: false });
  expect(parseSsl('verify-full')).toBeTruthy();
});

test('the parsed address connects to the server in the URL', async () => {
  const { host, port, user, password } = inject('server');
  const where = host.startsWith('/')
    ? `/postgres?host=${encodeURIComponent(host)}&port=${port}`
    : `${host}:${port}/postgres`;
  const { address, database } = parseDatabaseUrl(`postgres://${user}:${encodeURIComponent(password)}@${where}`);
  const result = await withConnection(address, database, limits, (connection) =>
    connection.query(sql`SELECT current_database() AS name`),
  );
  expect(result.rows).toEqual([{ name: 'postgres' }]);
});
