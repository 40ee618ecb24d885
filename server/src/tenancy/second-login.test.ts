import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, inject, test } from 'vitest';
import { chowkd } from '../../testing/chowkd.ts';
import { uniqueId } from '../../testing/platform.ts';
import { onSeparateConnection } from '../../testing/scratch-database.ts';

/* The steps of docs/operating.md that change the password of the database without an interruption. */

const suffix = randomBytes(4).toString('hex');
const [first, second, central] = [`chowk_${suffix}`, `chowk_b_${suffix}`, `central_${suffix}`];
const tenants = [uniqueId(), uniqueId()];
const storage = await mkdtemp(join(tmpdir(), 'chowk-login-'));
const script = (text: string) => onSeparateConnection('postgres', (connection) => connection.script(text));

afterAll(async () => {
  await rm(storage, { recursive: true, force: true });
  for (const name of [...tenants.map((id) => `tenant${id}`), central]) {
    await script(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  }
});

function run(login: string, password: string, ...args: string[]) {
  const { port } = inject('server');
  return chowkd(args, {
    DATABASE_URL: `postgres://${login}:${password}@127.0.0.1:${port}/${central}`,
    STORAGE_PATH: storage,
    LOG_LEVEL: 'silent',
  });
}

test('a second login works beside the first one, and what it creates belongs to the first one', async () => {
  await script(`CREATE ROLE ${first} LOGIN CREATEDB PASSWORD 'old'`);
  expect(await run(first, 'old', 'migrate')).toMatchObject({ code: 0 });
  expect(await run(first, 'old', 'tenant:create', tenants[0] ?? '')).toMatchObject({ code: 0 });

  await script(
    `CREATE ROLE ${second} LOGIN PASSWORD 'new' IN ROLE ${first}; ALTER ROLE ${second} SET role = '${first}'`,
  );
  expect(await run(second, 'new', 'tenant:create', tenants[1] ?? '')).toMatchObject({ code: 0 });
  expect(await run(first, 'old', 'tenant:doctor')).toMatchObject({ code: 0 });

  await script(`ALTER ROLE ${first} PASSWORD 'newer'`);
  expect(await run(second, 'new', 'tenant:doctor')).toMatchObject({ code: 0 });
  expect(await run(first, 'newer', 'tenant:doctor')).toMatchObject({ code: 0 });
  // Fails if the role owns anything.
  await script(`DROP ROLE ${second}`);
});
