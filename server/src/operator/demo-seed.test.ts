import { randomBytes } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { chowkd, temporaryFolder } from '../../testing/chowkd.ts';
import { uniqueId } from '../../testing/platform.ts';

test.each([
  [['--customers=5'], '--tenant=<id or domain> is required'],
  [['--tenant=x', '--customers=0'], '--customers must be an integer from 1 to 2000000'],
  [['--tenant=x', '--customers=many'], '--customers must be an integer from 1 to 2000000'],
  [['--tenant=x', '--seed=-1'], '--seed must be an integer from 0 to 4294967295'],
])('a wrong option is a usage error: %j', async (options, message) => {
  expect(await chowkd(['demo:seed', ...options])).toEqual({ code: 2, out: '', err: `chowkd: ${message}\n` });
});

test('a tenant is filled once a day for each seed, and an unknown tenant is an error', async () => {
  const { port, user, password } = inject('server');
  const central = `central_${randomBytes(5).toString('hex')}`;
  const environment = {
    STORAGE_PATH: await temporaryFolder(),
    DATABASE_URL: `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${central}`,
  };
  const id = uniqueId();
  const seed = (...options: string[]) => chowkd(['demo:seed', ...options], environment);
  expect((await chowkd(['migrate'], environment)).code).toBe(0);
  expect(await seed('--tenant=nobody')).toEqual({
    code: 1,
    out: '',
    err: "chowkd: there is no tenant nobody; run 'chowkd tenant:list' to see all tenants\n",
  });
  expect((await chowkd(['tenant:create', id, `--alias=${id}-shop`], environment)).code).toBe(0);
  const { code, out, err } = await seed(`--tenant=${id}-SHOP`, '--customers=50', '--seed=7', '--json');
  expect({ code, err }).toEqual({ code: 0, err: expect.stringMatching(/^Generating 50 customers .*seed 7/) });
  expect(JSON.parse(out)).toContainEqual({ table: 'customers', rows: 50 });
  const again = await seed(`--tenant=${id}`, '--customers=50', '--seed=7');
  expect(again).toMatchObject({ code: 1, out: '' });
  expect(again.err.trim().split('\n').at(-1)).toMatch(/^chowkd: .*already has data of this seed/);
  const more = await seed(`--tenant=${id}`, '--customers=20');
  expect(more).toMatchObject({
    code: 0,
    out: expect.stringMatching(/customers +20\n.*Use --seed=\d+ to generate the same data again today\.\n$/s),
  });
});
