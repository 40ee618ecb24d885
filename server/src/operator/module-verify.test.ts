import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { chowkd, temporaryFolder } from '../../testing/chowkd.ts';
import { writePackage } from '../../testing/packages.ts';
import { repository } from '../loader/lock-path.ts';

const lock = JSON.parse(await readFile(join(repository, 'modules/manifest.lock.json'), 'utf8'));

/** The result for a lock file with these modules: the exit code, the states by module, and the error. */
async function verify(modules: object, environment = {}) {
  const file = join(await temporaryFolder(), 'test.lock.json');
  await writeFile(file, JSON.stringify({ ...lock, modules }));
  const { code, out, err } = await chowkd(['module:verify', '--json'], { MODULE_LOCK_PATH: file, ...environment });
  const rows: { alias: string; state: string }[] = JSON.parse(out);
  return { code, states: Object.fromEntries(rows.map(({ alias, state }) => [alias, state])), err };
}

test('modules that match the lock file are ok', async () => {
  const { code, states, err } = await verify(lock.modules);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(states).toEqual(Object.fromEntries(Object.keys(lock.modules).map((alias) => [alias, 'ok'])));
});

test('a module that refers to a missing module is not ok', async () => {
  const { orders, ...others } = lock.modules;
  const { code, states, err } = await verify(others);
  expect(code).toBe(1);
  expect(err).toMatch(/do not load: invoices, payments, pricing, products; /);
  expect(states.products).toMatch(/there is no permission orders\./);
  expect(states.identity).toBe('ok');
});

test('only the changed module is reported, and not those that refer to it', async () => {
  const changed = { ...lock.modules, orders: { ...lock.modules.orders, integrity: 'sha256-other' } };
  const { code, states } = await verify(changed);
  expect(code).toBe(1);
  expect(states).toMatchObject({ orders: 'files changed', customers: 'ok' });
});

test('a package with a migration that is not additive is not ok', async () => {
  const MODULES_PATH = await temporaryFolder();
  const notes = await writePackage(MODULES_PATH, {
    alias: 'notes',
    version: '1.0.0',
    migrations: {
      '0001_notes.sql': 'CREATE TABLE notes (id int)',
      '0002_drop.sql': 'ALTER TABLE notes DROP COLUMN id',
    },
  });
  const { code, states } = await verify({ ...lock.modules, notes }, { MODULES_PATH });
  expect(code).toBe(1);
  expect(states).toMatchObject({
    notes: expect.stringMatching(/^notes\/0002_drop\.sql:1: notes\.id is dropped/),
    orders: 'ok',
  });
});
